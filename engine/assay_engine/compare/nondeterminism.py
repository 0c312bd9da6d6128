"""Finds named parts of an answer that differ from run to run (an id, a moment), to ignore them.

Two runs with the same seeds draw the same numbers from `random`. A part that differs all the same
comes from the clock or from the system's own entropy. Its value is nobody's fault, but its presence
and its type may be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias, cast

from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.policy import Policy
from assay_engine.compare.same_values import same_value
from assay_engine.values.carried import call_key, value_of
from assay_engine.values.parts import nodes_of
from assay_sandbox import (
    Call,
    Container,
    Instance,
    Observation,
    Program,
    Raised,
    Returned,
    Scalar,
    Told,
    Value,
    encode,
)

# A place in an observation: its part, and the path from there by indices, keys and fields.
Place: TypeAlias = tuple[str | int, ...]
Places: TypeAlias = frozenset[Place]

_VALUE, _ARGUMENTS = "value", "args_after"
# The word that replaces such a value: ``<uuid.UUID: varies>``.
_VARIES = "varies"


# The word that stands somewhere in every program that draws, or is given something to draw from.
_CHANCE = "random"


class _Otherwise(Exception):
    """Raised if two runs differ in anything besides the values of named places."""


def may_draw(program: Program) -> bool:
    """Whether the program contains the word `random`, or may use modules of a project."""
    return _CHANCE in program.source or program.place is not None


def is_unsteady(one: Observation, other: Observation, policy: Policy) -> bool:
    """Whether two runs gave different answers.

    A missing answer, in time or at all, may be the machine's doing. Two answers of which neither
    can be compared are not known to be different.
    """
    answered = isinstance(one, Returned | Raised) and isinstance(other, Returned | Raised)
    comparable = same_behaviour(one, one, policy) or same_behaviour(other, other, policy)
    return answered and comparable and not same_behaviour(one, other, policy)


def varying_of(
    calls: Sequence[Call],
    first: Sequence[Observation],
    seeded: Sequence[Observation],
    again: Sequence[Observation],
    policy: Policy,
) -> dict[str, Places]:
    """The places not to be compared in the answers to a call, by the key of the call.

    `first` and `again` are from runs with the same seeds, `seeded` is from a run with others. All
    other parts of the answer in `seeded` have to be as in `first`. Calls whose answers are steady,
    or differ in other parts as well, are left out. A difference between values that the call was
    given is such a part: which of them the function took is part of its answer.
    """
    found: dict[str, Places] = {}
    for call, one, other, third in zip(calls, first, seeded, again, strict=True):
        if not is_unsteady(one, other, policy):
            continue
        if not isinstance(one, Returned | Raised) or not isinstance(third, Returned | Raised):
            continue
        ours, theirs = _parts(one), _parts(third)
        if ours.keys() != theirs.keys():
            continue
        given = [node for value in call.values for node in nodes_of(value)]
        alike = partial(same_value, policy=policy)
        try:
            places = frozenset(
                place
                for part in ours
                for place in _differing((part,), ours[part], theirs[part], given, alike)
            )
        except _Otherwise:
            continue
        if places and same_behaviour(without(one, places), without(other, places), policy):
            found[call_key(call)] = places
    return found


def without(observation: Observation, places: Places) -> Observation:
    """The observation with each value in these places reduced to its type."""
    if not places or not isinstance(observation, Returned | Raised):
        return observation
    texts = {
        part: encode(_blurred(value, [place[1:] for place in places if place[0] == part]))
        for part, value in _parts(observation).items()
    }
    after = texts.get(_ARGUMENTS)
    if isinstance(observation, Returned):
        return replace(observation, value=texts[_VALUE], args_after=after)
    return replace(observation, args_after=after)


def _parts(observation: Returned | Raised) -> dict[str, Value]:
    parts: dict[str, Value] = {}
    if isinstance(observation, Returned):
        parts[_VALUE] = value_of(observation.value)
    if observation.args_after is not None:
        parts[_ARGUMENTS] = value_of(observation.args_after)
    return parts


def _differing(
    place: Place,
    left: Value,
    right: Value,
    given: Sequence[Value],
    alike: Callable[[Value, Value], bool],
) -> Iterator[Place]:
    if alike(left, right):
        return
    ours, theirs = _beneath(left), _beneath(right)
    if ours and theirs and ours.keys() == theirs.keys():
        for step in ours:
            yield from _differing((*place, step), ours[step], theirs[step], given, alike)
        return
    kind = _kind(left)
    is_given = any(alike(each, left) or alike(each, right) for each in given)
    # The first step is not a name: it tells the part of the observation.
    is_named = len(place) > 1 and isinstance(place[-1], str)
    if not is_named or kind is None or kind != _kind(right) or is_given:
        raise _Otherwise
    yield place


def _beneath(value: Value) -> Mapping[str | int, Value]:
    """The contents of a value by index, key or field; nothing if a key is not a string."""
    match value:
        case list() | tuple():
            return dict(enumerate(cast("Sequence[Value]", value)))
        case dict():
            mapping = cast("dict[Value, Value]", value)
            return mapping if all(isinstance(key, str) for key in mapping) else {}
        case Instance():
            return dict(value.fields)
        case Container():
            return _beneath(value.items)
        case _:
            return {}


def _kind(value: Value) -> str | None:
    """The name of a value's type if the value can be an id or a moment, else None."""
    match value:
        case bool():
            return None
        case str() | int() | float():
            return type(value).__name__
        case Scalar():
            return value.type_name
        case _:
            return None


def _blurred(value: Value, places: Sequence[Place]) -> Value:
    """The value with a word for the type in each of the places that exist in it."""
    if () in places:
        kind = _kind(value)
        return value if kind is None else Told(kind, _VARIES)
    further: dict[str | int, list[Place]] = {}
    for step, *rest in places:
        further.setdefault(step, []).append(tuple(rest))
    if not further:
        return value
    match value:
        case list() | tuple():
            items = [
                _blurred(item, further.get(at, ()))
                for at, item in enumerate(cast("Sequence[Value]", value))
            ]
            return tuple(items) if isinstance(value, tuple) else items
        case dict():
            mapping = cast("dict[Value, Value]", value)
            return {key: _blurred(item, further.get(key, ())) for key, item in mapping.items()}
        case Instance():
            fields = ((name, _blurred(item, further.get(name, ()))) for name, item in value.fields)
            return Instance(value.type_name, tuple(fields))
        case Container():
            return Container(value.type_name, _blurred(value.items, places))
        case _:
            return value
