"""A bound on the numbers that a parameter is given."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import cast

from assay_engine.inputs.preconditions.condition import OfOne
from assay_sandbox import Value


class Bound(OfOne, frozen=True):
    """A bound that every number in the argument of one parameter keeps."""

    least: float = -math.inf
    most: float = math.inf
    least_counts: bool = True
    most_counts: bool = True

    @property
    def told(self) -> str:
        limits = [
            f"{'at least' if self.least_counts else 'above'} {self.least:.15g}",
            f"{'at most' if self.most_counts else 'below'} {self.most:.15g}",
        ]
        said = [limits[0]] * (self.least > -math.inf) + [limits[1]] * (self.most < math.inf)
        return f"{self.name} is {' and '.join(said)}"

    def holds(self, value: Value) -> bool:
        """Whether the value, or every number in a container, is within the bound.

        A value without numbers is. NaN is within no bound.
        """
        if isinstance(value, bool):
            return True
        if isinstance(value, int | float):
            low = self.least < value or (self.least_counts and value == self.least)
            return low and (value < self.most or (self.most_counts and value == self.most))
        if isinstance(value, list | tuple | set | frozenset):
            return all(map(self.holds, cast("Iterable[Value]", value)))
        return True
