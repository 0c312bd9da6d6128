"""Changes a known value a little: an item more, a word less, a number beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import cast

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from assay_sandbox import Value

ITEMS_MAX = 6
# Nothing longer is varied: an input has to be small enough to be read.
LITERAL_CHARACTERS_MAX = 300
TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


def edited(value: Value, texts: Sequence[str]) -> SearchStrategy[Value]:
    """Values like a known one: one or two small changes away. `texts` are those of known values."""
    changed = partial(_changed, tokens=[token for each in texts for token in TOKEN.findall(each)])
    return st.one_of(changed(value), changed(value).flatmap(changed))


def _changed(value: Value, tokens: Sequence[str]) -> SearchStrategy[Value]:
    match value:
        case bool():
            return st.booleans()
        case int():
            near = st.integers(-3, 3).map(lambda step: value + step)
            return st.one_of(near, st.sampled_from((-value, value * 2, value // 2)))
        case float():
            near = st.sampled_from((-1.0, -0.5, 0.01, 0.5, 1.0)).map(lambda step: value + step)
            return st.one_of(near, st.sampled_from((-value, float(round(value)), value / 2)))
        case str() if value and len(value) <= LITERAL_CHARACTERS_MAX:
            return _changed_text(value, tokens)
        case list() | tuple() if value:
            items = list(cast("Sequence[Value]", value))
            kind = type(cast("object", value))
            return _changed_items(items, tokens).map(tuple if kind is tuple else list)
        case dict() if value:
            return _changed_entries(cast("dict[Value, Value]", value), tokens)
        case _:
            return st.just(value)


def _changed_text(text: str, tokens: Sequence[str]) -> SearchStrategy[str]:
    pieces = st.sampled_from(list(dict.fromkeys([*tokens, *text, " ", "0", "a", "Z"])))
    places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    words = TOKEN.findall(text)
    return st.one_of(
        st.tuples(places, pieces).map(lambda it: text[: it[0][0]] + it[1] + text[it[0][0] :]),
        st.tuples(places, pieces).map(lambda it: text[: it[0][0]] + it[1] + text[it[0][0] + 1 :]),
        places.map(lambda at: text[: at[0]] + text[at[1] :]),
        places.map(lambda at: text[at[0] : at[1]]),
        places.map(lambda at: text[: at[1]] + text[at[0] :]),
        st.permutations(words).map("".join),
        st.lists(st.sampled_from(words), max_size=2 * ITEMS_MAX).map("".join),
        st.sampled_from((text.upper(), text.lower(), text.swapcase(), text[::-1])),
    )


def _changed_items(items: list[Value], tokens: Sequence[str]) -> SearchStrategy[list[Value]]:
    places = st.integers(0, len(items) - 1)
    others = st.sampled_from(items)
    return st.one_of(
        places.flatmap(
            lambda at: _changed(items[at], tokens).map(
                lambda item: [*items[:at], item, *items[at + 1 :]]
            )
        ),
        places.map(lambda at: items[:at] + items[at + 1 :]),
        st.tuples(places, others).map(lambda it: [*items[: it[0]], it[1], *items[it[0] :]]),
        st.permutations(items).map(list),
        st.lists(others, max_size=2 * ITEMS_MAX),
    )


def _changed_entries(
    entries: dict[Value, Value], tokens: Sequence[str]
) -> SearchStrategy[dict[Value, Value]]:
    pairs = list(entries.items())
    return st.one_of(
        st.sampled_from(pairs).flatmap(
            lambda pair: _changed(pair[1], tokens).map(lambda item: entries | {pair[0]: item})
        ),
        st.sampled_from(pairs).flatmap(
            lambda pair: _changed(pair[0], tokens).map(
                lambda key: as_dict([*pairs, (key, pair[1])])
            )
        ),
        st.lists(st.sampled_from(pairs), max_size=len(pairs)).map(as_dict),
    )


def as_dict(pairs: Sequence[tuple[Value, Value]]) -> dict[Value, Value]:
    return {key: value for key, value in pairs if hashable([key])}


def hashable(values: Sequence[Value]) -> list[Value]:
    """The values that can be members of a set."""
    found: list[Value] = []
    for value in values:
        try:
            hash(value)
        except TypeError:
            continue
        found.append(value)
    return found
