"""Who does otherwise than a function that is found right, and on which input candidates part where
nothing is found."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.deciding.evidence import Evidence
from assay_engine.deciding.voting import Standing, Vote
from assay_engine.running.call_keys import call_key
from assay_engine.saying.explaining import witness_of
from assay_engine.types import MEANT, Input, Separation, Status, Verdict, Witness

_PARTED = (Standing.UNDECIDED, Standing.SPLIT)


def dissent(evidence: Evidence, verdict: Verdict) -> Witness | None:
    """The input on which fewest agree, and what everybody does there.

    Of a function that is found right: on which fewest candidates agree with it, one that somebody
    meant if there are several; None where all agree. Where candidates part and nothing follows: on
    which fewest of them agree with each other, one that somebody meant before all others.
    """
    if not evidence.is_deterministic:
        return None
    pairs = zip(evidence.inputs, evidence.votes, strict=True)
    match verdict.status:
        case Status.TRUSTED:
            # By solutions of transformed problems it may be found right although candidates differ.
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
