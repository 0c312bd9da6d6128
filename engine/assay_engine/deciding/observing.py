"""Runs the original and its rivals on inputs, and turns the observations into evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from assay_engine.deciding.accord import in_accord
from assay_engine.deciding.balloting import Ballot, balloted, told_instability
from assay_engine.deciding.evidence import Evidence, Instability
from assay_engine.deciding.incidental import incidental_cases
from assay_engine.deciding.randomness import varies_from_run_to_run, varies_with_numbers
from assay_engine.deciding.ranking import most_telling
from assay_engine.deciding.searched_ballot import SearchPlan, searched
from assay_engine.deciding.separating import Case, Contest, separate
from assay_engine.deciding.voting import ACCUSING, Standing, Vote
from assay_engine.running.call_keys import call_key
from assay_engine.running.laboratory import Laboratory
from assay_engine.running.materialising import receivers
from assay_engine.types import MADE_UP, MEANT, Input, Origin, Specification
from assay_sandbox import Returned, Value

_PARTED = (Standing.SPLIT, *ACCUSING)


async def observe(
    laboratory: Laboratory, evidence: Evidence, inputs: Sequence[Input], plan: SearchPlan
) -> Evidence:
    """The evidence with a vote on every input that the original answers the same way twice.

    If no input shows the original to differ, a search adds further inputs as planned.
    """
    contest = _contest(evidence, inputs)
    ballot, on_open = _told_apart(await balloted(laboratory, contest, inputs))
    if not most_telling(ballot.votes, ballot.inputs, [Standing.DIFFERS], contest.documented):
        ballot = await searched(laboratory, contest, evidence.specification, ballot, plan)
    return await _established(laboratory, contest, evidence, ballot, on_open, plan)


async def observe_accord(
    laboratory: Laboratory, evidence: Evidence, inputs: Sequence[Input], plan: SearchPlan
) -> Evidence | None:
    """The evidence that `observe` gives, if all candidates do what the original does.

    They have to do so on every input, including those that a search adds. Otherwise the result is
    None, as soon as a difference is seen.
    """
    contest = _contest(evidence, inputs)
    ballot, on_open = _told_apart(await balloted(laboratory, contest, inputs))
    if not (in_accord(ballot, contest.documented) and in_accord(on_open, contest.documented)):
        return None
    ballot = await searched(laboratory, contest, evidence.specification, ballot, plan)
    if not in_accord(ballot, contest.documented):
        return None
    found = await _established(laboratory, contest, evidence, ballot, on_open, plan)
    return None if found.incidental else found


def _contest(evidence: Evidence, inputs: Sequence[Input]) -> Contest:
    specification = evidence.specification
    contest = Contest.between(
        specification,
        [rival.source for rival in evidence.rivals],
        [rival.candidate.weight for rival in evidence.rivals],
        [entry.call for entry in inputs if entry.origin in MEANT],
        documented=specification.documented_exceptions,
    )
    left_open = (call_key(entry.call) for entry in inputs if entry.origin is Origin.OPEN)
    return replace(contest, open=frozenset(left_open))


def _told_apart(ballot: Ballot) -> tuple[Ballot, Ballot]:
    """The ballot without, and only with, the inputs that the docstring does not decide."""
    decided = _where(ballot, lambda entry, _: entry.origin is not Origin.OPEN)
    left_open = _where(ballot, lambda entry, _: entry.origin is Origin.OPEN)
    return decided, replace(left_open, instability=None, disorder=None)


async def _established(
    laboratory: Laboratory,
    contest: Contest,
    evidence: Evidence,
    ballot: Ballot,
    on_open: Ballot,
    plan: SearchPlan,
) -> Evidence:
    """Turn a ballot into evidence: whether chance is meant, and the inputs that show most.

    Where inputs that the model proposed count, nobody is accused by made-up ones.
    """
    contest = replace(contest, varying=ballot.varying)
    unsteady = told_instability(ballot)
    by_chance = await _is_chance(laboratory, contest, ballot, unsteady)
    evidence = replace(
        evidence,
        inputs=ballot.inputs,
        votes=ballot.votes,
        instability=unsteady,
        by_chance=by_chance,
        unseen=ballot.unseen,
        receivers=await _receivers(laboratory, evidence.specification, ballot.inputs),
    )
    telling = _telling(ballot, by_chance=by_chance)
    meant = _where(telling, lambda entry, _: entry.origin in MEANT)
    counting = meant if evidence.has_proposals else telling
    separated = partial(_separated, laboratory, contest, plan)
    cases = await separated(counting, ACCUSING)
    accused = bool(cases)
    cases = cases or await separated(counting, [Standing.SPLIT])
    if accused:
        return replace(evidence, cases=cases)
    steady = unsteady is None and not by_chance
    if steady and not cases:
        cases = await separated(on_open, _PARTED)
    incidental = await incidental_cases(laboratory, contest, meant) if steady else ()
    unmeant: tuple[Case, ...] = ()
    if not cases and counting is meant:
        made_up = _where(telling, lambda entry, _: entry.origin in MADE_UP)
        unmeant = await separated(made_up, ACCUSING) or await separated(made_up, [Standing.SPLIT])
    return replace(
        evidence,
        cases=cases,
        incidental=incidental,
        unmeant=next(iter(unmeant), None),
    )


async def _separated(
    laboratory: Laboratory,
    contest: Contest,
    plan: SearchPlan,
    ballot: Ballot,
    standings: Sequence[Standing],
) -> tuple[Case, ...]:
    return await separate(
        laboratory,
        contest,
        ballot.inputs,
        ballot.votes,
        standings,
        admits=plan.admits,
    )


async def _receivers(
    laboratory: Laboratory, specification: Specification, inputs: Sequence[Input]
) -> tuple[Value, ...]:
    if not specification.has_receiver:
        return ()
    return await receivers(laboratory, specification, [entry.call for entry in inputs])


async def _is_chance(
    laboratory: Laboratory, contest: Contest, ballot: Ballot, unsteady: Instability | None
) -> bool:
    """Whether chance is meant, that is, whether most candidates answer by chance, too.

    The candidates are run on the input on which the original answers by chance, and on those on
    which the original could be accused.
    """
    if unsteady is not None and await varies_from_run_to_run(
        laboratory, contest, unsteady.input.call
    ):
        return True
    standings = (*ACCUSING, Standing.SPLIT)
    differing = most_telling(ballot.votes, ballot.inputs, standings, contest.documented)
    calls = [ballot.inputs[index].call for index in differing]
    return await varies_with_numbers(laboratory, contest, calls)


def _telling(ballot: Ballot, *, by_chance: bool) -> Ballot:
    """The inputs by which the original may be accused.

    If chance is meant, the original is not accused of any value that it returns. On inputs with few
    possible answers, all the answers may be steady by luck.
    """
    return _where(
        ballot,
        lambda _, vote: not (by_chance and isinstance(vote.original.observation, Returned)),
    )


def _where(ballot: Ballot, holds: Callable[[Input, Vote], bool]) -> Ballot:
    """The ballot with only those inputs for which `holds` is true."""
    kept = [(e, v) for e, v in zip(ballot.inputs, ballot.votes, strict=True) if holds(e, v)]
    return replace(
        ballot, inputs=tuple(entry for entry, _ in kept), votes=tuple(vote for _, vote in kept)
    )
