"""Conditions on the lists and texts given to a parameter, and the nearest values that meet them.

A condition holds for values of other types, and for containers whose items cannot be compared here.
`mended` is for inputs that are made up: a mutated list is hardly ever sorted by itself.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias, cast

from assay_engine.inputs.preconditions.condition import OfOne
from assay_sandbox import Value, encode

# The types whose order means the same here as it does to the program.
_COMPARABLE = (bool, int, float, str, bytes)

_RUNS = (string.digits, string.ascii_uppercase, string.ascii_lowercase)


class Ordered(OfOne, frozen=True):
    """Lists and tuples are sorted as Python sorts them. Equal neighbours are in order."""

    descending: bool = False

    @property
    def told(self) -> str:
        return f"{self.name} is sorted{' in descending order' * self.descending}"

    def holds(self, value: Value) -> bool:
        if not _is_array(value) or not all(map(_is_comparable, value)):
            return True
        try:
            return all(a >= b if self.descending else a <= b for a, b in pairwise(value))
        except TypeError:
            return False

    def mended(self, value: Value) -> Value:
        if not _is_array(value) or not all(map(_is_comparable, value)):
            return value
        try:
            return type(value)(sorted(value, reverse=self.descending))
        except TypeError:
            return value


class Distinct(OfOne, frozen=True):
    """No two items of a list, a tuple or a text are the same."""

    @property
    def told(self) -> str:
        return f"nothing is in {self.name} twice"

    def holds(self, value: Value) -> bool:
        return not _is_series(value) or len(_once(value)) == len(value)

    def mended(self, value: Value) -> Value:
        return _of_type(value, _once(value)) if _is_series(value) else value


class NotEmpty(OfOne, frozen=True):
    """A text or container is not empty."""

    @property
    def told(self) -> str:
        return f"{self.name} is not empty"

    def holds(self, value: Value) -> bool:
        return not isinstance(value, str | bytes | list | tuple | set | frozenset | dict) or bool(
            cast("Sequence[Value]", value)
        )


class Spelled(OfOne, frozen=True):
    """All text, including text in lists, tuples and sets, is spelled with these characters."""

    characters: frozenset[str]

    @property
    def told(self) -> str:
        characters = "".join(sorted(self.characters))
        for run in _RUNS:
            characters = characters.replace(run, f"{run[0]}-{run[-1]}")
        return f"{self.name} has no other characters than {characters!r}"

    def holds(self, value: Value) -> bool:
        match value:
            case str():
                return self.characters.issuperset(value)
            case list() | tuple() | set() | frozenset():
                return all(map(self.holds, cast("Sequence[Value]", value)))
            case _:
                return True

    def mended(self, value: Value) -> Value:
        match value:
            case str():
                return "".join(filter(self.characters.__contains__, value))
            case list() | tuple() | set() | frozenset():
                items = cast("Sequence[Value]", value)
                return type(items)(map(self.mended, items))  # type: ignore[call-arg]
            case _:
                return value


class Rectangular(OfOne, frozen=True):
    """The rows of a list of lists have one length, which is also their number if it is a square."""

    square: bool = False

    @property
    def told(self) -> str:
        if self.square:
            return f"{self.name} is a square"
        return f"the rows of {self.name} are equally long"

    def holds(self, value: Value) -> bool:
        if not _is_table(value):
            return True
        lengths = {len(row) for row in value}
        return len(lengths) == 1 and (not self.square or lengths == {len(value)})

    def mended(self, value: Value) -> Value:
        if not _is_table(value):
            return value
        width = min(map(len, value))
        height = min(width, len(value)) if self.square else len(value)
        width = height if self.square else width
        return type(value)(row[:width] for row in value[:height])


Shape: TypeAlias = Ordered | Distinct | NotEmpty | Spelled | Rectangular


def _is_array(value: Value) -> bool:
    return isinstance(value, list | tuple)


def _is_series(value: Value) -> bool:
    return isinstance(value, list | tuple | str)


def _is_table(value: Value) -> bool:
    return _is_array(value) and bool(value) and all(map(_is_array, value))


def _is_comparable(value: Value) -> bool:
    if _is_array(value):
        return all(map(_is_comparable, value))
    return value is None or isinstance(value, _COMPARABLE)


def _once(items: Sequence[Value]) -> list[Value]:
    """The distinct items, each at its first place.

    Items are compared by `==` if all have hashes, else by their encodings.
    """
    try:
        return list(dict.fromkeys(items))
    except TypeError:
        found: dict[str, Value] = {}
        for item in items:
            found.setdefault(encode(item), item)
        return list(found.values())


def _of_type(value: Value, items: list[Any]) -> Value:
    return "".join(items) if isinstance(value, str) else type(value)(items)
