"""Finds where a file binds and uses a few names, without reading all of the file."""

from __future__ import annotations

import ast
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct

from assay_engine.splicing.place import Place, names_around
from assay_engine.syntax.occurrences import occurrences, used_from_module
from assay_engine.syntax.statements import Definition, first_line

_WORD = re.compile(r"\w+")


class FileNames(Struct, frozen=True):
    """What the file around a function does with the names asked for.

    `binders` are the nodes that bind a name in the module. `used` names are looked up in the module
    by code outside the function's own body. `anywhere` names occur there as an identifier, in
    whatever scope. `around` names belong to the functions around the function. `meant` names are
    used by the body that is there now.
    """

    binders: dict[str, tuple[ast.AST, ...]]
    used: frozenset[str]
    anywhere: frozenset[str]
    around: frozenset[str]
    meant: frozenset[str]


def file_names(place: Place, brought: Collection[str]) -> FileNames:
    """The names of the file around the place.

    `binders` covers every name of the module's top level; the other fields cover those in
    `brought`.
    """
    inside = {node for each in place.function.body for node in ast.walk(each)}
    found = occurrences(_mentioning(place, brought))
    outside = [each for each in found if each.node not in inside]
    module = [each for each in outside if each.in_module]
    return FileNames(
        binders=_by_name(
            [*_top_level(place), *((each.name, each.node) for each in module if each.binds)]
        ),
        used=frozenset(each.name for each in module if not each.binds),
        anywhere=frozenset(each.name for each in outside),
        around=names_around(place),
        meant=used_from_module(occurrences([place.function])),
    )


def words_of(text: str) -> frozenset[str]:
    """All words of a text, including those in its strings and comments."""
    return frozenset(_WORD.findall(_as_python_reads(text)))


def fresh_name(name: str, taken: Collection[str]) -> str:
    """The first of ``_name``, ``_name_2`` and so on that is not taken."""
    base = f"_{name.strip('_') or 'name'}"
    number = 1
    new = base
    while new in taken:
        number += 1
        new = f"{base}_{number}"
    return new


def _mentioning(place: Place, names: Collection[str]) -> list[ast.stmt]:
    """The top-level statements that mention one of the names at all."""
    if not names:
        return []
    source, statements = place.source, place.source.tree.body
    # Letters that Python reads as others would shift the places found: then all statements count.
    if _as_python_reads(source.text) != source.text:
        return statements
    starts = [source.starts[first_line(each) - 1] for each in statements]
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
    places = {bisect_right(starts, found.start()) - 1 for found in pattern.finditer(source.text)}
    # Statements that share a line start at the same offset, and bisection finds the last of them.
    return [
        each
        for index, each in enumerate(statements)
        if index in places or (index + 1 < len(starts) and starts[index] == starts[index + 1])
    ]


def _as_python_reads(text: str) -> str:
    """The text in the form in which Python compares identifiers: ``ﬁle`` is ``file``."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _top_level(place: Place) -> Iterator[tuple[str, ast.AST]]:
    """The names that the module's own statements bind. Cheap, since no function is read."""
    for statement in place.source.tree.body:
        if isinstance(statement, Definition):
            yield statement.name, statement
        else:
            yield from (
                (each.name, each.node)
                for each in occurrences([statement])
                if each.in_module and each.binds
            )


def _by_name(found: Iterable[tuple[str, ast.AST]]) -> dict[str, tuple[ast.AST, ...]]:
    binders: dict[str, tuple[ast.AST, ...]] = {}
    for name, node in found:
        if node not in binders.get(name, ()):
            binders[name] = (*binders.get(name, ()), node)
    return binders
