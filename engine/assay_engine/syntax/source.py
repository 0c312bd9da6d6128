"""Reads a text into its tree, and turns positions in the tree into offsets in the text."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from assay_engine.syntax.parsing import Fault, split_lines
from assay_engine.syntax.repairing import repair
from assay_engine.types import Problem, ProblemKind, Span

# Longer texts are not parsed; hand-written modules stay far below.
CHARACTERS_MAX = 2_000_000

# The most conflicts left behind by a merge that a message names.
CONFLICTS_NAMED = 3

_BYTE_ORDER_MARK = "\ufeff"
# The Python that runs this cannot parse syntax that is newer than itself.
_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


# Compared by identity, as trees are: anything made from one reading fits no other reading's tree.
class Source(Struct, frozen=True, eq=False):
    """A text as given, and `sound`, the same text with broken statements blanked, which parses.

    Both have the same length, unless the text is too long to be read: then `sound` is empty.
    `starts` are the offsets of the lines as the tree counts them.
    """

    text: str
    sound: str
    tree: ast.Module
    starts: tuple[int, ...]
    problems: tuple[Problem, ...]

    def offset(self, line: int, column: int) -> int:
        """The code-point offset of a tree position: 1-based line, column in UTF-8 bytes."""
        start = self.starts[line - 1]
        head = self.sound[start : start + column]
        if head.isascii():
            return start + column
        return start + len(head.encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt | ast.arg) -> Span:
        """Where a node stands. Definitions begin at ``def`` or ``class``, below the decorators."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return Span(self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column))

    def segment(self, node: ast.expr | ast.stmt | ast.arg) -> str:
        span = self.span(node)
        return span.of(self.text)

    def line_end(self, offset: int) -> int:
        """The offset of the line break (or end of text) at or after `offset`."""
        ends = (place for place in (self.text.find(mark, offset) for mark in "\r\n") if place >= 0)
        return min(ends, default=len(self.text))


_BINARY = "This is not Python source (null bytes); restore it, or leave it out by `exclude`."


# A memo of a pure function, and no state: every function of a file asks for the same text.
@lru_cache(maxsize=4)
def read_source(text: str) -> Source:
    """Parse a text, whatever it is. Broken parts become problems, the rest is in the tree."""
    if len(text) > CHARACTERS_MAX:
        reason = f"The file has more than {CHARACTERS_MAX} characters; split it to have it checked."
        empty = ast.Module(body=[], type_ignores=[])
        return Source(text, "", empty, (0,), (Problem(ProblemKind.BROKEN_SOURCE, reason),))
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    repaired = repair(text.removeprefix(mark))
    starts = [len(mark)]
    for line in split_lines(repaired.text):
        starts.append(starts[-1] + len(line))
    problems = _problems(text, repaired.faults)
    if "\0" in text and all(map(_says_nothing, repaired.tree.body)):
        problems = (Problem(ProblemKind.BROKEN_SOURCE, _BINARY),)
    return Source(text, mark + repaired.text, repaired.tree, tuple(starts), problems)


def _says_nothing(statement: ast.stmt) -> bool:
    """Whether a statement is a constant, like those put in the place of blanked statements."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _problems(text: str, faults: Sequence[Fault]) -> tuple[Problem, ...]:
    """One problem for each fault, and one for all conflicts that a merge left behind."""
    conflicts = _conflicts(text) if faults else []
    left = [each for each in faults if any(each.line in lines for lines in conflicts)]
    others = tuple(_problem(each) for each in faults if each not in left)
    if not left:
        return others
    numbers = ", ".join(str(lines.start) for lines in conflicts[:CONFLICTS_NAMED])
    more = ", …" if len(conflicts) > CONFLICTS_NAMED else ""
    told = (
        f"Unresolved conflict markers (line{'s' if len(conflicts) > 1 else ''} {numbers}{more}); "
        "resolve them: what they break is left out until then."
    )
    return (Problem(ProblemKind.BROKEN_SOURCE, told), *others)


def _conflicts(text: str) -> list[range]:
    """The lines of each conflict, from its first marker to its last."""
    found: list[range] = []
    first = 0
    for number, line in enumerate(split_lines(text), 1):
        if line.startswith("<<<<<<< "):
            first = number
        elif first and line.startswith(">>>>>>> "):
            found.append(range(first, number + 1))
            first = 0
    return found


def _problem(fault: Fault) -> Problem:
    return Problem(
        ProblemKind.BROKEN_SOURCE,
        f"Line {fault.line} does not parse as Python {_PYTHON} ({fault.reason}); "
        "the statement around it is left out until it does.",
    )
