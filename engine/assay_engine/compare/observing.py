"""Runs the original and its voters on inputs, and turns the observations into evidence.

Tells whether there is nothing to decide, because all programs do the same on every input.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from msgspec.structs import replace

from assay_engine.compare.counterexamples import Ensemble, counterexamples
from assay_engine.compare.domain import accepts
from assay_engine.compare.evidence import Evidence, Instability
from assay_engine.compare.executor import Executor
from assay_engine.compare.incidental import incidental_counterexamples
from assay_engine.compare.materialising import receivers
from assay_engine.compare.randomness import varies_from_run_to_run, varies_with_numbers
from assay_engine.compare.ranking import most_telling
from assay_engine.compare.vote_table import VoteTable, tabulated, told_instability
from assay_engine.compare.votes import ACCUSING, Standing, Vote
from assay_engine.types import Input, Origin, Specification
from assay_sandbox import Returned, Value

_PARTED = (Standing.SPLIT, *ACCUSING)


async def observe(executor: Executor, evidence: Evidence, inputs: Sequence[Input]) -> Evidence:
    """The evidence with a vote on every input that the original answers the same way twice."""
    ensemble = ensemble_of(evidence)
    vote_table, on_open = _told_apart(await tabulated(executor, ensemble, inputs))
    return await _established(executor, ensemble, evidence, vote_table, on_open)


async def observe_if_unanimous(
    executor: Executor, evidence: Evidence, inputs: Sequence[Input]
) -> Evidence | None:
    """The evidence that `observe` gives, if all candidates do what the original does on every
    input; None otherwise."""
    ensemble = ensemble_of(evidence)
    vote_table, on_open = _told_apart(await tabulated(executor, ensemble, inputs))
    if not (
        is_unanimous(vote_table, ensemble.documented) and is_unanimous(on_open, ensemble.documented)
    ):
        return None
    found = await _established(executor, ensemble, evidence, vote_table, on_open)
    return None if found.incidental else found


def ensemble_of(evidence: Evidence) -> Ensemble:
    """The function and the candidates that vote on it."""
    specification = evidence.specification
    return Ensemble.between(
        specification,
        [voter.source for voter in evidence.voters],
        [voter.candidate.weight for voter in evidence.voters],
        documented=specification.documented_exceptions,
    )


def _told_apart(vote_table: VoteTable) -> tuple[VoteTable, VoteTable]:
    """The vote table without, and only with, the inputs that the docstring does not decide."""
    decided = tuple(vote for vote in vote_table.votes if vote.input.origin is not Origin.OPEN)
    left_open = tuple(vote for vote in vote_table.votes if vote.input.origin is Origin.OPEN)
    return (
        replace(vote_table, votes=decided),
        replace(vote_table, votes=left_open, instability=None, disorder=None),
    )


async def _established(
    executor: Executor,
    ensemble: Ensemble,
    evidence: Evidence,
    vote_table: VoteTable,
    on_open: VoteTable,
) -> Evidence:
    """Turn a vote table into evidence: whether chance is meant, and the inputs that show most."""
    ensemble = replace(ensemble, varying=vote_table.varying)
    unsteady = told_instability(vote_table)
    by_chance = await _is_chance(executor, ensemble, vote_table, unsteady)
    evidence = replace(
        evidence,
        votes=vote_table.votes,
        instability=unsteady,
        by_chance=by_chance,
        unseen=vote_table.unseen,
        receivers=await _receivers(executor, evidence.specification, vote_table.votes),
    )
    telling = _telling(vote_table.votes, by_chance=by_chance)
    separating = partial(counterexamples, executor, ensemble)
    accusing = await separating(telling, ACCUSING)
    if accusing:
        return replace(evidence, counterexamples=accusing)
    found = await separating(telling, [Standing.SPLIT])
    if unsteady is not None or by_chance:
        return replace(evidence, counterexamples=found)
    found = found or await separating(on_open.votes, _PARTED)
    incidental = await incidental_counterexamples(executor, ensemble, telling)
    return replace(evidence, counterexamples=found, incidental=incidental)


async def _receivers(
    executor: Executor, specification: Specification, votes: Sequence[Vote]
) -> tuple[Value, ...]:
    if not specification.has_receiver:
        return ()
    counted = [vote.input.call for vote in votes if vote.standing is not Standing.OUTSIDE]
    return await receivers(executor, specification, counted)


async def _is_chance(
    executor: Executor, ensemble: Ensemble, vote_table: VoteTable, unsteady: Instability | None
) -> bool:
    """Whether chance is meant, that is, whether most candidates answer by chance, too.

    The candidates are run on the input on which the original answers by chance, and on those on
    which the original could be accused.
    """
    if unsteady is not None and await varies_from_run_to_run(
        executor, ensemble, unsteady.input.call
    ):
        return True
    standings = (*ACCUSING, Standing.SPLIT)
    differing = most_telling(vote_table.votes, standings, ensemble.documented)
    return await varies_with_numbers(executor, ensemble, [each.input.call for each in differing])


def _telling(votes: Sequence[Vote], *, by_chance: bool) -> list[Vote]:
    """The votes by which the original may be accused.

    If chance is meant, the original is not accused of any value that it returns. On inputs with few
    possible answers, all the answers may be steady by luck.
    """
    return [
        vote
        for vote in votes
        if not (by_chance and isinstance(vote.original.observation, Returned))
    ]


def is_unanimous(vote_table: VoteTable, documented: Collection[str]) -> bool:
    """Whether all candidates do what the original does, on every input that any of them accepts."""
    steady = vote_table.instability is None and vote_table.disorder is None
    return steady and all(_is_of_one_mind(vote, documented) for vote in vote_table.votes)


def _is_of_one_mind(vote: Vote, documented: Collection[str]) -> bool:
    if vote.strictly is not None:
        return False
    if vote.standing is Standing.OUTSIDE:
        return not any(accepts(each.observation, documented) for each in vote.behaviours)
    return vote.standing is Standing.AGREES and vote.leading.weight == vote.total
