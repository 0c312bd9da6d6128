"""Strategies for the built-in and standard library collections, given those of their contents.

Strategies for open files: files in memory with a few lines of text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from assay_engine.inputs.strategies import ITEMS_MAX
from assay_engine.source.annotations import IN_MEMORY, OPEN_FILES
from assay_engine.source.parsing import last_name
from assay_sandbox import Container, Expression, Value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def collection(
    name: str, of: Callable[[int], SearchStrategy[Value] | None]
) -> SearchStrategy[Value] | None:
    """The strategy for the collection type of this name; None if it is not a collection type.

    `of` gives the strategies of the type's parameters. It gives None where there is no room for
    another level of nesting: the collection is then empty.
    """
    import hypothesis.strategies as st

    match name:
        case (
            "list"
            | "List"
            | "Sequence"
            | "MutableSequence"
            | "Iterable"
            | "Iterator"
            | "Collection"
            | "Container"
            | "Reversible"
            | "Sized"
        ):
            return _with_repeats(of(0))
        case "set" | "Set" | "AbstractSet" | "MutableSet":
            return _hashed(of(0)).map(set)
        case "frozenset" | "FrozenSet":
            return _hashed(of(0)).map(frozenset)
        case "dict" | "Dict" | "Mapping" | "MutableMapping":
            return _dictionaries(of(0), of(1))
        case "defaultdict" | "DefaultDict" | "OrderedDict":
            ordered = "collections.OrderedDict"
            return _dictionaries(of(0), of(1)).map(lambda items: Container(ordered, items))
        case "Counter":
            return _dictionaries(of(0), st.integers(0, 5)).map(
                lambda items: Container("collections.Counter", items)
            )
        case "deque" | "Deque":
            return _with_repeats(of(0)).map(lambda items: Container("collections.deque", items))
        case _:
            return None


def _with_repeats(items: SearchStrategy[Value] | None) -> SearchStrategy[Value]:
    """Lists, some of them with equal items, since ties and duplicates matter to programs."""
    import hypothesis.strategies as st

    if items is None:
        return st.builds(list[Value])
    plain = st.lists(items, max_size=ITEMS_MAX)
    repeated = st.lists(items, min_size=1, max_size=3).flatmap(
        lambda few: st.lists(st.sampled_from(few), min_size=1, max_size=ITEMS_MAX)
    )
    return st.one_of(plain, repeated)


def _hashed(items: SearchStrategy[Value] | None) -> SearchStrategy[list[Value]]:
    import hypothesis.strategies as st

    if items is None:
        return st.builds(list[Value])
    return st.lists(items.filter(_is_hashable), max_size=ITEMS_MAX)


def _dictionaries(
    keys: SearchStrategy[Value] | None, values: SearchStrategy[Value] | None
) -> SearchStrategy[Value]:
    import hypothesis.strategies as st

    if keys is None or values is None:
        return st.builds(dict[Value, Value])
    return st.dictionaries(keys.filter(_is_hashable), values, max_size=ITEMS_MAX)


def _is_hashable(value: Value) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

LINES_MAX = 5
LINE_MAX = 10
# The characters of a file where nothing shows its content: words, numbers and separators.
ALPHABET = "abcAB012 ,;:=#\t"


def open_file(name: str, holds: Sequence[ast.expr], alphabet: str) -> SearchStrategy[Value]:
    """The strategy for the file type of this name.

    `holds` are the type arguments of the annotation. `alphabet` gives the characters of the lines,
    unless it is empty.
    """
    import hypothesis.strategies as st

    of_bytes = any(last_name(each) == "bytes" for each in holds)
    kind = "bytes" if of_bytes else OPEN_FILES[name]
    characters = (alphabet or ALPHABET).replace("\n", "")
    lines = st.lists(st.text(characters or ALPHABET, max_size=LINE_MAX), max_size=LINES_MAX)

    def written(lines: list[str], end: str) -> Value:
        text = "\n".join(lines) + end * bool(lines)
        content = text.encode() if kind == "bytes" else text
        return Expression(f"{IN_MEMORY[kind]}({content!r})")

    return st.builds(written, lines, st.sampled_from(("\n", "\n", "")))
