"""Interprets the outcome of a run for a property: a value, an answer, or a special value.

Paper, section 5.3: a program that calls its input invalid is undefined there, and every other
failure is demonic. Calls that were not made for want of time are demonic, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import cast

from assay_engine.running.carried import value_of
from assay_engine.running.same_values import is_number_of_numpy
from assay_engine.triangulation.equality import listed
from assay_engine.triangulation.values import (
    DEMONIC,
    UNDEFINED,
    Answer,
    FullAnswer,
    PartialAnswer,
    Special,
    Term,
)
from assay_sandbox import (
    Container,
    Cycle,
    Instance,
    Iterated,
    Observation,
    Opaque,
    Raised,
    Returned,
    Told,
    Value,
)

# How the message of a ValueError that rejects an input begins, in any case. An accidental
# ValueError, from `int("x")` or `list.index`, is a bug and no claim about the input.
INVALID_INPUT = "invalid input"

# Containers that differ from a built-in one in how they are made, not in what they hold.
_PLAIN_CONTAINERS = frozenset(
    f"collections.{name}" for name in ("Counter", "OrderedDict", "defaultdict", "deque")
)

# Views of a dict that stays in its own process, so they cannot be given to another program.
_VIEWS = frozenset(("dict_keys", "dict_values", "dict_items"))

# A class made in a function is a new class at each call, so no other program can make its values.
_LOCAL = "<locals>"


class ResultKind(Enum):
    """How to interpret a program's return value."""

    VALUE = "value"
    ANSWER = "answer"


def outcome(observation: Observation) -> Value | Special:
    """What the program did, as a value or a special value."""
    match observation:
        case Returned():
            try:
                return _plain(value_of(observation.value))
            except RecursionError:  # a program forged the reply: no real value is this deep
                return DEMONIC
        case Raised() if _rejects_input(observation):
            return UNDEFINED
        case _:
            return DEMONIC


def read(found: Value | Special, kind: ResultKind) -> Term:
    if kind is ResultKind.VALUE or isinstance(found, Special):
        return found
    return answer(found)


def answer(value: Value) -> Answer | Special:
    """The set that a set-valued program returned; demonic if the value is no set.

    A list or a set is exhaustive unless paired with False: ``(False, [1, 2])``.
    """
    is_pair = isinstance(value, tuple)
    complete, values = _marked(cast("tuple[Value, ...]", value)) if is_pair else (True, value)
    if not isinstance(values, list | set | frozenset):
        return DEMONIC
    all_listed = listed(cast("Iterable[Value]", values))
    return FullAnswer(all_listed) if complete else PartialAnswer(all_listed)


def _marked(pair: tuple[Value, ...]) -> tuple[bool, Value]:
    """Whether all values are listed, and the values; None as values if it is no marked pair."""
    if len(pair) != 2 or not isinstance(pair[0], bool):
        return False, None
    return pair[0], pair[1]


def _rejects_input(raised: Raised) -> bool:
    if "ValueError" not in (raised.type_name, *raised.lineage):
        return False
    return raised.message.casefold().startswith(INVALID_INPUT)


def _plain(value: Value) -> Value | Special:
    """The value, in built-in types where possible; demonic if no other program can be given it."""
    match value:
        case list() | tuple() | set() | frozenset():
            return _all_plain(cast("Iterable[Value]", value), type(cast("list[Value]", value)))
        case dict():
            mapping = cast("Mapping[Value, Value]", value)
            return _all_plain(mapping.items(), dict)
        case Container(type_name=name, items=items):
            return _in_built_in_types(name, _plain(items))
        case Instance(type_name=name, fields=fields):
            if _LOCAL in name:
                return DEMONIC
            return _all_plain(fields, lambda plain: Instance(name, tuple(plain)))
        case Iterated() | Opaque() | Told() | Cycle():
            return DEMONIC
        case _:
            return value


def _all_plain(parts: Iterable[Value], rebuilt: Callable[[Iterable[Value]], Value]) -> Value:
    plain = [_plain(part) for part in parts]
    return DEMONIC if any(part is DEMONIC for part in plain) else rebuilt(plain)


def _in_built_in_types(name: str, held: Value | Special) -> Value | Special:
    if name in _VIEWS:
        return DEMONIC
    if held is DEMONIC or name in _PLAIN_CONTAINERS:
        return held
    if is_number_of_numpy(name, held):
        return held
    if name.startswith("numpy.ndarray:") and isinstance(held, list):
        parts = cast("list[Value]", held)
        # The parts are shape and items, if the worker wrote the list and not the program.
        if len(parts) > 1:
            return parts[1]
    return Container(name, held)
