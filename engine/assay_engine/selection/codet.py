"""Selection by generated tests: the most tests passed, and CodeT's dual agreement."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay_engine.selection.ransac import Consensus, ransac


def codet(passed: Sequence[Collection[int]]) -> Consensus | None:
    """Samples and tests that pass all of each other: a sample's witnesses are its tests.

    `passed`: by sample, the indices of the tests it passes.
    """
    return ransac(passed)


def max_test(passed: Sequence[Collection[int]]) -> int | None:
    """The first of the samples that pass the most tests; None if no test is passed."""
    best = max(range(len(passed)), key=lambda index: len(set(passed[index])), default=None)
    return best if best is not None and passed[best] else None
