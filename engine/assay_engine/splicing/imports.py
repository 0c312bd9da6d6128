"""Adds imports to a file in the style of its import block, in the order that formatters keep."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from assay_engine.dependencies.needed import ImportNode
from assay_engine.syntax.text import (
    Source,
    comments_above,
    docstring_statement,
    first_line,
    last_line,
    line_start,
    line_text,
)
from assay_engine.types import Edit, Span

# Names are only added to an import line that stays within the length that formatters allow.
LINE_MAX = 88


def import_edits(
    source: Source, above: Sequence[ast.stmt], newline: str, wanted: Sequence[Imported]
) -> tuple[Edit, ...]:
    """The edits that add imports to a file, among its top-level statements `above`.

    An import goes onto a line that imports from the same module, else into the import block where
    the block's order puts it, else to the head of the file.
    """
    extended: dict[ast.ImportFrom, list[str]] = {}
    rest: list[Imported] = []
    for each in sorted(dict.fromkeys(wanted), key=order_of_names):
        written = f"{each.name} as {each.alias}" if each.alias else each.name or each.module
        for line in above if each.name is not None else ():
            # Only a short, plain line takes a name more.
            if (
                isinstance(line, ast.ImportFrom)
                and line.lineno == last_line(line)
                and (line.level, line.module or "") == (each.level, each.module)
                and line.names[0].name != "*"
                and "(" not in (text := source.segment(line))
                and len(", ".join([text, *extended.get(line, ()), written])) <= LINE_MAX
            ):
                extended.setdefault(line, []).append(written)
                break
        else:
            rest.append(each)
    edits: list[Edit] = []
    for line, added in extended.items():
        spans = [source.span(each) for each in line.names]
        names = [span.of(source.text) for span in spans]
        # In order if the line was sorted, else at its end.
        in_order = (key for key in (by_kind, str.lower) if names == sorted(names, key=key))
        key = next(in_order, None)
        names = [*names, *added] if key is None else sorted([*names, *added], key=key)
        edits.append(Edit(Span(spans[0].start, spans[-1].end), ", ".join(names)))
    lines = import_lines(rest)
    # The block is the first run of imports, up to the next statement of another kind.
    block: list[ImportNode] = []
    for each in above:
        if isinstance(each, ImportNode):
            block.append(each)
        elif block:
            break
    if lines and block:
        edits += _into_the_block(source, block, lines, newline)
    elif lines:
        edits.append(_at_the_head(source, lines, newline))
    return tuple(edits)


def import_lines(wanted: Iterable[Imported]) -> list[ImportNode]:
    """The lines of some imports in order. What is taken from one module shares a line."""
    lines: dict[object, ImportNode] = {}
    for each in sorted(wanted, key=order_of_names):
        own = each.statement()
        line = lines.setdefault(each if each.name is None else (each.level, each.module), own)
        if line is not own:
            line.names += own.names
    return list(lines.values())


def _into_the_block(
    source: Source, block: list[ImportNode], lines: list[ImportNode], newline: str
) -> list[Edit]:
    # Blank lines part a block into groups.
    groups = [[block[0]]]
    for before, each in pairwise(block):
        between = range(last_line(before) + 1, each.lineno)
        if all(line_text(source, line).strip() for line in between):
            groups[-1].append(each)
        else:
            groups.append([each])
    edits: list[Edit] = []
    fresh: dict[int, list[str]] = {}
    for line in lines:
        group = next((each for each in groups if section(line) in map(section, each)), None)
        if group is not None:
            offset = _offset_in(source, group, line)
            edits.append(Edit(Span(offset, offset), ast.unparse(line) + newline))
        else:
            later = (
                position
                for position, each in enumerate(groups)
                if min(map(section, each)) > section(line)
            )
            fresh.setdefault(next(later, len(groups)), []).append(ast.unparse(line) + newline)
    for position, added in fresh.items():
        if position == len(groups):
            offset = line_start(source, _line_below(source, block[-1]))
            edits.append(Edit(Span(offset, offset), newline + "".join(added)))
        else:
            first = groups[position][0].lineno
            offset = line_start(source, comments_above(source, first, first_free_line(source)))
            edits.append(Edit(Span(offset, offset), "".join(added) + newline))
    return edits


def _offset_in(source: Source, group: list[ImportNode], line: ImportNode) -> int:
    """The offset where a line goes in a group: by the group's order if it has one, else its end."""
    for key in (order, order_by_module):
        keys = [key(each) for each in group]
        if keys == sorted(keys):
            before = [each for each in group if key(each) <= key(line)]
            break
    else:
        before = group
    if before:
        return line_start(source, _line_below(source, before[-1]))
    return line_start(source, group[0].lineno)


def _line_below(source: Source, statement: ast.stmt) -> int:
    """The line below a top-level statement and all statements that share its last line."""
    line = last_line(statement)
    for each in source.tree.body:
        if first_line(each) <= line < last_line(each):
            line = last_line(each)
    return line + 1


def first_free_line(source: Source) -> int:
    """The first line that may change.

    It is below ``#!`` and the encoding, which only count in their places.
    """
    line = 1
    while line <= 2 and line_text(source, line).startswith("#"):
        text = line_text(source, line)
        if not (text.startswith("#!") or "coding" in text):
            break
        line += 1
    return line


def _at_the_head(source: Source, lines: list[ImportNode], newline: str) -> Edit:
    """The edit that adds imports to a file without any.

    They go below the docstring and the comments with which the file begins, and above the comments
    that belong to its first statement.
    """
    text = newline.join(map(ast.unparse, lines)) + newline
    docstring = docstring_statement(source.tree)
    first = next(each for each in source.tree.body if each is not docstring)
    if docstring is not None:
        line = _line_below(source, docstring)
        text = newline + text
    else:
        line = comments_above(source, first_line(first), first_free_line(source))
        text = newline + text if line_text(source, line - 1).strip() and line > 1 else text
    blank = 0
    while line + blank < first_line(first) and not line_text(source, line + blank).strip():
        blank += 1
    offset = line_start(source, line)
    return Edit(Span(offset, offset), text + newline * max(0, 2 - blank))


class Imported(Struct, frozen=True):
    """One name that an import binds. `name` is None for ``import module``."""

    level: int
    module: str
    name: str | None
    alias: str | None

    @property
    def bound(self) -> str:
        return self.alias or self.name or self.module.partition(".")[0]

    @property
    def target(self) -> tuple[int, str, str | None]:
        """The thing that the bound name stands for."""
        if self.name is None and self.alias is None:
            return (0, self.bound, None)
        return (self.level, self.module, self.name)

    def statement(self) -> ImportNode:
        if self.name is None:
            return ast.Import(names=[ast.alias(self.module, self.alias)])
        names = [ast.alias(self.name, self.alias)]
        return ast.ImportFrom(module=self.module or None, names=names, level=self.level)


def imported_by(statement: ImportNode) -> tuple[Imported, ...]:
    if isinstance(statement, ast.Import):
        return tuple(Imported(0, each.name, None, each.asname) for each in statement.names)
    module = statement.module or ""
    return tuple(
        Imported(statement.level, module, each.name, each.asname) for each in statement.names
    )


def order(line: ImportNode) -> tuple[bool, bool, str, int]:
    """The sort key for plain imports before from-imports, each by module."""
    is_late, module, level = order_by_module(line)
    return (is_late, isinstance(line, ast.ImportFrom), module, level)


def order_by_module(line: ImportNode) -> tuple[bool, str, int]:
    return (section(line) > 0, module_of(line).lower(), getattr(line, "level", 0))


def section(line: ImportNode) -> int:
    """The number of an import's group in a sorted block: future, library, others, relative."""
    if isinstance(line, ast.ImportFrom) and line.level:
        return 3
    root = module_of(line).partition(".")[0]
    if root == "__future__":
        return 0
    return 1 if root in sys.stdlib_module_names else 2


def module_of(line: ImportNode) -> str:
    return line.names[0].name if isinstance(line, ast.Import) else line.module or ""


def order_of_names(wanted: Imported) -> tuple[tuple[bool, bool, str, int], tuple[int, str]]:
    return order(wanted.statement()), by_kind(wanted.name or "")


def by_kind(name: str) -> tuple[int, str]:
    """The sort key by which isort and ruff order a line's names: constants, classes, the rest."""
    if name.isupper() and len(name) > 1:
        return (0, name)
    return (1 if name[:1].isupper() else 2, name)
