"""What the candidates say about one input, and where the original stands."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.deciding.domain import acceptance, accepts
from assay_engine.deciding.statistics import is_consensus
from assay_engine.running.comparing import partition
from assay_engine.types import Behaviour
from assay_sandbox import Observation


class Standing(StrEnum):
    """Where the original stands on one input."""

    AGREES = "agrees"
    DIFFERS = "differs"
    ALONE = "alone"
    SPLIT = "split"
    UNDECIDED = "undecided"
    OUTSIDE = "outside"


# Where the original stands if it is to be found wrong.
ACCUSING = (Standing.DIFFERS, Standing.ALONE)


class Vote(Struct, frozen=True):
    """One input's behaviours out of `total` samples: accepting ones first, the heaviest leading.

    A behaviour that only the original shows has weight 0 and comes last. `but_for_order`: the vote
    without the order of dicts' items, where the original differs in nothing else, and agrees there.
    """

    standing: Standing
    behaviours: tuple[Behaviour, ...]
    total: int
    but_for_order: Vote | None = None

    @property
    def leading(self) -> Behaviour:
        return self.behaviours[0]

    @property
    def second_weight(self) -> int:
        """How many samples show the second behaviour."""
        return self.behaviours[1].weight if len(self.behaviours) > 1 else 0

    @property
    def original(self) -> Behaviour:
        return next(behaviour for behaviour in self.behaviours if behaviour.is_original)


def vote(
    original: Observation,
    candidates: Sequence[Observation],
    weights: Sequence[int],
    documented: Collection[str],
    *,
    ordered: bool = False,
) -> Vote:
    """Group what was observed on one input and say where the original stands.

    ALONE: it answers as no candidate does, on an input that a consensus accepts and that more than
    half of all samples answer alike. Were its answer as frequent as theirs, so many without one of
    its kind would hardly be seen. It settles what the original is not, and little about what is
    right, as DIFFERS does.

    SPLIT needs a consensus to accept the input, and a second behaviour that a fifth of the samples,
    and at least two of them, accept it with: one stray sample splits nothing. The original counts
    as one more there: with a sample that goes with it, it is no stray.

    `ordered`: the order of returned dicts' items counts as far as there is a consensus with it. The
    order that a docstring speaks of may be another one: where candidates do not agree on theirs,
    they are compared without it.
    """
    behaviours = _behaviours(original, candidates, weights, documented, ordered=ordered)
    total = sum(weights)
    seen = Vote(_standing(behaviours, candidates, weights, documented, total), behaviours, total)
    if not ordered or seen.standing is Standing.AGREES:
        return seen
    unordered = vote(original, candidates, weights, documented)
    if seen.standing is not Standing.DIFFERS:
        return unordered
    by_order = unordered.standing is not Standing.DIFFERS
    return replace(seen, but_for_order=unordered) if by_order else seen


def _behaviours(
    original: Observation,
    candidates: Sequence[Observation],
    weights: Sequence[int],
    documented: Collection[str],
    *,
    ordered: bool,
) -> tuple[Behaviour, ...]:
    observed = (original, *candidates)
    behaviours = [
        Behaviour(
            observation=observed[group[0]],
            weight=sum(weights[index - 1] for index in group if index > 0),
            is_original=0 in group,
            candidates=tuple(index - 1 for index in group if index > 0),
        )
        for group in partition(observed, ordered=ordered)
    ]
    # Sorting is stable: among equals the one seen first, so the report does not depend on chance.
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
    # Where they differ about the domain, an input that settles nothing says nothing.
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
