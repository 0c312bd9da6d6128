"""Chooses the inputs that show best how programs agree and part, to be told in a table."""

from __future__ import annotations

from collections import Counter

from assay_engine.deciding.evidence import Evidence
from assay_engine.deciding.voting import Standing
from assay_engine.running.call_keys import call_key
from assay_engine.running.describing import VALUE_CHARACTERS
from assay_engine.saying.explaining import witness_of
from assay_engine.types import MEANT, Input, Separation, Witness

INPUTS_TOLD = 20
# Of one input. What the function itself did is always among them.
OUTCOMES_TOLD = 12


def tabled(evidence: Evidence) -> tuple[Witness, ...]:
    """The inputs that count and tell most, at most `INPUTS_TOLD`, with values cut.

    Of each way in which the programs part, or do not, the plainest inputs are taken in turn: those
    that somebody meant, and short ones. Those on which the programs part come first.
    """
    counted = [
        (entry, vote)
        for entry, vote in zip(evidence.inputs, evidence.votes, strict=True)
        if vote.standing is not Standing.OUTSIDE
    ]
    counted.sort(key=lambda each: _plainness(each[0]))
    seen = Counter[object]()
    ranked: list[tuple[int, bool, Separation]] = []
    for entry, vote in counted:
        parting = tuple((each.is_original, each.candidates) for each in vote.behaviours)
        told = [*vote.behaviours[:OUTCOMES_TOLD]]
        if vote.original not in told:
            told[-1] = vote.original
        separation = Separation(entry, tuple(told), vote.total)
        ranked.append((seen[parting], len(parting) == 1, separation))
        seen[parting] += 1
    ranked.sort(key=lambda each: each[:2])
    chosen = sorted(ranked[:INPUTS_TOLD], key=lambda each: each[1])
    return tuple(
        witness_of(separation, evidence.specification, VALUE_CHARACTERS)
        for _, _, separation in chosen
    )


def _plainness(entry: Input) -> tuple[bool, int]:
    return entry.origin not in MEANT, len(call_key(entry.call))
