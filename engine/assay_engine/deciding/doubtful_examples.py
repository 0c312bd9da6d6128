"""Which examples of a docstring are likelier to be wrong than the function that fails them."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.deciding.statistics import is_consensus
from assay_engine.types import ExampleFailure


def doubted(
    failures: Sequence[ExampleFailure],
) -> tuple[tuple[ExampleFailure, ...], tuple[ExampleFailure, ...]]:
    """The failures that speak against the function, and those that speak against the example."""
    return (
        tuple(each for each in failures if not _is_doubtful(each)),
        tuple(each for each in failures if _is_doubtful(each)),
    )


def _is_doubtful(failure: ExampleFailure) -> bool:
    """Whether a consensus of candidates returns what the function does, and none meets the example.

    All candidates were shown it. One that meets it is a sign that it can be met, and that the
    others share the function's mistake. If none does they may share it still: how often is in
    docs/findings/ASY203.md, and it is why such a function is not trusted.
    """
    return failure.candidates_passing == 0 and is_consensus(
        failure.candidates_agreeing, failure.candidates_total
    )
