"""Two stages: witnesses confirm enumerators, and these select among the programs.

Paper, section 5.1. The second stage alone would trust over-permissive enumerators.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from assay_engine.triangulation.evaluate import Agreement, Rounds, Subject, agreements
from assay_engine.triangulation.memo import Memo
from assay_engine.triangulation.properties import Points, Scheme


class Cascade(Struct, frozen=True):
    """`confirming` relates enumerators to witnesses, `selecting` programs to enumerators."""

    confirming: Scheme
    selecting: Scheme


def cascaded(
    cascade: Cascade,
    programs: Sequence[Subject],
    enumerators: Sequence[Subject],
    witnesses: Sequence[Subject],
    enumerated: Points,
    selected: Points,
    memo: Memo,
) -> Rounds[Agreement]:
    """For each program, the witnesses that confirm an enumerator of all the program's outputs.

    `enumerated` are the points of the first stage, made for the enumeration problem; `selected`
    are those of the second.
    """
    confirmed = yield from agreements(cascade.confirming, enumerators, witnesses, enumerated, memo)
    surviving = [index for index, found in enumerate(confirmed) if found]
    listing = yield from agreements(
        cascade.selecting, programs, [enumerators[index] for index in surviving], selected, memo
    )
    return tuple(
        tuple(sorted({q for position in found for q in confirmed[surviving[position]]}))
        for found in listing
    )
