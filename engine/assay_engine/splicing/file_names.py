"""What a file binds and uses of a few names, without reading all of it."""

from __future__ import annotations

import ast
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from assay_engine.occurrences import Occurrence, occurrences
from assay_engine.splicing.place import Place, names_around
from assay_engine.statements import first_line

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class FileNames:
    """What the file around a function says of the names asked for.

    `binders` are the nodes that bind a name in the module; `used` are looked up in the module by
    somebody else than the function's own body; `anywhere` occur as an identifier, in whatever
    scope; `around` belong to the functions around the function; `meant` are used by the body that
    is there now; `words` are all the words of the text, strings and comments included.
    """

    binders: dict[str, tuple[ast.AST, ...]]
    used: frozenset[str]
    anywhere: frozenset[str]
    around: frozenset[str]
    meant: frozenset[str]
    words: frozenset[str]


def file_names(place: Place, names: Collection[str]) -> FileNames:
    text = place.source.text
    words = frozenset(
        _WORD.findall(text if text.isascii() else unicodedata.normalize("NFKC", text))
    )
    found = occurrences(_mentioning(place, words.intersection(names)))
    inside = {node for each in place.function.body for node in ast.walk(each)}
    outside = [each for each in found if each.node not in inside]
    module = [each for each in outside if each.in_module]
    return FileNames(
        binders=_by_name(each for each in module if each.binds),
        used=frozenset(each.name for each in module if not each.binds),
        anywhere=frozenset(each.name for each in outside),
        around=names_around(place),
        meant=frozenset(each.name for each in found if each.node in inside),
        words=words,
    )


def fresh_name(name: str, taken: Collection[str]) -> str:
    """``_name``, or ``_name_2`` and so on, whichever is not taken."""
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
    # Identifiers may be written in letters that Python takes for others; look at all of those.
    if not source.text.isascii():
        return statements
    starts = [source.starts[first_line(each) - 1] for each in statements]
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
    places = {bisect_right(starts, found.start()) - 1 for found in pattern.finditer(source.text)}
    # Statements that share a line start at the same offset, of which bisection finds the last.
    return [
        each
        for index, each in enumerate(statements)
        if index in places or (index + 1 < len(starts) and starts[index] == starts[index + 1])
    ]


def _by_name(found: Iterable[Occurrence]) -> dict[str, tuple[ast.AST, ...]]:
    binders: dict[str, tuple[ast.AST, ...]] = {}
    for each in found:
        binders[each.name] = (*binders.get(each.name, ()), each.node)
    return binders
