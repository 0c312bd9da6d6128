"""Who does otherwise than a function that is found right, and on which input."""

from __future__ import annotations

from assay_engine.deciding.evidence import Evidence
from assay_engine.deciding.voting import Standing
from assay_engine.inputs.choose import call_key
from assay_engine.saying.explaining import witness_of
from assay_engine.types import MEANT, Separation, Status, Verdict, Witness


def dissent(evidence: Evidence, verdict: Verdict) -> Witness | None:
    """The input on which fewest candidates agree with a function that is found right, one that
    somebody meant if there is one, and what everybody does there; None where all agree."""
    if verdict.status is not Status.TRUSTED:
        return None
    agreeing = [
        (vote.leading.weight / vote.total, entry.origin not in MEANT, len(call_key(entry.call)), at)
        for at, (entry, vote) in enumerate(zip(evidence.inputs, evidence.votes, strict=True))
        if vote.standing in (Standing.AGREES, Standing.SPLIT) and vote.leading.original
    ]
    # By solutions of transformed problems it may be found right although candidates differ.
    share, *_, at = min(agreeing, default=(1.0, 0))
    if share == 1.0:
        return None
    vote = evidence.votes[at]
    separation = Separation(evidence.inputs[at], vote.behaviours, vote.total)
    return witness_of(separation, evidence.specification)
