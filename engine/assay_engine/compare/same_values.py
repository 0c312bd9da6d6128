"""Decides when two values that were carried over are the same.

- Numbers compare as Python's ``==`` does across bool, int, float and complex, with floats equal
  within the policy's tolerances at any depth; NaN equals NaN. A numpy number
  is the same as the built-in number. A numpy array differs from a list, and from an array whose
  items have another type. The names of a table's axes count only if that is asked for (`named`).
- Sets and dicts compare by content, as ``==`` does, frozen or not; counters and ordered or
  defaulting dicts are included. Lists and tuples compare in order, and differ from each other. The
  order of a dict's items counts only if that is asked for (`ordered`).
- Objects compare by class name and by their fields' names and values, whichever field was set
  first. Iterators compare by what they yielded, whatever their class.

The comparison does not recurse, except into members of sets and keys. It always ends: values that
take too long to compare do not count as the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import cast

from assay_engine.compare.policy import USUAL, Policy
from assay_sandbox import Container, Instance, Iterated, Opaque, Scalar, Told, Value

# No value has more parts than this. Where items are paired off, each meets several others.
PARTS_COMPARED_MAX = 1 << 20
# The most items that are paired off if their order does not pair them: it takes quadratic time.
MATCHED_MAX = 300
_MOMENTS = frozenset({"datetime.datetime", "datetime.time"})
# Types that differ from a dict in how they are used, and not in what they hold.
_DICTS = frozenset({"collections.Counter", "collections.OrderedDict", "collections.defaultdict"})
# Sets and dicts in which several objects are told alike (`assay_sandbox.decode`).
_TOLD_ALIKE = frozenset({"dict", "frozenset", "set"})
# Tables of pandas, and what labels them.
TABLES = frozenset({"pandas.DataFrame", "pandas.Index", "pandas.MultiIndex", "pandas.Series"})
# The place in an order of values that have no numbers or texts in them.
_ANYWHERE = ("~",)

_Pair = tuple[Value, Value]


def same_value(left: Value, right: Value, policy: Policy = USUAL) -> bool:
    """Deep equality of two decoded values."""
    try:
        return _Comparison(policy).same(left, right)
    except (_TooMany, RecursionError):
        return False


class _TooMany(Exception):
    """The comparison has no end in sight."""


class _Comparison:
    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._left = PARTS_COMPARED_MAX

    def same(self, left: Value, right: Value) -> bool:
        # The stack is kept by hand: a value may have more levels than calls can be nested.
        levels = [iter([(left, right)])]
        while levels:
            pair = next(levels[-1], None)
            if pair is None:
                levels.pop()
                continue
            self._left -= 1
            if self._left < 0:
                raise _TooMany
            parts = self._parts(*pair)
            if parts is None:
                return False
            if parts:
                levels.append(iter(parts))
        return True

    def _parts(self, left: Value, right: Value) -> Iterable[_Pair] | None:
        """The pairs that must be the same for two values to be the same; None if they are not."""
        left, right = content(left), content(right)
        if isinstance(left, bool | int | float | complex):
            is_number = isinstance(right, bool | int | float | complex)
            return () if is_number and _same_number(left, right, self._policy) else None
        if type(left) is not type(right):
            return None
        match left:
            case list() | tuple():
                return _in_order(cast("Sequence[Value]", left), right)
            case dict():
                return self._of_mapping(cast("dict[Value, Value]", left), right)
            case set():
                members = cast("set[Value]", left)
                same = self._paired_off(list(members - right), list(right - members))
                return () if same else None
            case Instance() if left.type_name == right.type_name:
                return _in_order(fields_by_name(left), fields_by_name(right))
            case Container() if left.type_name == right.type_name:
                return self._of_container(left, right)
            case Told() if left.type_name == right.type_name:
                return [(left.what, right.what)]
            case Iterated() if left.complete == right.complete:
                return _in_order(left.items, right.items)
            case Instance() | Container() | Told() | Iterated() | Opaque():
                return None
            case _:
                return () if left == right else None

    def _of_container(self, left: Container, right: Container) -> Iterable[_Pair] | None:
        if not self._policy.named and left.type_name in TABLES:
            return [(_nameless(left), _nameless(right))]
        one, other = _told_alike(left), _told_alike(right)
        if one is None or other is None or self._policy.ordered:
            return [(left.items, right.items)]
        return () if self._paired_off(one, other) else None

    def _of_mapping(
        self, left: dict[Value, Value], right: dict[Value, Value]
    ) -> Iterable[_Pair] | None:
        if self._policy.ordered:
            return _in_order([*left.items()], [*right.items()])
        common = [(left[key], right[key]) for key in left.keys() & right.keys()]
        rest = [(key, left[key]) for key in left.keys() - right.keys()]
        others = [(key, right[key]) for key in right.keys() - left.keys()]
        if not rest and not others:
            return common
        # Pairing off comes last, because it takes longest.
        same = all(self.same(*pair) for pair in common) and self._paired_off(rest, others)
        return () if same else None

    def _paired_off(self, left: list[Value], right: list[Value]) -> bool:
        """Whether the items can be paired off as the same, whatever their order."""
        if len(left) != len(right):
            return False
        # In order, nearly every item is beside the one that it is closest to.
        pairs = zip(sorted(left, key=_place), sorted(right, key=_place), strict=True)
        return all(self.same(*pair) for pair in pairs) or self._matched(left, right)

    def _matched(self, left: list[Value], right: list[Value]) -> bool:
        """Whether the items can be paired off, by a maximum matching.

        An item that is close to two others is paired so that the rest can be paired, too. Pairing
        it with the first that comes would do for some orders only, and sets have their order by
        chance.
        """
        if len(left) > MATCHED_MAX:
            return False
        # Items on the left by their places on the right, and these places by the items.
        holders: dict[int, int] = {}
        places: dict[int, int] = {}
        close: list[list[int]] = []
        for start, newcomer in enumerate(left):
            close.append([n for n, other in enumerate(right) if self.same(newcomer, other)])
            # The item that asked for each place: the newcomer, or one whose place was asked for.
            asked: dict[int, int] = {}
            asking = [start]
            free = None
            while asking and free is None:
                item = asking.pop()
                for place in close[item]:
                    if place in asked:
                        continue
                    asked[place] = item
                    if place not in holders:
                        free = place
                        break
                    asking.append(holders[place])
            while free is not None:
                item = asked[free]
                holders[free] = item
                places[item], free = free, places.get(item)
            if start not in places:
                return False
        return True


def _nameless(table: Container) -> Value:
    """The parts of a table without names, as the sandbox's `values/numpy_pandas.py` has them."""
    parts = cast("list[Value]", table.items) if isinstance(table.items, list) else []
    match table.type_name, parts:
        case "pandas.DataFrame", [index, columns, *cells]:
            return [_unlabelled(index), _unlabelled(columns), *cells]
        case "pandas.Series", [_, labels, *column]:
            return [_unlabelled(labels), *column]
        case "pandas.Index" | "pandas.MultiIndex", [*_]:
            return _unlabelled(parts)
        case _:
            return cast("Value", table.items)


def _unlabelled(labels: Value) -> Value:
    """Labels without their name, or the names of their levels, with which they begin."""
    return cast("list[Value]", labels)[1:] if isinstance(labels, list) else labels


def _told_alike(value: Container) -> list[Value] | None:
    """The items of a set or dict in which several objects are told alike; None for any other."""
    items: object = value.items
    listed = value.type_name in _TOLD_ALIKE and isinstance(items, list)
    return cast("list[Value]", items) if listed else None


def _in_order(left: Sequence[Value], right: Sequence[Value]) -> Iterable[_Pair] | None:
    return zip(left, right, strict=True) if len(left) == len(right) else None


def _place(value: Value) -> tuple[Value, ...]:
    """The key that puts values in an order in which close values come together.

    Numbers and texts are placed by themselves, other values by their parts. Values that have no
    such parts may stand anywhere.
    """
    value = content(value)
    match value:
        case float() if math.isnan(value):
            return _ANYWHERE
        case int() | float():
            return ("number", value)
        case str():
            return ("text", value)
        case list() | tuple():
            return ("row", *map(_place, cast("Sequence[Value]", value)))
        case set():
            return ("set", *sorted(map(_place, cast("set[Value]", value))))
        case Instance():
            return ("object", value.type_name, *(_place(part) for _, part in fields_by_name(value)))
        case _:
            return _ANYWHERE


def fields_by_name(value: Instance) -> list[tuple[str, Value]]:
    """An object's fields in an order that does not tell which was set first."""
    return sorted(value.fields, key=itemgetter(0))


def content(value: Value) -> Value:
    """The plain value that a value is compared as.

    For another kind of set or dict, this is the set or dict with the same content. For a numpy
    number, it is the number, text or truth value that this stands for. For a moment, it is the
    moment without its zone's name, as it is printed.
    """
    if isinstance(value, frozenset):
        return set(cast("frozenset[Value]", value))
    if isinstance(value, Container):
        if value.type_name in _DICTS and type(value.items) is dict:
            return cast("dict[Value, Value]", value.items)
        if is_number_of_numpy(value.type_name, value.items):
            return value.items
    if isinstance(value, Scalar) and value.type_name in _MOMENTS:
        return Scalar(value.type_name, value.text.partition("[")[0])
    return value


def is_number_of_numpy(type_name: str, items: object) -> bool:
    """Whether a container of this name is numpy's form of a built-in number, text or truth value.

    It compares and is used like the built-in one.
    """
    return (
        type_name.startswith("numpy.")
        and not type_name.startswith("numpy.ndarray")
        and isinstance(items, bool | int | float | complex | str | bytes)
    )


def _same_number(left: complex, right: complex, policy: Policy) -> bool:
    if isinstance(left, complex) or isinstance(right, complex):
        try:
            a, b = complex(left), complex(right)
        except OverflowError:  # as below
            return False
        return _same_number(a.real, b.real, policy) and _same_number(a.imag, b.imag, policy)
    if left == right:
        return True
    if not (isinstance(left, float) or isinstance(right, float)):
        return False
    try:
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return math.isclose(
            left, right, rel_tol=policy.tolerance, abs_tol=policy.absolute_tolerance
        )
    except OverflowError:  # an int beyond the range of floats is close to no float
        return False
