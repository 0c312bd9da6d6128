"""Runs the original and its rivals on inputs, and turns the observations into evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from assay_engine.deciding.accord import in_accord
from assay_engine.deciding.balloting import Ballot, balloted, told_instability
from assay_engine.deciding.evidence import Evidence, Instability
from assay_engine.deciding.randomness import varies_from_run_to_run, varies_with_numbers
from assay_engine.deciding.ranking import most_telling
from assay_engine.deciding.searched_ballot import SearchPlan, searched
from assay_engine.deciding.separating import Case, Contest, separate
from assay_engine.deciding.table_names import Names
from assay_engine.deciding.verdict import MEANT_MIN
from assay_engine.deciding.voting import ACCUSING, Standing, Vote
from assay_engine.reading.order_spoken_of import speaks_of_order
from assay_engine.running.laboratory import Laboratory
from assay_engine.running.materialising import receivers
from assay_engine.types import MEANT, Input, Specification
from assay_sandbox import Returned, Value


async def observe(
    laboratory: Laboratory, evidence: Evidence, inputs: Sequence[Input], plan: SearchPlan
) -> Evidence:
    """The evidence with a vote on every input that the original answers the same way twice.

    If no input shows the original to differ, a search adds further inputs.
    """
    contest = _contest(evidence, inputs)
    ballot = await balloted(laboratory, contest, inputs)
    if not most_telling(ballot.votes, ballot.inputs, [Standing.DIFFERS], contest.documented):
        ballot = await searched(laboratory, contest, evidence.specification, ballot, plan)
    return await _established(laboratory, contest, evidence, ballot, plan)


async def observe_accord(
    laboratory: Laboratory, evidence: Evidence, inputs: Sequence[Input], plan: SearchPlan
) -> Evidence | None:
    """The evidence that `observe` gives, if all candidates do what the original does.

    They have to do so on every input, including those that a search adds. Otherwise the result is
    None, as soon as a difference is seen.
    """
    contest = _contest(evidence, inputs)
    ballot = await balloted(laboratory, contest, inputs)
    if not in_accord(ballot, contest.documented):
        return None
    ballot = await searched(laboratory, contest, evidence.specification, ballot, plan)
    if not in_accord(ballot, contest.documented):
        return None
    return await _established(laboratory, contest, evidence, ballot, plan)


def _contest(evidence: Evidence, inputs: Sequence[Input]) -> Contest:
    specification = evidence.specification
    return Contest.between(
        specification,
        [rival.source for rival in evidence.rivals],
        [rival.candidate.weight for rival in evidence.rivals],
        [entry.call for entry in inputs if entry.origin in MEANT],
        documented=specification.documented_exceptions,
        ordered=speaks_of_order(specification.docstring),
        names=Names.spoken_of(specification.docstring),
    )


async def _established(
    laboratory: Laboratory, contest: Contest, evidence: Evidence, ballot: Ballot, plan: SearchPlan
) -> Evidence:
    """Turn a ballot into evidence: whether chance is meant, and the inputs that show most."""
    contest = replace(contest, varying=ballot.varying)
    unsteady = told_instability(ballot)
    by_chance = await _is_chance(laboratory, contest, ballot, unsteady)
    cases: tuple[Case, ...] = ()
    for standings, telling in _in_turn(_telling(ballot, by_chance=by_chance)):
        cases = cases or await separate(
            laboratory,
            contest,
            telling.inputs,
            telling.votes,
            standings,
            admits=plan.admission.admits,
        )
    if not cases:
        # Without a case, the order of the candidates' items is chance and is ignored.
        ballot = replace(ballot, votes=tuple(vote.but_for_order or vote for vote in ballot.votes))
    return replace(
        evidence,
        inputs=ballot.inputs,
        votes=ballot.votes,
        cases=cases,
        instability=unsteady,
        by_chance=by_chance,
        unseen=ballot.unseen,
        receivers=await _receivers(laboratory, evidence.specification, ballot.inputs),
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


def _in_turn(ballot: Ballot) -> Iterator[tuple[Sequence[Standing], Ballot]]:
    """The standings to look for, in order, each with the part of the ballot to search.

    Suppose that candidates part on a meant input, some of them siding with the original, and that
    the function agrees with the candidates on enough other meant inputs. Then that split is told
    before any accusation by a made-up input: there all candidates may follow a convention.
    """
    split = (Standing.SPLIT,)
    meant = _where(ballot, lambda entry, _: entry.origin in MEANT)
    parted = _where(meant, lambda _, vote: vote.standing in split and vote.original.weight > 0)
    agreeing = sum(vote.standing is Standing.AGREES for vote in meant.votes)
    if parted.votes and agreeing >= MEANT_MIN:
        yield ACCUSING, meant
        yield split, parted
    yield ACCUSING, ballot
    yield split, ballot


def _where(ballot: Ballot, holds: Callable[[Input, Vote], bool]) -> Ballot:
    """The ballot with only those inputs for which `holds` is true."""
    kept = [(e, v) for e, v in zip(ballot.inputs, ballot.votes, strict=True) if holds(e, v)]
    return replace(
        ballot, inputs=tuple(entry for entry, _ in kept), votes=tuple(vote for _, vote in kept)
    )
