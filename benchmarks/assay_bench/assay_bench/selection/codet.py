"""Selection by generated tests: the most tests passed, and CodeT's dual agreement."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay_engine.selection import Consensus, ransac


def codet(passed: Sequence[Collection[int]]) -> Consensus | None:
    """The best block of samples and tests in which every sample passes every test.

    A sample's witnesses are the tests that it passes. `passed` holds their indices, by sample.
    """
    return ransac(passed)


def max_test(passed: Sequence[Collection[int]]) -> int | None:
    """The first of the samples that pass the most tests; None if no test is passed."""
    best = max(range(len(passed)), key=lambda index: len(set(passed[index])), default=None)
    return best if best is not None and passed[best] else None
