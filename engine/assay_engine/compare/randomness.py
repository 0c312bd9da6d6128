"""Finds answers that are chance. They neither accuse a function nor show that it is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.counterexamples import Ensemble
from assay_engine.compare.executor import Executor, Row
from assay_sandbox import Call, LoadFailed, Observation, Program

# How many inputs are tried with other numbers.
INPUTS_MAX = 20
# How many numbers are skipped in each further run. With these six runs, a program that tosses a
# coin seems steady in one of 64 cases.
SKIPPED = (1, 2, 3, 5, 8, 13)
# The word that stands somewhere in every program that draws, or is given something to draw from.
_CHANCE = "random"
# Source text to append to a program. From then on, a seed gives the numbers that come `numbers`
# places later than usual.
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


def _with_other_numbers(program: Program, numbers: int) -> Program:
    """The program, changed so that every seed gives what it usually gives `numbers` numbers later.

    The functions of `random` and of numpy are replaced by name in these modules. Names that the
    program itself has already bound to functions of numpy stay as they are.
    """
    return replace(program, source=program.source + _FURTHER_ON.replace("{numbers}", str(numbers)))


async def varies_from_run_to_run(executor: Executor, ensemble: Ensemble, call: Call) -> bool:
    """Whether most candidates answer an input differently in a second run, with other seeds."""
    voters = ensemble.programs[1:]
    first = await executor.run(voters, [call], ensemble.documented)
    second = await executor.run(voters, [call], ensemble.documented, second=True)
    return _varies_for_most(ensemble, 0, first, [second])


def may_draw(program: Program) -> bool:
    """Whether the program contains the word `random`, or may use modules of a project."""
    return _CHANCE in program.source or program.place is not None


async def varies_with_numbers(
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
    others = [
        await executor.run(
            [_with_other_numbers(each, numbers) for each in voters], calls, ensemble.documented
        )
        for numbers in SKIPPED
    ]
    compared = partial(ensemble.comparable, calls)
    usual, *others = [list(map(compared, rows)) for rows in (usual, *others)]
    return any(_varies_for_most(ensemble, at, usual, others) for at in range(len(calls)))


def _varies_for_most(
    ensemble: Ensemble, at: int, usual: Sequence[Row], others: Sequence[Sequence[Row]]
) -> bool:
    """Whether more than half of the candidates, by weight, vary on the input at index `at`."""
    varying = sum(
        weight
        for program, weight in enumerate(ensemble.weights)
        if any(_differ(usual[program][at], rows[program][at]) for rows in others)
    )
    return 2 * varying > sum(ensemble.weights)


def _differ(one: Observation, other: Observation) -> bool:
    """Whether two observations are known to differ.

    They are not if `one` cannot be compared, or if the changed program could not be loaded.
    """
    if isinstance(other, LoadFailed) or not same_behaviour(one, one):
        return False
    return not same_behaviour(one, other)
