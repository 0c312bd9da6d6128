"""Voting: the largest class of samples that do the same, or the most tests passed.

A special case of consensus in which samples are witnesses of each other (paper, proposition 4.4).
Samples that crash are in no class, but they count among all samples.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay_engine.methods.triangulation.selection import behaviour_classes


def plurality(equivalent: Sequence[Collection[int]]) -> tuple[int, ...]:
    """The members of the largest class; none if no sample does anything."""
    return next(iter(behaviour_classes(equivalent)), ())


def majority(equivalent: Sequence[Collection[int]]) -> tuple[int, ...]:
    """The members of a class with at least half of the samples; none if there is no such class.

    Majority0.5 of the paper.
    """
    members = plurality(equivalent)
    return members if 2 * len(members) >= len(equivalent) else ()


def max_test(passed: Sequence[Collection[int]]) -> int | None:
    """The first of the samples that pass the most tests; None if no test is passed."""
    best = max(range(len(passed)), key=lambda index: len(set(passed[index])), default=None)
    return best if best is not None and passed[best] else None
