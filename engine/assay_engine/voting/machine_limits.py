"""Decides which inputs are too large to accuse a function that runs into our limits on them.

The machine and the settings limit how deep calls nest, how long they take and how much memory they
need. The docstring knows nothing of these limits: `n * fact(n - 1)` is right, and on every machine
some n is too large for it. On such an input the function was not seen to do anything, and the
input does not count.

But a function that never ends is wrong. It is recognised if it runs into a limit on an input whose
size is no reason for that: on an input that somebody meant, on one that is no larger than those, or
on a small one. The cost: a function that never ends, or takes too long, only on large inputs is not
found out unless somebody proposes such an input.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Collection, Iterable

from msgspec import Struct

from assay_engine.inputs.material import slots_of
from assay_engine.values.parts import nodes_of
from assay_sandbox import Call, Observation, OutOfMemory, OutputExceeded, Raised, TimedOut, Value


class Extent(Struct, frozen=True):
    """The size of inputs: the largest magnitude of a number, and how many values and characters.

    Numbers, values and characters are counted at any depth.
    """

    magnitude: float
    items: int

    def covers(self, other: Extent) -> bool:
        return other.magnitude <= self.magnitude and other.items <= self.items


# An input of this extent is small. A function that needs a thousand nested calls or a second for it
# will not come to an end.
SMALL = Extent(10, 10)


def extent_of(call: Call) -> Extent:
    values = [node for slot in slots_of(call) for node in nodes_of(slot)]
    if call.scene is not None:
        values += [content for _, content in call.scene.files]
    texts = (len(value) for value in values if isinstance(value, str | bytes))
    return Extent(max(map(_magnitude, values), default=0), len(values) + sum(texts))


def reach(calls: Iterable[Call]) -> Extent:
    """The largest extent of these calls in either measure, and at least that of a small input."""
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
    """The magnitude of a number; 0 for all other values, and for NaN."""
    if not isinstance(value, int | float | complex):
        return 0
    try:
        return 0 if cmath.isnan(value) else abs(value)
    except OverflowError:  # beyond the range of floats
        return abs(value) if isinstance(value, int) else math.inf
