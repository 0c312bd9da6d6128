"""Witnesses that cannot tell right from wrong are none: the third clause, at the level of samples.

For exact problems only, where two right solutions cannot differ. An over-permissive witness that
the third clause did not catch, for want of the right outputs, is caught by agreeing with both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import combinations


def discriminating(
    agreement: Sequence[Collection[int]], contradict: Callable[[int, int], bool]
) -> tuple[tuple[int, ...], ...]:
    """The agreement (by sample: its witnesses) without witnesses of samples that contradict.

    `contradict`: whether two samples return different values on some shared input.
    """
    by_witness: dict[int, list[int]] = {}
    for sample, witnesses in enumerate(agreement):
        for witness in sorted(set(witnesses)):
            by_witness.setdefault(witness, []).append(sample)
    # Many witnesses confirm the same samples.
    permissive = {
        members: any(contradict(left, right) for left, right in combinations(members, 2))
        for members in map(tuple, by_witness.values())
    }
    return tuple(
        tuple(each for each in sorted(set(found)) if not permissive[tuple(by_witness[each])])
        for found in agreement
    )
