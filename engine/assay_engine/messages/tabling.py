"""Chooses the inputs that show best how programs agree and part, to be told in a table.

Finds the input with the least agreement among programs, to show it in a report.

If a function is found right, the report shows who differs from it. If nothing is found, the report
shows on which input the candidates part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay_engine.messages.findings import witness_of
from assay_engine.types import MEANT, Input, Separation, Status, Verdict, Witness
from assay_engine.values.carried import call_key
from assay_engine.values.describing import VALUE_CHARACTERS
from assay_engine.voting.evidence import Evidence
from assay_engine.voting.votes import Standing, Vote

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


_PARTED = (Standing.UNDECIDED, Standing.SPLIT)


def dissent(evidence: Evidence, verdict: Verdict) -> Witness | None:
    """The input on which the fewest programs agree, and what every program does there.

    If the function is found right, this is the input on which the fewest candidates agree with it;
    among several, one that somebody meant. If candidates part and no verdict follows, it is the
    input on which the fewest candidates agree with each other; inputs that somebody meant come
    first. None if all agree, and for any other verdict. A made-up input that shows a difference
    where the meant ones show none comes before all others.
    """
    if evidence.unmeant is not None and verdict.status in (Status.TRUSTED, Status.ABSTAINED):
        return witness_of(evidence.unmeant.separation, evidence.specification)
    if not evidence.is_deterministic:
        return None
    pairs = zip(evidence.inputs, evidence.votes, strict=True)
    match verdict.status:
        case Status.TRUSTED:
            # Solutions of transformed problems may show a function right although candidates
            # differ.
            shown = [
                ((_share(vote), entry.origin not in MEANT), entry, vote)
                for entry, vote in pairs
                if vote.standing in (Standing.AGREES, Standing.SPLIT) and vote.leading.is_original
            ]
        case Status.ABSTAINED:
            shown = [
                ((entry.origin not in MEANT, _share(vote)), entry, vote)
                for entry, vote in pairs
                if vote.standing in _PARTED
            ]
        case _:
            return None
    return _first(shown, evidence)


def _first(
    shown: Sequence[tuple[tuple[float, float], Input, Vote]], evidence: Evidence
) -> Witness | None:
    if not shown:
        return None
    _, entry, vote = min(shown, key=lambda each: (*each[0], len(call_key(each[1].call))))
    if _share(vote) == 1.0:
        return None
    separation = Separation(entry, vote.behaviours, vote.total)
    return witness_of(separation, evidence.specification)


def _share(vote: Vote) -> float:
    return vote.leading.weight / vote.total
