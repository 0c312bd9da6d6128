"""Majority0.5: plurality voting that abstains unless the class holds half of all samples.

Samples that crash are in no class, but they count among all samples.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay_engine.selection.plurality import plurality


def majority(equivalent: Sequence[Collection[int]]) -> tuple[int, ...]:
    """The members of a class with at least half of the samples; none if there is no such class."""
    members = plurality(equivalent)
    return members if 2 * len(members) >= len(equivalent) else ()
