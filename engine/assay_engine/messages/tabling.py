"""Chooses the inputs that show best how programs agree and part, to be told in a table.

Finds the input with the least agreement among programs, to show it in a report.

If a function is found right, the report shows who differs from it. If nothing is found, the report
shows on which input the candidates part.
"""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from assay_engine.compare.evidence import Evidence
from assay_engine.compare.votes import Standing, Vote
from assay_engine.messages.findings import witness_of
from assay_engine.types import Status, Verdict, Witness
from assay_engine.values.carried import call_key
from assay_engine.values.describing import VALUE_CHARACTERS

INPUTS_TOLD = 20
# Of one input. What the function itself did is always among them.
OUTCOMES_TOLD = 12


def tabled(evidence: Evidence) -> tuple[Witness, ...]:
    """The inputs that count and tell most, at most `INPUTS_TOLD`, with values cut.

    Of each way in which the programs part, or do not, the shortest inputs are taken in turn.
    Those on which the programs part come first.
    """
    counted = sorted(evidence.counted, key=lambda vote: len(call_key(vote.input.call)))
    seen = Counter[object]()
    ranked: list[tuple[int, bool, Vote]] = []
    for vote in counted:
        parting = tuple((each.is_original, each.candidates) for each in vote.behaviours)
        told = [*vote.behaviours[:OUTCOMES_TOLD]]
        if vote.original not in told:
            told[-1] = vote.original
        shown = replace(vote, behaviours=tuple(told))
        ranked.append((seen[parting], len(parting) == 1, shown))
        seen[parting] += 1
    ranked.sort(key=lambda each: each[:2])
    chosen = sorted(ranked[:INPUTS_TOLD], key=lambda each: each[1])
    return tuple(
        witness_of(shown, evidence.specification, VALUE_CHARACTERS) for _, _, shown in chosen
    )


_PARTED = (Standing.UNDECIDED, Standing.SPLIT)


def dissent(evidence: Evidence, verdict: Verdict) -> Witness | None:
    """The input on which the fewest programs agree, and what every program does there.

    If the function is found right, this is the input on which the fewest candidates agree with it.
    If candidates part and no verdict follows, it is the input on which the fewest candidates agree
    with each other. None if all agree, and for any other verdict.
    """
    if not evidence.is_deterministic:
        return None
    match verdict.status:
        case Status.TRUSTED:
            # Solutions of transformed problems may show a function right although candidates
            # differ.
            divided = [
                vote
                for vote in evidence.votes
                if vote.standing in (Standing.AGREES, Standing.SPLIT) and vote.leading.is_original
            ]
        case Status.ABSTAINED:
            divided = [vote for vote in evidence.votes if vote.standing in _PARTED]
        case _:
            return None
    divided = [vote for vote in divided if _share(vote) < 1.0]
    if not divided:
        return None
    least = min(divided, key=lambda vote: (_share(vote), len(call_key(vote.input.call))))
    return witness_of(least, evidence.specification)


def _share(vote: Vote) -> float:
    return vote.leading.weight / vote.total
