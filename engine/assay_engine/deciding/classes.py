"""Groups candidates into classes that behaved alike on every input in the domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import eq

from msgspec.structs import replace

from assay_engine.deciding.voting import Standing, Vote
from assay_engine.types import Candidate, EquivalenceClass

_ORIGINAL = -1
# A report keeps no more of a program than this, of no more classes, and compares no more of them.
PROGRAM_CHARACTERS = 10_000
PROGRAMS_KEPT = 16
COMPARED_MAX = 40


def equivalence_classes(
    votes: Sequence[Vote], candidates: Sequence[Candidate]
) -> tuple[EquivalenceClass, ...]:
    """The classes by weight, heaviest first.

    If the original is alone, its class has no candidates.
    """
    counted = [vote for vote in votes if vote.standing is not Standing.OUTSIDE]
    groups: dict[tuple[int, ...], list[int]] = {}
    for index in (_ORIGINAL, *range(len(candidates))):
        signature = tuple(_position(vote, index) for vote in counted)
        groups.setdefault(signature, []).append(index)
    classes = [(_class(members, candidates), signature) for signature, members in groups.items()]
    classes.sort(key=lambda each: (-each[0].weight, each[0].members))
    compared = classes if len(classes) <= COMPARED_MAX else []
    return tuple(
        replace(
            entry,
            program=entry.program if place < PROGRAMS_KEPT else "",
            alike=tuple(sum(map(eq, own, other)) for _, other in compared),
        )
        for place, (entry, own) in enumerate(classes)
    )


def consensus_agreement(votes: Sequence[Vote], index: int) -> int:
    """How many inputs with a consensus there are on which this candidate is part of it."""
    settled = (vote for vote in votes if vote.standing in (Standing.AGREES, Standing.DIFFERS))
    return sum(index in vote.leading.candidates for vote in settled)


def _position(vote: Vote, index: int) -> int:
    for position, behaviour in enumerate(vote.behaviours):
        if (behaviour.is_original and index == _ORIGINAL) or index in behaviour.candidates:
            return position
    raise ValueError(f"candidate {index} has no observation")


def _class(members: Sequence[int], candidates: Sequence[Candidate]) -> EquivalenceClass:
    own = tuple(index for index in members if index != _ORIGINAL)
    return EquivalenceClass(
        members=own,
        weight=sum(candidates[index].weight for index in own),
        has_original=_ORIGINAL in members,
        program=candidates[own[0]].source[:PROGRAM_CHARACTERS] if own else "",
        models=Counter(model for index in own for model in candidates[index].models),
    )
