"""Constants in programs and prose: values that comparisons ask for and chance seldom hits.

This is the constant pool of search-based test generation. Text that only speaks to people
(docstrings, messages of exceptions and assertions, printed text, the text of an f-string) is left
out. So are the integers next to zero, which are limit cases anyway.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from assay_engine.syntax.expressions import NotLiteral, literal
from assay_engine.syntax.parsing import parse
from assay_engine.values.parts import parts_of
from assay_sandbox import Value, encode

# At most this many constants are kept, those of the first program first.
CONSTANTS_MAX = 100
TEXT_MAX = 40
# A longer literal is a table: its items are taken, but not the table itself.
ITEMS_MAX = 8
# Of a table, only this many of the first items are taken.
TABLE_MAX = 30
_NEXT_TO_ZERO = 2
_INTEGER_MAX = 1 << 64

_NUMBER = re.compile(r"(?<![\w.])-?\d{1,18}(?:\.\d{1,18})?(?![\w.]*\w)")
_QUOTED = re.compile(rf"""(?<!\w)(["'])([^"'\n]{{1,{TEXT_MAX}}})\1(?!\w)""")


def constants_of(programs: Sequence[str], prose: str = "") -> tuple[Value, ...]:
    """Distinct constants of the programs and the prose, with the neighbours of integers.

    They are numbers, texts, bytes, and short tuples, lists and sets of these. A program that is
    not valid Python has none.
    """
    found: dict[str, Value] = {}
    for program in programs:
        for value in _of_program(program):
            found.setdefault(encode(value), value)
    for value in _of_prose(prose):
        found.setdefault(encode(value), value)
    return tuple(found.values())[:CONSTANTS_MAX]


def _of_program(text: str) -> Iterator[Value]:
    tree = parse(text)
    if not isinstance(tree, ast.Module):
        return
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield from _written(node)
        pending.extend(reversed(_spoken_out(node)))


def _spoken_out(node: ast.AST) -> list[ast.AST]:
    """The node's children, without those that only speak to people."""
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.Expr(value=ast.Constant()):
            return []
        case ast.Assert():
            return [node.test]
        case ast.Call(func=ast.Name(id="print")):
            return []
        case ast.Tuple() | ast.List() | ast.Set():
            return list[ast.AST](node.elts[:TABLE_MAX])
        case ast.Dict():
            pairs = zip(node.keys[:TABLE_MAX], node.values[:TABLE_MAX], strict=True)
            return [each for pair in pairs for each in pair if each is not None]
        case _:
            return list(ast.iter_child_nodes(node))


def _written(node: ast.AST) -> Iterator[Value]:
    match node:
        case ast.Constant():
            yield from _with_neighbours(node.value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            yield from _with_neighbours(-value)
        case ast.Tuple() | ast.List() | ast.Set() if 0 < len(node.elts) <= ITEMS_MAX:
            try:
                value = literal(node)
            except NotLiteral:
                return
            if all(_is_plain(item) for item in parts_of(value)):
                yield value
        case _:
            return


def _of_prose(text: str) -> Iterator[Value]:
    for match in _NUMBER.finditer(text):
        written = match.group()
        yield from _with_neighbours(float(written) if "." in written else int(written))
    for match in _QUOTED.finditer(text):
        yield match.group(2)


def _with_neighbours(value: Value) -> Iterator[Value]:
    if not _is_plain(value):
        return
    if not isinstance(value, int):
        yield value
    elif abs(value) > _NEXT_TO_ZERO:
        yield from (value, value - 1, value + 1)


def _is_plain(value: Value) -> bool:
    match value:
        case bool():
            return False
        case int():
            return abs(value) <= _INTEGER_MAX
        case str() | bytes():
            return 0 < len(value) <= TEXT_MAX
        case _:
            return isinstance(value, float)
