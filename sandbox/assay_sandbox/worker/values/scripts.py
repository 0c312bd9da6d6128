"""Source text of inputs as it is run: expressions, and scripts of statements that end with one.

Each statement of a script stands on a line of its own number, which tells in which of them an
exception began.

Where coroutines may be about, a coroutine that a call gives is awaited at once, unless the call is
given to another call (``asyncio.gather(f(1), f(2))``). What is awaited in so many words is awaited
in the event loop of the call: ``await``, ``async for`` and ``async with``.
"""

from __future__ import annotations

import _ast

from .. import origin
from ..inspecting import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

# The functions that await and enter.
AWAITED, ENTERED = "_assay_awaited", "_assay_entered"
# The name under which a script leaves its value, or the function that a whole script becomes.
LEFT = "_assay_left"
_ITEM = "_assay_item"
_COLLECTING = {"ListComp": "list", "SetComp": "set", "DictComp": "dict"}
_CLOSED = ("Lambda", "GeneratorExp", "FunctionDef", "AsyncFunctionDef", "ClassDef")


def is_script(source: str) -> bool:
    """Whether a text has several statements: then each stands on its own line."""
    return "\n" in source


def expression(source: str, *, awaits: bool) -> tuple[CodeType, bool]:
    """The code of a lone expression, and whether it has to find a running event loop, as any code
    does that awaits. `awaits`: whether the program may have coroutines."""
    if not awaits and "await" not in source and "async" not in source:
        code = compile(source, origin.INPUT_FILE, "eval", dont_inherit=True)
        origin.of_input(code)
        return code, False
    tree: Any = _parsed(source, "eval")
    rewriter = _Rewriter()
    if type(tree.body) is not _ast.Lambda:
        tree.body = rewriter.rewritten(tree.body)
    elif _has_await(tree.body.body):
        tree.body.body = rewriter.rewritten(tree.body.body)
    _set_line(tree, 1)
    code = compile(tree, origin.INPUT_FILE, "eval", dont_inherit=True)
    origin.of_input(code)
    return code, rewriter.stands


def script(source: str, *, awaits: bool, is_call: bool) -> tuple[CodeType, bool]:
    """The same for a script, whose code leaves the value of its last expression under `LEFT`.

    If it `is_call`, the code leaves a function there, which runs the script.
    """
    tree: Any = _parsed(source, "exec")
    rewriter = _Rewriter()
    if awaits or "await" in source or "async" in source:
        tree.body = [rewriter.rewritten(each) for each in tree.body]
    statements, last = tree.body, tree.body[-1]
    for number, statement in enumerate(statements, 1):
        _set_line(statement, number)
    end = {name: getattr(last, name) for name in last._attributes}
    if is_call:
        statements[-1] = _ast.Return(last.value, **end)
        function: Any = _parsed("def %s(): pass" % LEFT, "exec").body[0]
        function.body = statements
        tree.body = [function]
    else:
        statements[-1] = _ast.Assign([_ast.Name(LEFT, _ast.Store(), **end)], last.value, **end)
    code = compile(tree, origin.INPUT_FILE, "exec", dont_inherit=True)
    origin.of_input(code)
    if len(statements) > 1:
        inner = [each for each in code.co_consts if getattr(each, "co_name", "") == LEFT]
        origin.of_steps(inner[-1] if is_call else code, len(statements))
    return code, rewriter.stands


def _parsed(source: str, mode: str) -> Any:
    return compile(source, origin.INPUT_FILE, mode, _ast.PyCF_ONLY_AST, dont_inherit=True)


class _Rewriter:
    def __init__(self) -> None:
        # Whether anything is awaited in so many words.
        self.stands = False

    def rewritten(self, node: Any, *, is_given: bool = False) -> Any:
        """The node, with what its calls give awaited; not that of a call given to another."""
        kind = kind_of(node)
        name = kind.__name__
        if name in _CLOSED:
            return node
        if name in _COLLECTING and any(each.is_async for each in node.generators):
            return self._collected(node)
        if kind is _ast.Await:
            self.stands = True
            return _awaited(self.rewritten(node.value, is_given=True), _ast.Constant(True))
        for field in node._fields:
            held: Any = getattr(node, field, None)
            within = kind is _ast.Call and field != "func"
            within = within or (is_given and (kind is _ast.keyword or kind is _ast.Starred))
            if isinstance(held, _ast.AST):
                setattr(node, field, self.rewritten(held, is_given=within))
            elif kind_of(held) is list:
                nodes: list[Any] = held
                setattr(
                    node,
                    field,
                    [
                        self.rewritten(each, is_given=within)
                        if isinstance(each, _ast.AST)
                        else each
                        for each in nodes
                    ],
                )
        if kind is _ast.AsyncWith:
            self.stands = True
            for item in node.items:
                item.context_expr = _call(ENTERED, item.context_expr)
            return _ast.With(node.items, node.body)
        if kind is _ast.AsyncFor:
            items = _ast.comprehension(_ast.Name(_ITEM, _ast.Store()), node.iter, [], 1)
            each_item = _ast.GeneratorExp(_ast.Name(_ITEM, _ast.Load()), [items])
            return _ast.For(node.target, self._into("list", each_item), node.body, node.orelse)
        if kind is not _ast.Call:
            return node
        if _is_run(node):
            return _awaited(node.args[0], _ast.Constant(True))
        return node if is_given else _awaited(node)

    def _collected(self, node: Any) -> Any:
        """``[x async for x in xs]`` from ``(x async for x in xs)``, which may stand anywhere."""
        name = _COLLECTING[type(node).__name__]
        item = _ast.Tuple([node.key, node.value], _ast.Load()) if name == "dict" else node.elt
        return self._into(name, _ast.GeneratorExp(item, node.generators))

    def _into(self, name: str, items: Any) -> Any:
        self.stands = True
        return _awaited(items, _ast.Constant(True), _ast.Name(name, _ast.Load()))


def _awaited(*arguments: Any) -> Any:
    return _call(AWAITED, *arguments)


def _call(name: str, *arguments: Any) -> Any:
    return _ast.Call(_ast.Name(name, _ast.Load()), [*arguments], [])


def _is_run(node: Any) -> bool:
    """Whether a call is ``asyncio.run(…)``, which would begin with another event loop."""
    called = node.func
    return (
        type(called) is _ast.Attribute
        and called.attr == "run"
        and getattr(called.value, "id", "") == "asyncio"
        and len(node.args) == 1
    )


def _has_await(node: Any) -> bool:
    """Whether a node awaits anything, but for functions and generators in it."""
    if kind_of(node).__name__ in _CLOSED:
        return False
    asynchronous = kind_of(node) is _ast.Await or getattr(node, "is_async", 0)
    return bool(asynchronous) or any(map(_has_await, _children(node)))


def _children(node: Any) -> list[Any]:
    found: list[Any] = []
    for field in node._fields:
        held: Any = getattr(node, field, None)
        found += held if isinstance(held, list) else [held]
    return [each for each in found if isinstance(each, _ast.AST)]


def _set_line(node: Any, number: int) -> None:
    pending = [node]
    place: dict[str, int] = {
        "lineno": number, "end_lineno": number, "col_offset": 0, "end_col_offset": 0
    }  # fmt: skip
    while pending:
        each = pending.pop()
        for name in each._attributes:
            setattr(each, name, place[name])
        pending += _children(each)
