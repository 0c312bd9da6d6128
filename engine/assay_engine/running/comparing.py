"""When two observations are the same behaviour.

Observational and deep. A program has no say in it: values are compared as they were carried over,
never by a method of their own.

- Numbers compare as Python's ``==`` does across bool, int, float and complex, with floats equal
  within `RELATIVE_TOLERANCE` or `ABSOLUTE_TOLERANCE` at any depth; NaN equals NaN. A number of
  numpy is that number; its arrays differ from lists, and by the type of their items.
- Sets and dicts compare by content, frozen or not, counters and ordered or defaulting dicts
  included, as ``==`` does; lists and tuples in order, and differ from each other.
- Objects compare by class name and by their fields' names and values, whatever was set first;
  iterators by what they yielded, whatever their class.
- Exceptions compare by type (`normalised` first maps them to the documented type that they are or
  derive from).
- Printed output, arguments changed in place and files of the scene are part of the behaviour. How
  often a mock was called, and with what, is not: that is how a program gets there.
- Programs that cannot be loaded are alike, whatever the reason. A value that cannot be carried
  equals nothing.

Where no tolerance is involved this is an equivalence relation (property-tested).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import cast

from assay_engine.running.carried import value_of
from assay_sandbox import (
    Container,
    Crashed,
    Encoded,
    Instance,
    Iterated,
    LoadFailed,
    Observation,
    Opaque,
    OutOfMemory,
    OutputExceeded,
    Raised,
    Refused,
    Returned,
    Scalar,
    TimedOut,
    Told,
    Value,
)

RELATIVE_TOLERANCE = 1e-9
ABSOLUTE_TOLERANCE = 1e-12
# Pairing off takes quadratic time and is only needed for what is equal within tolerance.
PAIRED_OFF_MAX = 1000
_MOMENTS = frozenset({"datetime.datetime", "datetime.time"})
# What differs from a dict in how it is used, and not in what it holds.
_DICTS = frozenset({"collections.Counter", "collections.OrderedDict", "collections.defaultdict"})


def same_behaviour(
    left: Observation, right: Observation, tolerance: float = RELATIVE_TOLERANCE
) -> bool:
    """Whether nobody outside could tell the two apart.

    `tolerance`: the relative difference of floats that counts for none.
    """
    match left, right:
        case Returned(), Returned():
            return (
                left.stdout == right.stdout
                and _same_text(left.value, right.value, tolerance)
                and _same_text(left.args_after, right.args_after, tolerance)
                and _same_text(left.files_after, right.files_after, tolerance)
            )
        case Raised(), Raised():
            return (
                left.type_name == right.type_name
                and left.stdout == right.stdout
                and _same_text(left.args_after, right.args_after, tolerance)
                and _same_text(left.files_after, right.files_after, tolerance)
            )
        case Refused(), Refused():
            return left.what == right.what
        case (
            (LoadFailed(), LoadFailed())
            | (TimedOut(), TimedOut())
            | (OutOfMemory(), OutOfMemory())
            | (OutputExceeded(), OutputExceeded())
            | (Crashed(), Crashed())
        ):
            return True
        case _:  # different kinds, or a value that cannot be carried
            return False


def normalised(observation: Observation, documented: Collection[str]) -> Observation:
    """The observation with an exception named as the documented type it is or derives from, if any.

    A docstring names a type as it is imported, an observation by the module that defines it
    (``InvalidOperation``, ``json.JSONDecodeError``): the last part has to be the same.
    """
    if not isinstance(observation, Raised) or observation.type_name in documented:
        return observation
    by_last_part = {name.rpartition(".")[2]: name for name in documented}
    for kind in (observation.type_name, *observation.lineage):
        name = kind if kind in documented else by_last_part.get(kind.rpartition(".")[2])
        if name is not None:
            return replace(observation, type_name=name)
    return observation


def partition(
    observations: Sequence[Observation], tolerance: float = RELATIVE_TOLERANCE
) -> tuple[tuple[int, ...], ...]:
    """Indices grouped by behaviour, in order of first appearance.

    Each observation is compared with the first member of a group, so that tolerance cannot chain
    a group across a distance. One that equals nothing is in a group of its own.
    """
    groups: list[list[int]] = []
    # By identity: a sandbox gives one object for equal values of a run, so most are known.
    known: dict[int, list[int]] = {}
    for index, observation in enumerate(observations):
        group: list[int] | None
        group = known.get(id(observation)) or _alike(observations, index, groups, tolerance)
        if group is None:
            group = []
            groups.append(group)
        group.append(index)
        if len(group) > 1 or same_behaviour(observation, observation, tolerance):
            known[id(observation)] = group
    return tuple(tuple(group) for group in groups)


def _alike(
    observations: Sequence[Observation], index: int, groups: Sequence[list[int]], tolerance: float
) -> list[int] | None:
    for group in groups:
        if same_behaviour(observations[group[0]], observations[index], tolerance):
            return group
    return None


def _same_text(left: Encoded | None, right: Encoded | None, tolerance: float) -> bool:
    if left is None or right is None:
        return left is right
    # Equal canonical text is equal value, except where something in it equals nothing.
    if left == right and '"opaque"' not in left:
        return True
    return same_value(value_of(left), value_of(right), tolerance)


def same_value(left: Value, right: Value, tolerance: float = RELATIVE_TOLERANCE) -> bool:
    """Deep equality of two decoded values. Decoding has bounded their depth."""
    left, right = content(left), content(right)
    if isinstance(left, bool | int | float | complex):
        return isinstance(right, bool | int | float | complex) and _same_number(
            left, right, tolerance
        )
    if type(left) is not type(right):
        return False
    match left:
        case list() | tuple():
            return _same_items(cast(Sequence[Value], left), right, tolerance)
        case dict():
            return _same_mapping(cast("dict[Value, Value]", left), right, tolerance)
        case set():
            members = cast("set[Value]", left)
            return _paired_off(list(members - right), list(right - members), tolerance)
        case Instance():
            return left.type_name == right.type_name and _same_items(
                fields_by_name(left), fields_by_name(right), tolerance
            )
        case Container():
            return left.type_name == right.type_name and same_value(
                left.items, right.items, tolerance
            )
        case Told():
            return left.type_name == right.type_name and same_value(
                left.what, right.what, tolerance
            )
        case Iterated():
            return left.complete == right.complete and _same_items(
                left.items, right.items, tolerance
            )
        case Opaque():
            return False
        case _:
            return bool(left == right)


def fields_by_name(value: Instance) -> list[tuple[str, Value]]:
    """An object's fields in an order that does not tell which was set first."""
    return sorted(value.fields, key=itemgetter(0))


def content(value: Value) -> Value:
    """The set or dict with the same content, for what is another kind of set or dict; the number,
    text or truth that a number of numpy is; and the moment without its zone's name, as it is
    printed."""
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
    """Whether a container of this name is what numpy has in the place of a built-in number, text
    or truth, which compares and is used as that is."""
    return (
        type_name.startswith("numpy.")
        and not type_name.startswith("numpy.ndarray")
        and isinstance(items, bool | int | float | complex | str | bytes)
    )


def _same_mapping(left: dict[Value, Value], right: dict[Value, Value], tolerance: float) -> bool:
    if not all(same_value(left[key], right[key], tolerance) for key in left.keys() & right.keys()):
        return False
    rest = [(key, left[key]) for key in left.keys() - right.keys()]
    return _paired_off(rest, [(key, right[key]) for key in right.keys() - left.keys()], tolerance)


def _same_number(left: complex, right: complex, tolerance: float) -> bool:
    if isinstance(left, complex) or isinstance(right, complex):
        try:
            a, b = complex(left), complex(right)
        except OverflowError:  # as below
            return False
        return _same_number(a.real, b.real, tolerance) and _same_number(a.imag, b.imag, tolerance)
    if left == right:
        return True
    if not (isinstance(left, float) or isinstance(right, float)):
        return False
    try:
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return math.isclose(left, right, rel_tol=tolerance, abs_tol=ABSOLUTE_TOLERANCE)
    except OverflowError:  # an int beyond the range of floats is close to no float
        return False


def _same_items(left: Sequence[Value], right: Sequence[Value], tolerance: float) -> bool:
    return len(left) == len(right) and all(
        same_value(a, b, tolerance) for a, b in zip(left, right, strict=True)
    )


def _paired_off(left: list[Value], right: list[Value], tolerance: float) -> bool:
    """Whether the items can be paired off as equal, whatever their order.

    An item that is close to two is paired so that the rest can be, too (a maximum matching): the
    first that comes would do for some orders only, and sets have theirs by chance.
    """
    if len(left) != len(right) or len(left) > PAIRED_OFF_MAX:
        return False
    # Items on the left by their places on the right, and the other way round.
    holders: dict[int, int] = {}
    places: dict[int, int] = {}
    close: list[list[int]] = []
    for start, newcomer in enumerate(left):
        close.append([n for n, other in enumerate(right) if same_value(newcomer, other, tolerance)])
        # Who asked for each place: the newcomer, or one whose own place was asked for.
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
