"""Finds the examples of a docstring that are likelier to be wrong than the function."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.deciding.statistics import is_consensus
from assay_engine.types import ExampleFailure


def doubted(
    failures: Sequence[ExampleFailure],
) -> tuple[tuple[ExampleFailure, ...], tuple[ExampleFailure, ...]]:
    """Split failures into those that speak against the function and those against the example."""
    return (
        tuple(each for each in failures if not _is_doubtful(each)),
        tuple(each for each in failures if _is_doubtful(each)),
    )


def _is_doubtful(failure: ExampleFailure) -> bool:
    """Whether a consensus of candidates returns what the function does, and none meets the example.

    All candidates were shown the example. A candidate that meets it is a sign that the example can
    be met, and that the other candidates share the function's mistake. Even if no candidate meets
    it, they may share that mistake, so such a function is not trusted. docs/findings/ASY203.md says
    how often this happens.
    """
    return failure.candidates_passing == 0 and is_consensus(
        failure.candidates_agreeing, failure.candidates_total
    )
