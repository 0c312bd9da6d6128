"""The vote of the candidates on one input, and where the original stands.

Whether an input counts is decided without an oracle (docs/inputs.md has the reasons and the costs).
An input is in the function's domain if most of the candidates accept it: they return a value, or
raise an exception that the docstring names. On all other inputs the docstring promises nothing that
a program could be held to. (DiffTrust asks the ground truth instead, which a user does not have.)
Candidates that reject an input that most accept have no say in its result. They are taken to be
wrong about the input; their rejection is no reason to disregard it. But if a majority accepts the
input and no consensus does, and the accepting candidates settle nothing, the input is left out: the
candidates disagree about the domain.

The function under trial has a say as well. If a consensus of all candidates accepts an input, the
function has to accept it. If only a majority does, its refusal is a dispute about the domain and
accuses nobody.

Candidates that behaved alike on every input in the domain make a class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from operator import eq

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.behaviours import documented_name, partition
from assay_engine.compare.policy import LENIENT, Policy
from assay_engine.compare.statistics import is_consensus
from assay_engine.types import Behaviour, Candidate, EquivalenceClass, Input
from assay_sandbox import Observation, Raised, Refused, Returned, TimedOut


def accepts(observation: Observation, documented: Collection[str]) -> bool:
    """Whether the program accepted the input: it returned, or raised a documented exception."""
    match observation:
        case Returned():
            return True
        case Raised(passed_on=True):
            # Such an exception keeps its own name, so look for a documented base class as well.
            kinds = (observation.type_name, *observation.lineage)
            return documented_name(kinds, documented) is not None
        case Raised():
            return observation.type_name in documented
        case _:
            return False


def passed_on(observations: Iterable[Observation]) -> tuple[str, ...]:
    """The names of the exceptions that began in a function that the input contains.

    The input's author meant that function to raise. What becomes of the exception is an answer like
    any other.
    """
    found = {each.type_name for each in observations if isinstance(each, Raised) and each.passed_on}
    return tuple(sorted(found))


def raised_by(observations: Iterable[Observation]) -> tuple[str, ...]:
    """The names of all exceptions that were raised."""
    return tuple(sorted({each.type_name for each in observations if isinstance(each, Raised)}))


def agreed_exceptions(
    observations: Sequence[Observation], weights: Sequence[int]
) -> tuple[str, ...]:
    """The exception that a consensus of candidates of these weights raises, if there is one."""
    raised = Counter[str]()
    for observation, weight in zip(observations, weights, strict=True):
        if isinstance(observation, Raised):
            raised[observation.type_name] += weight
    return tuple(name for name, weight in raised.items() if is_consensus(weight, sum(weights)))


def is_kept_from(observation: Observation, documented: Collection[str]) -> bool:
    """Whether the program was refused something by the sandbox, or met a module that is not
    installed here. That tells about the sandbox, and nothing about the function.

    The modules that the program itself imports are checked before it runs. A module of the
    workspace may import others when it is called.
    """
    if isinstance(observation, Refused):
        return True
    missing = isinstance(observation, Raised) and observation.type_name == "ModuleNotFoundError"
    return missing and "ModuleNotFoundError" not in documented


def was_seen(observation: Observation) -> bool:
    """Whether the program was run on the input. If not, other inputs used up the batch's time."""
    return not (isinstance(observation, TimedOut) and observation.whole_batch)


class Acceptance(Struct, frozen=True):
    """The weights of the candidates that accept an input, of those run on it, and of all."""

    accepting: int
    seen: int
    total: int

    @property
    def by_majority(self) -> bool:
        return 2 * self.accepting > self.seen and 2 * self.seen > self.total

    @property
    def by_consensus(self) -> bool:
        return is_consensus(self.accepting, self.seen)


def acceptance(
    observations: Sequence[Observation], weights: Sequence[int], documented: Collection[str]
) -> Acceptance:
    """Count how far candidates of these weights accept the input."""
    accepting = seen = 0
    for observation, weight in zip(observations, weights, strict=True):
        if was_seen(observation):
            seen += weight
            accepting += weight * accepts(observation, documented)
    return Acceptance(accepting, seen, sum(weights))


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
    stands_alone = any(entry.is_original and entry.weight == 0 for entry in accepting)
    united = 2 * leading.weight > total and is_consensus(leading.weight, leading.weight)
    if found.by_consensus and stands_alone and united:
        return Standing.ALONE
    serious = [
        entry for entry in accepting if entry.weight + entry.is_original >= max(2, total / 5)
    ]
    return Standing.SPLIT if found.by_consensus and len(serious) > 1 else unsettled


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
    positions: list[dict[int, int]] = []
    for vote in counted:
        shown: dict[int, int] = {}
        for position, behaviour in enumerate(vote.behaviours):
            shown.update(dict.fromkeys(behaviour.candidates, position))
            if behaviour.is_original:
                shown[_ORIGINAL] = position
        positions.append(shown)
    groups: dict[tuple[int, ...], list[int]] = {}
    for index in (_ORIGINAL, *range(len(candidates))):
        signature = tuple(shown[index] for shown in positions)
        groups.setdefault(signature, []).append(index)
    classes: list[tuple[EquivalenceClass, tuple[int, ...]]] = []
    for signature, members in groups.items():
        own = tuple(index for index in members if index != _ORIGINAL)
        entry = EquivalenceClass(
            members=own,
            weight=sum(candidates[index].weight for index in own),
            has_original=_ORIGINAL in members,
            program=candidates[own[0]].source[:PROGRAM_CHARACTERS] if own else "",
            models=Counter(model for index in own for model in candidates[index].models),
        )
        classes.append((entry, signature))
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
