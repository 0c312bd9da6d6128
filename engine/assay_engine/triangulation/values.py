"""The things that a term of a property can stand for, besides an ordinary value.

Paper, section 5.3 and figure 7. An ordinary value is whatever a program returned, as carried over
the sandbox's wall. Everything else has one of the types below, so that a program cannot forge it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from enum import Enum
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from assay_engine.triangulation.equality import Listed
from assay_sandbox import Value

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
