"""Which inputs are too large to hold a function to, if it runs into a limit of ours on them.

How deep calls nest, how long they take and how much memory they need is bounded by the machine and
by settings, and the docstring knows nothing of it: `n * fact(n - 1)` is right, and on every machine
some n is too large for it. On such an input the function was not seen to do anything, and the
input does not count.

But a function that never ends is wrong. It is told by running into a limit where the input is no
reason for it: on one that somebody meant, on one that is no larger than those, or on a small one.
What that costs: a function that never ends, or takes too long, on large inputs only is not found
out unless somebody proposes one.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Collection, Iterable

from msgspec import Struct

from assay_engine.inputs.material import slots_of
from assay_engine.inputs.parts import nodes_of
from assay_sandbox import (
    Call,
    Observation,
    OutOfMemory,
    OutputExceeded,
    Raised,
    TimedOut,
    Value,
)


class Extent(Struct, frozen=True):
    """How large inputs are: the largest magnitude of a number, and how many values and characters
    there are, at any depth."""

    magnitude: float
    items: int

    def covers(self, other: Extent) -> bool:
        return other.magnitude <= self.magnitude and other.items <= self.items


# Whoever needs a thousand nested calls or a second for so little gets nowhere.
SMALL = Extent(10, 10)


def extent_of(call: Call) -> Extent:
    values = [node for slot in slots_of(call) for node in nodes_of(slot)]
    if call.scene is not None:
        values += [content for _, content in call.scene.files]
    texts = (len(value) for value in values if isinstance(value, str | bytes))
    return Extent(max(map(_magnitude, values), default=0), len(values) + sum(texts))


def reach(calls: Iterable[Call]) -> Extent:
    """What the largest of these calls covers, in either measure, and what is small anyway."""
    extents = [SMALL, *map(extent_of, calls)]
    return Extent(
        max(extent.magnitude for extent in extents), max(extent.items for extent in extents)
    )


def ran_into_limit(observation: Observation, documented: Collection[str]) -> bool:
    match observation:
        case TimedOut() | OutOfMemory() | OutputExceeded():
            return True
        case Raised():
            names = (observation.type_name, *observation.lineage)
            return "RecursionError" in names and observation.type_name not in documented
        case _:
            return False


def _magnitude(value: Value) -> float:
    """Of numbers; 0 of all else, and of what is no number."""
    if not isinstance(value, int | float | complex):
        return 0
    try:
        return 0 if cmath.isnan(value) else abs(value)
    except OverflowError:  # beyond the range of floats
        return abs(value) if isinstance(value, int) else math.inf
