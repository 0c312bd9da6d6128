"""What is drawn from a seed, or a source, that is given: two right programs draw otherwise."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import Code, ProblemKind, Report, Status
from support.trials import put_on_trial, scripted

SHUFFLED = '''
import random

def shuffled(items: list[int], seed: int) -> list[int]:
    """The items in random order; the same for the same seed.

    Raises:
        ValueError: if there are no items.
    """
    {refusing}
    {drawn}
'''
REFUSING = 'if not items: raise ValueError("no items")'
SAMPLE = "return random.Random(seed).sample(items, len(items))"
SORTED = "dice = random.Random(seed)\n    return sorted(items, key=lambda _: dice.random())"
SEEDED = "random.seed(seed)\n    return random.sample(items, len(items))"
ITEMS = tuple(
    f"shuffled({items}, {seed})"
    for items in ("[3, 1, 2]", "[5, 4, 3, 2]", "[7]", "[1, 2]", "[]")
    for seed in (0, 1, 14)
)

RAFFLE = '''
import random

class Raffle:
    def __init__(self, dice: random.Random, tickets: list[str]) -> None:
        self._dice = dice
        self.tickets = tickets

    def draw(self, count: int) -> list[str]:
        """Take so many of the tickets out, each as likely as any other."""
        drawn = []
        while self.tickets and len(drawn) < count:
            drawn.append(self.tickets.pop(self._dice.randrange(len(self.tickets))))
        return drawn
'''
DRAW = """
def draw(self, count):
    self._dice.shuffle(self.tickets)
    drawn, self.tickets = self.tickets[:count], self.tickets[count:]
    return drawn
"""
DRAWS = tuple(
    f"Raffle(random.Random({seed}), {tickets}).draw({count})"
    for tickets in ("['a', 'b', 'c']", "['a', 'b', 'c', 'd']", "['a']", "[]")
    for count in (0, 1, 3)
    for seed in (3, 14)
)

PRIME = '''
import random

def is_prime(n: int, seed: int) -> bool:
    """Whether n is a prime number, by Fermat's test with numbers that are drawn from the seed."""
    dice = random.Random(seed)
    return n > {least} and all(pow(dice.randrange(1, n), n - 1, n) == 1 for _ in range(30))
'''
PRIMES = tuple(f"is_prime({n}, {seed})" for n in (1, 2, 3, 4, 7, 9, 15, 17) for seed in (0, 1))


def shuffled(drawn: str, refusing: str = REFUSING) -> str:
    return SHUFFLED.format(drawn=drawn, refusing=refusing)


def function_of(module: str) -> str:
    return module[module.index("def ") :]


async def tried(executor: Executor, module: str, other: str) -> Report:
    return await put_on_trial(executor, module, "shuffled", scripted([function_of(other)], ITEMS))


def said_of(report: Report) -> tuple[Status, list[Code], list[ProblemKind]]:
    return (
        report.verdict.status,
        [finding.code for finding in report.findings],
        [problem.kind for problem in report.problems],
    )


DRAWN = (Status.ABSTAINED, [], [ProblemKind.NOT_DETERMINISTIC])


@pytest.mark.parametrize(("own", "other"), [(SORTED, SAMPLE), (SAMPLE, SORTED), (SEEDED, SORTED)])
async def test_who_draws_otherwise_from_the_same_seed_is_not_accused(
    executor: Executor, own: str, other: str
) -> None:
    report = await tried(executor, shuffled(own), shuffled(other))

    assert said_of(report) == DRAWN
    assert report.replacements == ()


async def test_who_draws_alike_is_found_right(executor: Executor) -> None:
    report = await tried(
        executor, shuffled(SAMPLE), shuffled(SAMPLE.replace("items,", "[*items],"))
    )

    assert report.verdict.status is Status.TRUSTED


async def test_what_is_not_drawn_is_compared_all_the_same(executor: Executor) -> None:
    refusing = 'if len(items) < 2: raise ValueError("no items")'

    report = await tried(executor, shuffled(SORTED, refusing), shuffled(SAMPLE))

    assert said_of(report)[:2] == (Status.SUSPECT, [Code.RAISES])


async def test_a_source_within_an_object_is_one_too(executor: Executor) -> None:
    report = await put_on_trial(executor, RAFFLE, "Raffle.draw", scripted([DRAW], DRAWS))

    assert said_of(report) == DRAWN


async def test_an_answer_that_does_not_depend_on_what_is_drawn_is_held_against_a_function(
    executor: Executor,
) -> None:
    wrong, right = PRIME.format(least=2), PRIME.format(least=1)

    report = await put_on_trial(executor, wrong, "is_prime", scripted([function_of(right)], PRIMES))

    assert said_of(report)[:2] == (Status.SUSPECT, [Code.DIFFERS])
