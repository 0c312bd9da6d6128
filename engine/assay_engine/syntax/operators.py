"""Reads special methods as everybody calls them: ``2 in bits`` is ``bits.__contains__(2)``."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import cast

from assay_engine.syntax.uses import is_call_of

_COMPARING: Mapping[str, type[ast.cmpop]] = {
    "__eq__": ast.Eq,
    "__ne__": ast.NotEq,
    "__lt__": ast.Lt,
    "__le__": ast.LtE,
    "__gt__": ast.Gt,
    "__ge__": ast.GtE,
}
_BINARY: Mapping[str, type[ast.operator]] = {
    "add": ast.Add,
    "sub": ast.Sub,
    "mul": ast.Mult,
    "truediv": ast.Div,
    "floordiv": ast.FloorDiv,
    "mod": ast.Mod,
    "pow": ast.Pow,
    "matmul": ast.MatMult,
    "and": ast.BitAnd,
    "or": ast.BitOr,
    "xor": ast.BitXor,
    "lshift": ast.LShift,
    "rshift": ast.RShift,
}
_UNARY: Mapping[str, type[ast.unaryop]] = {
    "__neg__": ast.USub,
    "__pos__": ast.UAdd,
    "__invert__": ast.Invert,
}
# Functions that call a method with one object. That some of them collect what an iterator gives
# changes nothing.
_CALLING: Mapping[str, tuple[str, ...]] = {
    "__abs__": ("abs",),
    "__bool__": ("bool",),
    "__bytes__": ("bytes",),
    "__float__": ("float",),
    "__hash__": ("hash",),
    "__int__": ("int",),
    "__iter__": ("iter", "list", "tuple", "sorted", "set"),
    "__len__": ("len",),
    "__next__": ("next",),
    "__repr__": ("repr",),
    "__reversed__": ("reversed", "list"),
    "__str__": ("str",),
}
_LITERALS = (ast.Constant, ast.Dict, ast.JoinedStr, ast.List, ast.Set, ast.Tuple)
# Methods that answer `NotImplemented` where the other object may know. Python itself then decides
# on the result.
ANSWERING = frozenset(
    (*_COMPARING, *(f"__{side}{name}__" for name in _BINARY for side in ("", "r")))
)


def as_method_call(
    expression: ast.expr, method: str, objects: Collection[str] = ()
) -> ast.Call | None:
    """The call of a special method that an expression stands for.

    None if the expression stands for no call of the method, or for one on a literal, or if Python
    itself never calls the method. `objects` are names that are known to be bound to objects.
    """
    if not (method.startswith("__") and method.endswith("__")):
        return None
    found = _as_method_call(expression, method, objects)
    if found is None or isinstance(cast("ast.Attribute", found.func).value, _LITERALS):
        return None
    return found


def _as_method_call(expression: ast.expr, method: str, objects: Collection[str]) -> ast.Call | None:
    match expression:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            if isinstance(op, ast.In | ast.NotIn) and method == "__contains__":
                return _call(right, method, left)
            return _call(left, method, right) if type(op) is _COMPARING.get(method) else None
        case ast.BinOp(left=left, op=op, right=right):
            if type(op) is _BINARY.get(method[2:-2]):
                return _call(left, method, right)
            # Of two objects, Python asks the left one first.
            reflected = method[:3] == "__r" and type(op) is _BINARY.get(method[3:-2])
            return _call(right, method, left) if reflected and isinstance(left, _LITERALS) else None
        case ast.UnaryOp(op=op, operand=operand):
            return _call(operand, method) if type(op) is _UNARY.get(method) else None
        case ast.Subscript(value=owner, slice=key) if method == "__getitem__":
            return _call(owner, method, _key(key))
        case ast.Call(func=ast.Name(id=called), args=[owner], keywords=[]) if (
            called in _CALLING.get(method, ())
        ):
            inner = _as_method_call(owner, method, objects)
            return inner or (None if is_call_of(owner, method) else _call(owner, method))
        case ast.Call(func=ast.Name(id="format"), args=[owner, *rest]) if method == "__format__":
            return _call(owner, method, *(rest or [ast.Constant("")]))
        case ast.Call(func=ast.Call() | ast.Name() as owner) if method == "__call__" and (
            isinstance(owner, ast.Call) or owner.id in objects
        ):
            called_as = ast.Attribute(owner, method, ast.Load())
            return ast.Call(called_as, expression.args, expression.keywords)
        case _:
            return None


# The function by which a program is called in the place of such a method.
OPERATOR = "_assay_operator"
_OTHERWISE = {"__eq__": "return False", "__ne__": "return True"}


def with_operator(program: str, path: str) -> str:
    """The program with a function that calls the method under a dotted path as Python does.

    But where the answer is `NotImplemented`, that function asks no other object.
    """
    name = path.rpartition(".")[2]
    otherwise = _OTHERWISE.get(name, "raise TypeError('not supported between these')")
    return f"""{program}

def {OPERATOR}(it, other, /):
    found = {path}(it, other)
    if found is NotImplemented:
        {otherwise}
    return found
"""


def _key(key: ast.expr) -> ast.expr:
    if not isinstance(key, ast.Slice):
        return key
    parts = [part or ast.Constant(None) for part in (key.lower, key.upper, key.step)]
    return ast.Call(ast.Name("slice", ast.Load()), parts, [])


def _call(owner: ast.expr, method: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(owner, method, ast.Load()), [*arguments], [])
