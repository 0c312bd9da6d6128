"""A text and its tree: offsets for the tree's positions, and statements with their lines, comments
and words.
"""

from __future__ import annotations

import ast
import sys
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeGuard

from msgspec import Struct

from assay_engine.bounds import SOURCE_CHARACTERS_MAX
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.parsing import SyntaxFault, split_lines
from assay_engine.syntax.repairing import repair
from assay_engine.types import Edit, Problem, ProblemKind, Span
from assay_engine.words import LINE_BREAK

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

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.alias) -> Span:
        """Where a node stands. Definitions begin at ``def`` or ``class``, below the decorators."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return Span(self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column))

    def segment(self, node: ast.expr | ast.stmt | ast.arg | ast.alias) -> str:
        span = self.span(node)
        return span.of(self.text)

    def begin(self, statement: ast.stmt) -> int:
        """The offset where a statement begins, with its decorators."""
        start = self.span(statement).start
        if isinstance(statement, Definition) and statement.decorator_list:
            start = self.text.rfind("@", 0, self.span(statement.decorator_list[0]).start)
        return start

    def line_at(self, offset: int) -> int:
        """The 1-based line that an offset is on."""
        return max(1, bisect_right(self.starts, offset))

    def line_end(self, offset: int) -> int:
        """The offset of the line break (or end of text) at or after `offset`."""
        ends = (place for place in (self.text.find(mark, offset) for mark in "\r\n") if place >= 0)
        return min(ends, default=len(self.text))


_BINARY = "This is not Python source (null bytes); restore it, or leave it out by `exclude`."


# A memo of a pure function, and no state: every function of a file asks for the same text.
@lru_cache(maxsize=4)
def read_source(text: str) -> Source:
    """Parse a text, whatever it is. Broken parts become problems, the rest is in the tree."""
    if len(text) > SOURCE_CHARACTERS_MAX:
        reason = (
            f"The file has more than {SOURCE_CHARACTERS_MAX:,} characters; "
            "split it to have it checked."
        )
        empty = ast.Module(body=[], type_ignores=[])
        return Source(text, "", empty, (0,), (Problem(ProblemKind.BROKEN_SOURCE, reason),))
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    repaired = repair(text.removeprefix(mark))
    starts = [len(mark)]
    for line in split_lines(repaired.text):
        starts.append(starts[-1] + len(line))
    problems = _problems(text, repaired.faults)
    # Constants stand in the place of blanked statements.
    if "\0" in text and all(
        isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        for each in repaired.tree.body
    ):
        problems = (Problem(ProblemKind.BROKEN_SOURCE, _BINARY),)
    return Source(text, mark + repaired.text, repaired.tree, tuple(starts), problems)


def _problems(text: str, faults: Sequence[SyntaxFault]) -> tuple[Problem, ...]:
    """One problem for each fault, and one for all conflicts that a merge left behind."""
    # The lines of each conflict, from its first marker to its last.
    conflicts: list[range] = []
    first = 0
    for number, line in enumerate(split_lines(text) if faults else (), 1):
        if line.startswith("<<<<<<< "):
            first = number
        elif first and line.startswith(">>>>>>> "):
            conflicts.append(range(first, number + 1))
            first = 0
    reasons = [
        f"Line {each.line} does not parse as Python {_PYTHON} ({each.reason}); "
        "the statement around it is left out until it does."
        for each in faults
        if not any(each.line in lines for lines in conflicts)
    ]
    if len(reasons) < len(faults):
        numbers = ", ".join(str(lines.start) for lines in conflicts[:CONFLICTS_NAMED])
        more = ", …" if len(conflicts) > CONFLICTS_NAMED else ""
        reasons.insert(
            0,
            f"Unresolved conflict markers (line{'s' if len(conflicts) > 1 else ''} {numbers}{more})"
            "; resolve them: what they break is left out until then.",
        )
    return tuple(Problem(ProblemKind.BROKEN_SOURCE, reason) for reason in reasons)


Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def with_newlines(text: str, newline: str) -> str:
    """The text with every line break turned into `newline`."""
    return LINE_BREAK.sub(lambda _: newline, text) if newline != "\n" or "\r" in text else text


def excerpt(source: Source, span: Span, edits: Iterable[Edit]) -> str:
    """A part of the text, with those of the edits made that lie within it."""
    text, place = "", span.start
    for edit in sorted(edits, key=lambda each: each.span.start):
        if place <= edit.span.start and edit.span.end <= span.end:
            text += source.sound[place : edit.span.start] + edit.new_text
            place = edit.span.end
    return with_newlines(text + source.sound[place : span.end], "\n")


def first_line(statement: ast.stmt) -> int:
    """The 1-based line a statement starts on, decorators included."""
    if isinstance(statement, Definition) and statement.decorator_list:
        return min(statement.lineno, *(each.lineno for each in statement.decorator_list))
    return statement.lineno


def last_line(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def line_start(source: Source, line: int) -> int:
    """The offset of a 1-based line; the end of the text for the line after the last."""
    return source.starts[min(line, len(source.starts)) - 1]


def line_text(source: Source, line: int) -> str:
    """A 1-based line without its line break; empty beyond the last."""
    text = source.text[line_start(source, line) : line_start(source, line + 1)]
    return text.rstrip("\r\n")


def is_star_import(node: ast.AST) -> TypeGuard[ast.ImportFrom]:
    """Whether a node is ``from ... import *``."""
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def docstring_statement(definition: Definition | ast.Module) -> ast.Expr | None:
    """The statement that is the docstring, if there is one."""
    first = definition.body[0] if definition.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return first if isinstance(first.value.value, str) else None
    return None


def statements_after_docstring(definition: Definition) -> list[ast.stmt]:
    return definition.body[1:] if docstring_statement(definition) else definition.body


def last_function(statements: list[ast.stmt], name: str) -> FunctionNode | None:
    """The last function of that name among the statements themselves."""
    functions = [each for each in statements if isinstance(each, FunctionNode)]
    return next((each for each in reversed(functions) if each.name == name), None)


def comments_above(source: Source, line: int, floor: int) -> int:
    """The first line of the comments directly above a line, or the line itself if there are none.

    Comments above the line `floor` do not count.
    """
    while line > floor and line_text(source, line - 1).lstrip(" \t\f").startswith("#"):
        line -= 1
    return line


def statement_text(source: Source, statement: ast.stmt, floor: int) -> str:
    """A statement as it stands, with the comments above it and the comment behind it.

    Line breaks become ``\\n``. Of a line that several statements share, only the statement's own
    part is taken.
    """
    line = first_line(statement)
    start = line_start(source, line)
    before = source.text[start : source.offset(statement.lineno, statement.col_offset)]
    if before.strip(" \t\f") and line == statement.lineno:
        start += len(before)
    else:
        start = line_start(source, comments_above(source, line, floor))
    end = source.span(statement).end
    behind = source.text[end : source.line_end(end)]
    if behind.lstrip(" \t\f;").startswith("#"):
        end += len(behind)
    return with_newlines(source.text[start:end], "\n")


def is_not_implemented(statement: ast.stmt) -> bool:
    """Whether a statement is ``raise NotImplementedError``, with a message or without."""
    if not isinstance(statement, ast.Raise):
        return False
    raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
