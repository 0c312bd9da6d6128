"""Runs the original and its voters on inputs, and turns the observations into evidence.

Tells whether there is nothing to decide, because all programs do the same on every input.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from msgspec.structs import replace

from assay_engine.executor.executor import Executor
from assay_engine.executor.materialising import receivers
from assay_engine.types import MEANT, Input, Origin, Specification
from assay_engine.values.carried import call_key
from assay_engine.voting.counterexamples import Counterexample, Ensemble, separate
from assay_engine.voting.domain import accepts
from assay_engine.voting.evidence import Evidence, Instability
from assay_engine.voting.incidental import incidental_counterexamples
from assay_engine.voting.randomness import varies_from_run_to_run, varies_with_numbers
from assay_engine.voting.ranking import most_telling
from assay_engine.voting.searched import SearchPlan, searched
from assay_engine.voting.vote_table import VoteTable, tabulated, told_instability
from assay_engine.voting.votes import ACCUSING, Standing, Vote
from assay_sandbox import Returned, Value

_PARTED = (Standing.SPLIT, *ACCUSING)


async def observe(
    executor: Executor, evidence: Evidence, inputs: Sequence[Input], plan: SearchPlan
) -> Evidence:
    """The evidence with a vote on every input that the original answers the same way twice.

    If no input shows the original to differ, a search adds further inputs as planned.
    """
    ensemble = _ensemble(evidence, inputs)
    vote_table, on_open = _told_apart(await tabulated(executor, ensemble, inputs))
    if not most_telling(
        vote_table.votes, vote_table.inputs, [Standing.DIFFERS], ensemble.documented
    ):
        vote_table = await searched(executor, ensemble, evidence.specification, vote_table, plan)
    return await _established(executor, ensemble, evidence, vote_table, on_open, plan)


async def observe_if_unanimous(
    executor: Executor, evidence: Evidence, inputs: Sequence[Input], plan: SearchPlan
) -> Evidence | None:
    """The evidence that `observe` gives, if all candidates do what the original does.

    They have to do so on every input, including those that a search adds. Otherwise the result is
    None, as soon as a difference is seen.
    """
    ensemble = _ensemble(evidence, inputs)
    vote_table, on_open = _told_apart(await tabulated(executor, ensemble, inputs))
    if not (
        is_unanimous(vote_table, ensemble.documented) and is_unanimous(on_open, ensemble.documented)
    ):
        return None
    vote_table = await searched(executor, ensemble, evidence.specification, vote_table, plan)
    if not is_unanimous(vote_table, ensemble.documented):
        return None
    found = await _established(executor, ensemble, evidence, vote_table, on_open, plan)
    return None if found.incidental else found


def _ensemble(evidence: Evidence, inputs: Sequence[Input]) -> Ensemble:
    specification = evidence.specification
    ensemble = Ensemble.between(
        specification,
        [voter.source for voter in evidence.voters],
        [voter.candidate.weight for voter in evidence.voters],
        [entry.call for entry in inputs if entry.origin in MEANT],
        documented=specification.documented_exceptions,
    )
    left_open = (call_key(entry.call) for entry in inputs if entry.origin is Origin.OPEN)
    return replace(ensemble, open=frozenset(left_open))


def _told_apart(vote_table: VoteTable) -> tuple[VoteTable, VoteTable]:
    """The vote table without, and only with, the inputs that the docstring does not decide."""
    decided = _where(vote_table, lambda entry, _: entry.origin is not Origin.OPEN)
    left_open = _where(vote_table, lambda entry, _: entry.origin is Origin.OPEN)
    return decided, replace(left_open, instability=None, disorder=None)


async def _established(
    executor: Executor,
    ensemble: Ensemble,
    evidence: Evidence,
    vote_table: VoteTable,
    on_open: VoteTable,
    plan: SearchPlan,
) -> Evidence:
    """Turn a vote table into evidence: whether chance is meant, and the inputs that show most.

    Where inputs that the model proposed count, nobody is accused by made-up ones.
    """
    ensemble = replace(ensemble, varying=vote_table.varying)
    unsteady = told_instability(vote_table)
    by_chance = await _is_chance(executor, ensemble, vote_table, unsteady)
    evidence = replace(
        evidence,
        inputs=vote_table.inputs,
        votes=vote_table.votes,
        instability=unsteady,
        by_chance=by_chance,
        unseen=vote_table.unseen,
        receivers=await _receivers(executor, evidence.specification, vote_table.inputs),
    )
    telling = _telling(vote_table, by_chance=by_chance)
    meant = _where(telling, lambda entry, _: entry.origin in MEANT)
    counting = meant if evidence.has_proposals else telling
    separated = partial(_separated, executor, ensemble, plan)
    counterexamples = await separated(counting, ACCUSING)
    accused = bool(counterexamples)
    counterexamples = counterexamples or await separated(counting, [Standing.SPLIT])
    if accused:
        return replace(evidence, counterexamples=counterexamples)
    steady = unsteady is None and not by_chance
    if steady and not counterexamples:
        counterexamples = await separated(on_open, _PARTED)
    incidental = await incidental_counterexamples(executor, ensemble, meant) if steady else ()
    unmeant: tuple[Counterexample, ...] = ()
    if not counterexamples and counting is meant:
        made_up = _where(telling, lambda entry, _: entry.origin.is_made_up)
        unmeant = await separated(made_up, ACCUSING) or await separated(made_up, [Standing.SPLIT])
    return replace(
        evidence,
        counterexamples=counterexamples,
        incidental=incidental,
        unmeant=next(iter(unmeant), None),
    )


async def _separated(
    executor: Executor,
    ensemble: Ensemble,
    plan: SearchPlan,
    vote_table: VoteTable,
    standings: Sequence[Standing],
) -> tuple[Counterexample, ...]:
    return await separate(
        executor,
        ensemble,
        vote_table.inputs,
        vote_table.votes,
        standings,
        admits=plan.admits,
    )


async def _receivers(
    executor: Executor, specification: Specification, inputs: Sequence[Input]
) -> tuple[Value, ...]:
    if not specification.has_receiver:
        return ()
    return await receivers(executor, specification, [entry.call for entry in inputs])


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
    differing = most_telling(vote_table.votes, vote_table.inputs, standings, ensemble.documented)
    calls = [vote_table.inputs[index].call for index in differing]
    return await varies_with_numbers(executor, ensemble, calls)


def _telling(vote_table: VoteTable, *, by_chance: bool) -> VoteTable:
    """The inputs by which the original may be accused.

    If chance is meant, the original is not accused of any value that it returns. On inputs with few
    possible answers, all the answers may be steady by luck.
    """
    return _where(
        vote_table,
        lambda _, vote: not (by_chance and isinstance(vote.original.observation, Returned)),
    )


def _where(vote_table: VoteTable, holds: Callable[[Input, Vote], bool]) -> VoteTable:
    """The vote table with only those inputs for which `holds` is true."""
    kept = [(e, v) for e, v in zip(vote_table.inputs, vote_table.votes, strict=True) if holds(e, v)]
    return replace(
        vote_table, inputs=tuple(entry for entry, _ in kept), votes=tuple(vote for _, vote in kept)
    )


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
