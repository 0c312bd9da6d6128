"""Drops witnesses that cannot tell right from wrong: the third clause, at the level of samples.

This is for exact problems only, where two right solutions cannot differ. The third clause does not
catch an over-permissive witness if the right outputs are missing. Such a witness is caught here
because it agrees with two samples that contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import combinations


def discriminating(
    agreement: Sequence[Collection[int]], contradict: Callable[[int, int], bool]
) -> tuple[tuple[int, ...], ...]:
    """The agreement (the witnesses of each sample) without witnesses of contradicting samples.

    `contradict` tells whether two samples return different values on some shared input.
    """
    by_witness: dict[int, list[int]] = {}
    for sample, witnesses in enumerate(agreement):
        for witness in sorted(set(witnesses)):
            by_witness.setdefault(witness, []).append(sample)
    # Many witnesses confirm the same samples, so test each set of samples only once.
    permissive = {
        members: any(contradict(left, right) for left, right in combinations(members, 2))
        for members in map(tuple, by_witness.values())
    }
    return tuple(
        tuple(each for each in sorted(set(found)) if not permissive[tuple(by_witness[each])])
        for found in agreement
    )
