"""The vote of the candidates on one input, and where the original stands.

Groups candidates into classes that behaved alike on every input in the domain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from enum import StrEnum
from operator import eq

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.behaviours import LENIENT, partition
from assay_engine.compare.domain import acceptance, accepts
from assay_engine.compare.same_values import Policy
from assay_engine.compare.statistics import is_consensus
from assay_engine.types import Behaviour, Candidate, EquivalenceClass, Input
from assay_sandbox import Observation


class Standing(StrEnum):
    """Where the original stands on one input.

    CONTRADICTED: candidates are divided, and the docstring is found to be against the original.
    """

    AGREES = "agrees"
    DIFFERS = "differs"
    ALONE = "alone"
    SPLIT = "split"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"
    OUTSIDE = "outside"


# The standings by which the original may be found wrong.
ACCUSING = (Standing.DIFFERS, Standing.ALONE, Standing.CONTRADICTED)


class Vote(Struct, frozen=True):
    """The behaviours on one input, out of `total` samples: accepting ones first, then by weight.

    A behaviour that only the original shows has weight 0 and comes last. `message` is that of the
    exception that the original raises, if it was always the same. `strictly` is the vote in
    which everything counts that can be observed. It is set only if the original differs there, and
    is not accused here: what the candidates agree on may be promised, or follow from how they get
    there.
    """

    input: Input
    standing: Standing
    behaviours: tuple[Behaviour, ...]
    total: int
    strictly: Vote | None = None
    message: str = ""

    @property
    def leading(self) -> Behaviour:
        return self.behaviours[0]

    @property
    def rival(self) -> Behaviour:
        """The first behaviour that is not the original's; there is one if anything differs."""
        return next(behaviour for behaviour in self.behaviours if not behaviour.is_original)

    @property
    def second_weight(self) -> int:
        """How many samples show the second behaviour."""
        return self.behaviours[1].weight if len(self.behaviours) > 1 else 0

    @property
    def original(self) -> Behaviour:
        return next(behaviour for behaviour in self.behaviours if behaviour.is_original)

    def led_by(self, right: Behaviour) -> Vote:
        """The vote of divided candidates, once `right` is found to be what is promised."""
        others = (behaviour for behaviour in self.behaviours if behaviour is not right)
        standing = Standing.AGREES if right.is_original else Standing.CONTRADICTED
        return replace(self, standing=standing, behaviours=(right, *others))


def vote(
    entry: Input,
    original: Observation,
    candidates: Sequence[Observation],
    weights: Sequence[int],
    documented: Collection[str],
    policy: Policy = LENIENT,
) -> Vote:
    """Group the observations on one input and say where the original stands.

    ALONE: the original answers as no candidate does, a consensus accepts the input, and more than
    half of all samples answer alike. If the original's answer were as frequent as theirs, so many
    samples without a single one of its kind would hardly be seen. ALONE says that the original is
    not right. Unlike DIFFERS, it says little about what is right.

    SPLIT: a consensus accepts the input, and at least a fifth of the samples, and at least two,
    accept it with a second behaviour. One stray sample splits nothing. The original counts as one
    further sample here: if one sample agrees with the original, that sample is not a stray.
    """
    behaviours = _behaviours(original, candidates, weights, documented, policy)
    total = sum(weights)
    standing = _standing(behaviours, candidates, weights, documented, total)
    return Vote(entry, standing, behaviours, total)


def _behaviours(
    original: Observation,
    candidates: Sequence[Observation],
    weights: Sequence[int],
    documented: Collection[str],
    policy: Policy,
) -> tuple[Behaviour, ...]:
    observed = (original, *candidates)
    behaviours = [
        Behaviour(
            observation=observed[group[0]],
            weight=sum(weights[index - 1] for index in group if index > 0),
            is_original=0 in group,
            candidates=tuple(index - 1 for index in group if index > 0),
        )
        for group in partition(observed, policy)
    ]
    # Sorting is stable: among equals, the one seen first leads. The report does not depend on
    # chance.
    return tuple(
        sorted(
            behaviours,
            key=lambda entry: (
                entry.weight == 0,
                not accepts(entry.observation, documented),
                -entry.weight,
            ),
        )
    )


def _standing(
    behaviours: Sequence[Behaviour],
    candidates: Sequence[Observation],
    weights: Sequence[int],
    documented: Collection[str],
    total: int,
) -> Standing:
    found = acceptance(candidates, weights, documented)
    if not found.by_majority:
        return Standing.OUTSIDE
    # If the candidates disagree about the domain, an input that settles nothing does not count.
    unsettled = Standing.UNDECIDED if found.by_consensus else Standing.OUTSIDE
    accepting = [entry for entry in behaviours if accepts(entry.observation, documented)]
    leading = accepting[0]
    heaviest = max(entry.weight for entry in behaviours)
    if leading.weight == heaviest and is_consensus(leading.weight, found.accepting):
        if leading.is_original:
            return Standing.AGREES
        accepted = any(entry.is_original for entry in accepting)
        return Standing.DIFFERS if accepted or found.by_consensus else unsettled
    if found.by_consensus and _is_alone(accepting, leading, total):
        return Standing.ALONE
    serious = [
        entry for entry in accepting if entry.weight + entry.is_original >= max(2, total / 5)
    ]
    return Standing.SPLIT if found.by_consensus and len(serious) > 1 else unsettled


def _is_alone(accepting: Sequence[Behaviour], leading: Behaviour, total: int) -> bool:
    own = next((entry for entry in accepting if entry.is_original), None)
    return (
        own is not None
        and own.weight == 0
        and 2 * leading.weight > total
        and is_consensus(leading.weight, leading.weight)
    )


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
