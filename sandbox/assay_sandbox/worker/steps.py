"""Expressions of inputs as they are run: step by step, and what calls give awaited.

An expression such as ``(it := Cache(2), it.put(1, 5), it)[-1]`` takes steps and then gives its last
part; a lambda that is the call itself may do so, too. Each part stands on a line of its own number,
which tells in which of them an exception began.

Where coroutines may be about, a coroutine that a call gives is awaited at once, unless the call is
given to another call (``asyncio.gather(f(1), f(2))``). An ``await`` awaits whatever can be awaited.
"""

from __future__ import annotations

import _ast

from . import origin
from .inspecting import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

# The function that awaits; an engine's own helpers may call it, too.
AWAITED = "_assay_awaited"
_END = ")[-1]"
_COLLECTING = {"ListComp": "list", "SetComp": "set", "DictComp": "dict"}


def compiled(source: str, *, awaits: bool, is_call: bool) -> tuple[CodeType, bool]:
    """The code, and whether it has to find a running event loop, as any code does that awaits.

    `awaits`: whether the program may have coroutines. `is_call`: whether a lambda is called in the
    place of a function.
    """
    awaits = awaits or "await" in source
    if not awaits and _END not in source:
        code = compile(source, origin.INPUT_FILE, "eval", dont_inherit=True)
        origin.of_input(code)
        return code, False
    flags = _ast.PyCF_ONLY_AST
    tree: Any = compile(source, origin.INPUT_FILE, "eval", flags, dont_inherit=True)
    holder = tree
    rewriter = _Rewriter()
    if type(tree.body) is _ast.Lambda:
        holder = tree.body
        awaits = awaits and (is_call or _has_await(holder.body))
    if awaits:
        holder.body = rewriter.rewritten(holder.body)
    parts = _parts(holder.body)
    _set_line(tree, 1)
    for number, part in enumerate(parts, 1):
        _set_line(part, number)
    code = compile(tree, origin.INPUT_FILE, "eval", dont_inherit=True)
    origin.of_input(code)
    if len(parts) > 1:
        inner = [each for each in code.co_consts if type(each) is type(code)]
        origin.of_steps(code if holder is tree else inner[-1], len(parts))
    return code, rewriter.stands


def _parts(body: Any) -> list[Any]:
    """The parts of an expression that takes steps; none of any other."""
    if type(body) is _ast.Subscript and type(body.value) is _ast.Tuple:
        place: Any = body.slice
        if type(place) is _ast.UnaryOp and type(place.op) is _ast.USub:
            return body.value.elts
    return []


class _Rewriter:
    def __init__(self) -> None:
        # Whether anything is awaited in so many words.
        self.stands = False

    def rewritten(self, node: Any, *, is_given: bool = False) -> Any:
        """The node, with what its calls give awaited; not that of a call given to another."""
        kind = kind_of(node)
        if kind is _ast.Lambda or kind is _ast.GeneratorExp:
            return node
        if kind.__name__ in _COLLECTING and any(each.is_async for each in node.generators):
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
        if kind is not _ast.Call:
            return node
        if _is_run(node):
            return _awaited(node.args[0], _ast.Constant(True))
        return node if is_given else _awaited(node)

    def _collected(self, node: Any) -> Any:
        """``[x async for x in xs]`` from ``(x async for x in xs)``, which may stand anywhere."""
        self.stands = True
        name = _COLLECTING[type(node).__name__]
        item = _ast.Tuple([node.key, node.value], _ast.Load()) if name == "dict" else node.elt
        items = _ast.GeneratorExp(item, node.generators)
        return _awaited(items, _ast.Constant(True), _ast.Name(name, _ast.Load()))


def _awaited(*arguments: Any) -> Any:
    return _ast.Call(_ast.Name(AWAITED, _ast.Load()), [*arguments], [])


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
    kind = kind_of(node)
    if kind is _ast.Lambda or kind is _ast.GeneratorExp:
        return False
    asynchronous = kind is _ast.Await or getattr(node, "is_async", 0)
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
