"""The things that a term of a property can stand for, besides an ordinary value.

Paper, section 5.3 and figure 7. An ordinary value is whatever a program returned, as carried over
the sandbox's wall. Everything else has one of the types below, so that a program cannot forge it.

Finite sets of values under the equality of `same_value`, without hashing the values.

Two values with the same key are equal. Two values with different keys can only be equal if one of
them holds a float, so exact values are compared by key, and only inexact values one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import Any, TypeAlias, TypeVar, cast

from msgspec import Struct

from assay_engine.compare.same_values import content, fields_by_name, same_value
from assay_sandbox import Container, Instance, Value, encode

_T = TypeVar("_T")


class Special(Enum):
    """An outcome that is no value. Weakest first."""

    UNDEFINED = "U"
    """The program says that the input is invalid."""
    ANGELIC = "A"
    """Nobody can tell: tolerated, as long as it does not happen too often."""
    DEMONIC = "D"
    """A crash, a timeout, nonsense: agrees with nothing, itself included."""


class Unknown(Enum):
    """A call that has not been made yet. Never part of a verdict."""

    PENDING = "pending"


class Truth(Enum):
    """A truth value that also says whether anything was compared to get it.

    `VACUOUS` is true for want of a counterexample: ``U = U``, an empty domain, a false premise.
    """

    TRUE = "true"
    VACUOUS = "vacuously true"
    FALSE = "false"


class FullAnswer(Struct, frozen=True):
    """An answer that lists all values there are."""

    listed: Listed


class PartialAnswer(Struct, frozen=True):
    """An answer that is marked as a subset: it lists some of the values, and nobody listed all."""

    listed: Listed


Answer: TypeAlias = FullAnswer | PartialAnswer
# Any, because a term can be an ordinary value, that is whatever a program returned.
Term: TypeAlias = Any
Judgement: TypeAlias = Truth | Special | Unknown
Arguments: TypeAlias = tuple[Value, ...]
Function: TypeAlias = Callable[..., Term]

DEMONIC, ANGELIC, UNDEFINED = Special.DEMONIC, Special.ANGELIC, Special.UNDEFINED
PENDING = Unknown.PENDING
TRUE, VACUOUS, FALSE = Truth.TRUE, Truth.VACUOUS, Truth.FALSE

# A pending call may yet turn out demonic, so only D is stronger.
_STRONGEST_FIRST = (DEMONIC, PENDING, ANGELIC, UNDEFINED)


def strongest(terms: Iterable[Term]) -> Special | Unknown | None:
    """The strongest special value among the terms, D > A > U; None if all are ordinary."""
    found = [term for term in terms if isinstance(term, Special | Unknown)]
    return first_of(_STRONGEST_FIRST, found) if found else None


def first_of(order: Iterable[_T], found: Collection[object]) -> _T | None:
    """The first member of `order` that is in `found`."""
    return next((each for each in order if each in found), None)


class Listed(Struct, frozen=True):
    """Values in the order in which they were listed, each once."""

    values: tuple[Value, ...]
    keys: frozenset[str]
    inexact: tuple[Value, ...]

    def __contains__(self, value: Value) -> bool:
        if key(value) in self.keys:
            return True
        candidates = self.values if _is_inexact(value) else self.inexact
        return any(same_value(value, each) for each in candidates)

    def meets(self, other: Listed) -> bool:
        """Whether a value is listed in both."""
        return (
            not self.keys.isdisjoint(other.keys)
            or any(value in other for value in self.inexact)
            or any(value in self for value in other.inexact)
        )


def listed(values: Iterable[Value]) -> Listed:
    unique: dict[str, Value] = {}
    for value in values:
        unique.setdefault(key(value), value)
    ordered = tuple(unique.values())
    return Listed(ordered, frozenset(unique), tuple(filter(_is_inexact, ordered)))


def key(value: Value) -> str:
    """A text that is the same for values that are equal without any tolerance."""
    value = content(value)
    match value:
        case bool() | int():
            return f"{int(value):x}"
        case float():
            return f"{int(value):x}" if value.is_integer() else repr(value)
        case complex():
            return f"{key(value.real)}+{key(value.imag)}j" if value.imag else key(value.real)
        case list():
            return f"[{_keys(cast('list[Value]', value))}]"
        case tuple():
            return f"({_keys(cast('tuple[Value, ...]', value))})"
        case set():
            members = cast("set[Value]", value)
            return f"set<{','.join(sorted(map(key, members)))}>"
        case dict():
            items = cast("Mapping[Value, Value]", value).items()
            return f"{{{','.join(sorted(f'{key(k)}:{key(v)}' for k, v in items))}}}"
        case Instance():
            fields = (f"{encode(name)}:{key(item)}" for name, item in fields_by_name(value))
            return f"{encode(value.type_name)}({','.join(fields)})"
        case Container():
            return f"{encode(value.type_name)}<{key(value.items)}>"
        case _:
            return encode(value)


def _keys(values: Iterable[Value]) -> str:
    return ",".join(map(key, values))


def _is_inexact(value: Value) -> bool:
    """Whether the value holds a float (not NaN), so that it may equal a value with another key."""
    match value:
        case float() | complex():
            return not math.isnan(value.real)
        case list() | tuple() | set() | frozenset():
            return any(map(_is_inexact, cast("Iterable[Value]", value)))
        case dict():
            mapping = cast("Mapping[Value, Value]", value)
            return any(_is_inexact(part) for pair in mapping.items() for part in pair)
        case Instance():
            return any(_is_inexact(item) for _, item in value.fields)
        case Container():
            return _is_inexact(value.items)
        case _:
            return False
