"""Runs the original and its voters on inputs, and turns the observations into evidence.

Tells whether there is nothing to decide, because all programs do the same on every input, and finds
answers that are chance: these neither accuse a function nor show that it is right.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from msgspec.structs import replace

from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.counterexamples import counterexamples, most_telling
from assay_engine.compare.ensemble import Ensemble, VoteTable, tabulated, told_instability
from assay_engine.compare.evidence import Evidence, Instability
from assay_engine.compare.executor import Executor, Row
from assay_engine.compare.incidental import incidental_counterexamples
from assay_engine.compare.materialising import receivers
from assay_engine.compare.nondeterminism import may_draw
from assay_engine.compare.votes import ACCUSING, Standing, Vote, accepts
from assay_engine.types import Input, Origin
from assay_sandbox import Call, LoadFailed, Program, Returned, Value

_PARTED = (Standing.SPLIT, *ACCUSING)
# How many inputs are tried with other numbers.
INPUTS_MAX = 20
# How many numbers are skipped in each further run. With these six runs, a program that tosses a
# coin seems steady in one of 64 cases.
SKIPPED = (1, 2, 3, 5, 8, 13)
# Source text to append to a program. From then on, a seed gives the numbers that come `numbers`
# places later than usual. The functions of `random` and of numpy are replaced by name in these
# modules. Names that the program itself has already bound to functions of numpy stay as they are.
_FURTHER_ON = """

def _draw_further_on(numbers):
    import random, sys

    seed, bits = random.Random.seed, random.Random.getrandbits

    def seeded(self, *arguments, **named):
        seed(self, *arguments, **named)
        bits(self, 32 * numbers)

    random.Random.seed = seeded
    # A bound method that was made before.
    random.seed = random._inst.seed
    if "numpy" not in sys.modules:
        return
    drawing = sys.modules["numpy"].random
    made, restarted, Legacy = drawing.default_rng, drawing.seed, drawing.RandomState

    def default_rng(*arguments, **named):
        generator = made(*arguments, **named)
        generator.random(numbers)
        return generator

    def restart(*arguments, **named):
        restarted(*arguments, **named)
        drawing.random(numbers)

    class RandomState(Legacy):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            self.random_sample(numbers)

    drawing.default_rng, drawing.seed, drawing.RandomState = default_rng, restart, RandomState


_draw_further_on({numbers})
"""


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
    documented = ensemble.documented
    if not (_is_unanimous(vote_table, documented) and _is_unanimous(on_open, documented)):
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
    called_on: tuple[Value, ...] = ()
    if evidence.specification.has_receiver:
        counted = [v.input.call for v in vote_table.votes if v.standing is not Standing.OUTSIDE]
        called_on = await receivers(executor, evidence.specification, counted)
    evidence = replace(
        evidence,
        votes=vote_table.votes,
        instability=unsteady,
        by_chance=by_chance,
        unseen=vote_table.unseen,
        receivers=called_on,
    )
    # If chance is meant, the original is not accused of any value that it returns. On inputs with
    # few possible answers, all the answers may be steady by luck.
    telling = [
        vote
        for vote in vote_table.votes
        if not (by_chance and isinstance(vote.original.observation, Returned))
    ]
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


async def _is_chance(
    executor: Executor, ensemble: Ensemble, vote_table: VoteTable, unsteady: Instability | None
) -> bool:
    """Whether chance is meant, that is, whether most candidates answer by chance, too.

    The candidates are run on the input on which the original answers by chance, and on those on
    which the original could be accused.
    """
    if unsteady is not None and await _varies_from_run_to_run(
        executor, ensemble, unsteady.input.call
    ):
        return True
    standings = (*ACCUSING, Standing.SPLIT)
    differing = most_telling(vote_table.votes, standings, ensemble.documented)
    return await _varies_with_numbers(executor, ensemble, [each.input.call for each in differing])


def _is_unanimous(vote_table: VoteTable, documented: Collection[str]) -> bool:
    """Whether all candidates do what the original does, on every input that any of them accepts."""
    steady = vote_table.instability is None and vote_table.disorder is None
    return steady and all(_is_of_one_mind(vote, documented) for vote in vote_table.votes)


def _is_of_one_mind(vote: Vote, documented: Collection[str]) -> bool:
    if vote.strictly is not None:
        return False
    if vote.standing is Standing.OUTSIDE:
        return not any(accepts(each.observation, documented) for each in vote.behaviours)
    return vote.standing is Standing.AGREES and vote.leading.weight == vote.total


async def _varies_from_run_to_run(executor: Executor, ensemble: Ensemble, call: Call) -> bool:
    """Whether most candidates answer an input differently in a second run, with other seeds."""
    voters = ensemble.programs[1:]
    first = await executor.run(voters, [call], ensemble.documented)
    second = await executor.run(voters, [call], ensemble.documented, second=True)
    return _varies_for_most(ensemble, 0, first, [second])


async def _varies_with_numbers(
    executor: Executor, ensemble: Ensemble, calls: Sequence[Call]
) -> bool:
    """Whether most candidates answer one of the inputs by numbers from a given seed or source.

    The candidates are run again with other numbers for the same seed. No docstring says in which
    order numbers are drawn, or how many, so right programs differ in this.
    """
    if not calls or not any(map(may_draw, ensemble.programs)):
        return False
    voters, calls = ensemble.programs[1:], calls[:INPUTS_MAX]
    usual = await executor.run(voters, calls, ensemble.documented)
    others: list[Sequence[Row]] = []
    for numbers in SKIPPED:
        further_on = _FURTHER_ON.replace("{numbers}", str(numbers))
        skipping = [Program(each.source + further_on, each.entry, each.place) for each in voters]
        others.append(await executor.run(skipping, calls, ensemble.documented))
    compared = partial(ensemble.comparable, calls)
    usual = tuple(map(compared, usual))
    skipped = [tuple(map(compared, rows)) for rows in others]
    return any(_varies_for_most(ensemble, at, usual, skipped) for at in range(len(calls)))


def _varies_for_most(
    ensemble: Ensemble, at: int, usual: Sequence[Row], others: Sequence[Sequence[Row]]
) -> bool:
    """Whether more than half of the candidates, by weight, vary on the input at index `at`.

    An observation that cannot be compared is not known to vary, and a changed program that could
    not be loaded shows nothing.
    """
    varying = 0
    for program, weight in enumerate(ensemble.weights):
        one = usual[program][at]
        same = partial(same_behaviour, one, policy=ensemble.policy)
        varying += weight * any(
            same(one) and not isinstance(other, LoadFailed) and not same(other)
            for other in (rows[program][at] for rows in others)
        )
    return 2 * varying > sum(ensemble.weights)
