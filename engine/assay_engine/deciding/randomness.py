"""Where answers are chance: nobody is accused by such, nor found right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from assay_engine.deciding.separating import Contest
from assay_engine.running.comparing import same_behaviour
from assay_engine.running.laboratory import Laboratory, Row
from assay_sandbox import Call, LoadFailed, Observation, Program

# How many inputs are tried with other numbers.
INPUTS_MAX = 20
# By how many they are further on: a program that tosses a coin seems steady in one of 64.
SKIPPED = (1, 2, 3, 5, 8, 13)
# What stands somewhere in a program that draws, or that is given something to draw from.
_CHANCE = "random"
# Behind a program: from then on, the same seed gives what stands so many numbers further on.
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
    """The program where every seed gives what it gives so many numbers further on.

    Of `random` and of numpy, by their names in these modules; names that the program has bound to
    functions of numpy before stay as they are.
    """
    return replace(program, source=program.source + _FURTHER_ON.replace("{numbers}", str(numbers)))


async def varies_from_run_to_run(laboratory: Laboratory, contest: Contest, call: Call) -> bool:
    """Whether most candidates answer an input otherwise in a second run."""
    rivals = contest.programs[1:]
    first = await laboratory.run(rivals, [call], contest.documented)
    second = await laboratory.run(rivals, [call], contest.documented, second=True)
    return _varies_for_most(contest, 0, first, [second])


def may_draw(program: Program) -> bool:
    """Whether it, or a module beside it, speaks of `random`."""
    return _CHANCE in program.source or any(_CHANCE in text for _, text in program.modules)


async def varies_with_numbers(
    laboratory: Laboratory, contest: Contest, calls: Sequence[Call]
) -> bool:
    """Whether most candidates answer one of the inputs by what they draw from a seed, or a source,
    that is given.

    They are run with other numbers for the same seed. In which order numbers are drawn, and how
    many, no docstring says: right programs differ in it.
    """
    if not calls or not any(map(may_draw, contest.programs)):
        return False
    rivals, calls = contest.programs[1:], calls[:INPUTS_MAX]
    usual = await laboratory.run(rivals, calls, contest.documented)
    others = [
        await laboratory.run(
            [_with_other_numbers(each, numbers) for each in rivals], calls, contest.documented
        )
        for numbers in SKIPPED
    ]
    compared = partial(contest.comparable, calls)
    usual, *others = [list(map(compared, rows)) for rows in (usual, *others)]
    return any(_varies_for_most(contest, at, usual, others) for at in range(len(calls)))


def _varies_for_most(
    contest: Contest, at: int, usual: Sequence[Row], others: Sequence[Sequence[Row]]
) -> bool:
    """Of the candidates by weight, on the input at that place."""
    varying = sum(
        weight
        for program, weight in enumerate(contest.weights)
        if any(_differ(usual[program][at], rows[program][at]) for rows in others)
    )
    return 2 * varying > sum(contest.weights)


def _differ(one: Observation, other: Observation) -> bool:
    """What cannot be compared, or not be run so, is not known to differ."""
    if isinstance(other, LoadFailed) or not same_behaviour(one, one):
        return False
    return not same_behaviour(one, other)
