"""Expressions as people write them: annotations, special methods as everybody calls them
(``2 in bits`` is ``bits.__contains__(2)``), modules that inputs use and no program binds, literal
data, which is read without running any of it, and scripts.

A script is an input of several statements, of which the last is an expression, as in a doctest. One
that ends with a plain call travels within the call's first argument, and the other arguments see
what it binds. Any other script stands in the place of the call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any, cast

from assay_engine.syntax.parsing import bound_name, last_name, parse_expression, statements_read
from assay_engine.syntax.text import Source
from assay_sandbox import Value

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
                return method_call(right, method, left)
            return method_call(left, method, right) if type(op) is _COMPARING.get(method) else None
        case ast.BinOp(left=left, op=op, right=right):
            if type(op) is _BINARY.get(method[2:-2]):
                return method_call(left, method, right)
            # Of two objects, Python asks the left one first.
            reflected = method[:3] == "__r" and type(op) is _BINARY.get(method[3:-2])
            return (
                method_call(right, method, left)
                if reflected and isinstance(left, _LITERALS)
                else None
            )
        case ast.UnaryOp(op=op, operand=operand):
            return method_call(operand, method) if type(op) is _UNARY.get(method) else None
        case ast.Subscript(value=owner, slice=ast.Slice() as key) if method == "__getitem__":
            parts = [part or ast.Constant(None) for part in (key.lower, key.upper, key.step)]
            made = ast.Call(ast.Name("slice", ast.Load()), parts, [])
            return method_call(owner, method, made)
        case ast.Subscript(value=owner, slice=key) if method == "__getitem__":
            return method_call(owner, method, key)
        case ast.Call(func=ast.Name(id=called), args=[owner], keywords=[]) if (
            called in _CALLING.get(method, ())
        ):
            inner = _as_method_call(owner, method, objects)
            return inner or (None if is_call_of(owner, method) else method_call(owner, method))
        case ast.Call(func=ast.Name(id="format"), args=[owner, *rest]) if method == "__format__":
            return method_call(owner, method, *(rest or [ast.Constant("")]))
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


def method_call(owner: ast.expr, method: str, *arguments: ast.expr) -> ast.Call:
    """``owner.method(arguments)``."""
    return ast.Call(ast.Attribute(owner, method, ast.Load()), [*arguments], [])


_WRITTEN = re.compile(
    r"__import__\('importlib'\)\.import_module\('(?P<inner>[\w.]+)'\)"
    r"|__import__\('(?P<top>\w+)'\)(?=\.)"
)


def import_expression(module: str) -> str:
    """An expression that gives the module of this dotted name."""
    if "." not in module:
        return f"__import__('{module}')"
    return f"__import__('importlib').import_module('{module}')"


def as_if_imported(text: str) -> str:
    """The text with modules by their names, as one would write it below imports of them."""
    return _WRITTEN.sub(lambda found: found["inner"] or found["top"], text)


def imports_as_expressions(statements: Iterable[ast.stmt]) -> dict[str, str]:
    """Expressions for the names that imports among some statements bind."""
    found: dict[str, str] = {}
    for statement in statements:
        match statement:
            case ast.Import(names=names):
                for each in names:
                    # Without ``as``, the import binds the topmost module.
                    whole = f"__import__('{each.name}')"
                    made = import_expression(each.name) if each.asname else whole
                    found[bound_name(each)] = made
            case ast.ImportFrom(module=str() as module, names=names, level=0):
                for each in names:
                    found[bound_name(each)] = f"{import_expression(module)}.{each.name}"
            case _:
                pass
    # Nobody knows what a star import brings along.
    found.pop("*", None)
    return found


class NotLiteral(ValueError):
    """The text is no literal: it is a name, a call, a set of lists, or no Python at all."""


def literal(node: ast.expr) -> Value:
    """The value that a literal stands for. Raises `NotLiteral` for anything else.

    To Python, an ellipsis is a literal, too, though no program can be handed one.
    """
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise NotLiteral(str(error)) from None


def is_literal(node: ast.expr) -> bool:
    try:
        literal(node)
    except NotLiteral:
        return False
    return True


def literal_in(text: str) -> Value:
    """The value of the text of a lone literal. Raises `NotLiteral` for anything else."""
    node = parse_expression(text)
    if node is None:
        raise NotLiteral(f"no expression: {text[:40]!r}")
    return literal(node)


STATEMENTS_MAX = 40


def script_text(statements: Sequence[ast.stmt]) -> str:
    """The script of these statements, each on lines of its own."""
    return "\n".join(map(ast.unparse, statements))


def statements_of(source: str) -> list[ast.stmt]:
    """The statements of a script; none for a lone expression or text that is no Python."""
    # Nearly all expressions stand alone, and parsing takes time.
    found = statements_read(source) if "\n" in source else []
    return found if len(found) > 1 else []


def step_text(source: str, number: int) -> str:
    """Step `number` of a script, counted from 1, on one line; else nothing."""
    statements = statements_of(source)
    return on_one_line(statements[number - 1]) if 0 < number <= len(statements) else ""


def on_one_line(statement: ast.stmt) -> str:
    """A statement as one reads it on one line, a block behind its colon."""
    lines = [line.strip() for line in ast.unparse(statement).splitlines() if line.strip()]
    gaps = [" " if before.endswith(":") else "; " for before, _ in pairwise(lines)]
    return "".join(f"{line}{gap}" for line, gap in zip(lines, [*gaps, ""], strict=True))


def assigned(name: str, value: ast.expr) -> ast.stmt:
    """``name = value``."""
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=1)


def is_call_of(node: ast.AST, name: str) -> bool:
    """Whether a node calls something of this name, be it a variable or an attribute."""
    match node:
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)):
            return called == name
        case _:
            return False


# Qualifiers say something about a name, and not about its type.
_QUALIFIERS = frozenset(
    ("Annotated", "ClassVar", "Final", "InitVar", "NotRequired", "ReadOnly", "Required")
)
_NOTHING: Mapping[str, ast.expr] = MappingProxyType({})


def alternatives(
    annotation: ast.expr | str | None, aliases: Mapping[str, ast.expr] = _NOTHING
) -> list[ast.expr]:
    """The alternatives of an annotation: ``int`` and ``None`` of ``Optional["int"]``.

    They are in the order in which they are written. The function sees through unions, texts,
    qualifiers and the names in `aliases`, however deep they are. The types of an alias are given
    once, however often it occurs. Types within other types stay as they are. An annotation that
    cannot be read has no alternatives.
    """
    seen: set[str] = set()
    found: list[ast.expr] = []
    waiting = [parse_expression(annotation) if isinstance(annotation, str) else annotation]
    while waiting:
        match waiting.pop():
            case None:
                pass
            case ast.Constant(value=str() as text):
                waiting.append(parse_expression(text))
            case ast.BinOp(left=one, op=ast.BitOr(), right=other):
                waiting += [other, one]
            case ast.Subscript(value=outer, slice=inner) if last_name(outer) == "Optional":
                waiting += [ast.Constant(None), inner]
            case ast.Subscript(value=outer, slice=inner) if last_name(outer) == "Union":
                waiting += reversed(inner.elts if isinstance(inner, ast.Tuple) else [inner])
            case ast.Subscript(value=outer, slice=inner) if last_name(outer) in _QUALIFIERS:
                waiting.append(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
            case ast.Name(id=name) if name in aliases:
                waiting += [] if name in seen else [aliases[name]]
                seen.add(name)
            case other:
                found.append(other)
    return found


def is_ellipsis(annotation: ast.expr) -> bool:
    """Whether an annotation is the ellipsis that ends ``tuple[int, ...]``."""
    return isinstance(annotation, ast.Constant) and annotation.value is Ellipsis


# A memo, like that of `read_source`.
@lru_cache(maxsize=4)
def aliases_of(source: Source) -> Mapping[str, ast.expr]:
    """The last value assigned to each name at a text's top level, whether or not it is a type."""
    found: dict[str, ast.expr] = {}
    for node in source.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found[name] = value
            case _ if type(node).__name__ == "TypeAlias":
                # Typed as Any, because only the parser of Python 3.12 and later knows this node.
                declared: Any = node
                found[declared.name.id] = declared.value
            case _:
                pass
    return found
