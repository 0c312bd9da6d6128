"""When adaptive mode may stop to draw samples, on many orders of the same samples.

    python -m benchmarks.stopping DATA --models gpt_4o,ministral_8b
        [--benchmarks mbpp,humaneval] [--odd] [--limit 40] [--orders 60]

Ten recorded samples of a task are run once on the inputs of adaptive mode; then they are drawn in
their own order and in so many random ones, by several rules, each of which stops at the first
difference, too. So a rule is not judged by the one order that was recorded. Which tasks:
`benchmarks.modes` says. Prints, per rule, how many of the tasks that ten samples detect it detects,
and the share of the samples that it draws: in the mean of the orders, and in the recorded one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from assay_bench.adaptive import INPUTS_MAX, REPETITIONS
from assay_bench.measurement import MeasurementBudget
from assay_bench.programs import calls_of, constants_for, samples_of
from assay_bench.trying import Matrix, Testbed, disputed, testbed_of
from assay_engine.compare.executor import Executor
from benchmarks.modes import Entry, arguments, chosen, opened

SAMPLES = 10
# Differences looked at a second time; inputs with more are left out.
CONFIRMED_MAX = 40

# Whether to stop after these samples, by the numbers of their programs.
Rule = Callable[[Sequence[int]], bool]

RULES: Mapping[str, Rule] = {
    "all ten": lambda drawn: len(drawn) == SAMPLES,
    "six": lambda drawn: len(drawn) == 6,
    "three of one program, else eight": lambda drawn: (
        len(drawn) == 8 or (len(drawn) == 3 and len(set(drawn)) == 1)
    ),
    "the last three bring none": lambda drawn: (
        len(drawn) > 3 and set(drawn[-3:]) <= set(drawn[:-3])
    ),
    f"{REPETITIONS} repetitions (the rule)": lambda drawn: (
        len(drawn) - len(set(drawn)) == REPETITIONS
    ),
}


@dataclass(frozen=True)
class Order:
    """Samples by the number of their program, and how many it takes to see a difference."""

    drawn: tuple[int, ...]
    differing: int | None

    def under(self, rule: Rule) -> tuple[bool, int]:
        """Whether a rule detects, and after how many samples it ends."""
        for count in range(1, len(self.drawn) + 1):
            if self.differing == count:
                return True, count
            if rule(self.drawn[:count]):
                return False, count
        return False, len(self.drawn)


async def orders_of(executor: Executor, entry: Entry, count: int) -> tuple[Order, ...]:
    """The recorded order first; nothing where samples or seeds are too few."""
    samples = samples_of(entry.task, entry.samples[:SAMPLES])
    calls = calls_of(entry.task, INPUTS_MAX, 0, constants_for(entry.task, samples.first(1)))
    if len(samples.drawn) < SAMPLES or not calls:
        return ()
    testbed = testbed_of(executor, entry.task, calls)
    matrix = await testbed.run(samples.programs)
    doubtful = disputed(testbed.heard(matrix))
    if doubtful:
        matrix = await testbed.settled(samples.programs, matrix, doubtful[:CONFIRMED_MAX])
    left_out = frozenset(doubtful[CONFIRMED_MAX:])
    matrix = [column for index, column in enumerate(matrix) if index not in left_out]
    random = Random(1)
    shuffled = (random.sample(samples.drawn, SAMPLES) for _ in range(count))
    known: dict[frozenset[int], bool] = {}
    return tuple(
        Order(tuple(drawn), _differing(testbed, matrix, drawn, known))
        for drawn in (samples.drawn, *shuffled)
    )


def _differing(
    testbed: Testbed, matrix: Matrix, drawn: Sequence[int], known: dict[frozenset[int], bool]
) -> int | None:
    for count in range(2, len(drawn) + 1):
        programs = frozenset(drawn[:count])
        if programs not in known:
            columns = [tuple(column[number] for number in sorted(programs)) for column in matrix]
            known[programs] = bool(disputed(testbed.heard(columns)))
        if known[programs]:
            return count
    return None


def lines(tasks: Sequence[Sequence[Order]]) -> Iterator[str]:
    yield "| rule | detected | samples | detected, as recorded | samples |"
    yield "|---|---:|---:|---:|---:|"
    for name, rule in RULES.items():
        found = [[order.under(rule) for order in orders] for orders in tasks]
        detected = sum(sum(hit for hit, _ in each) / len(each) for each in found)
        drawn = sum(sum(count for _, count in each) / len(each) for each in found)
        first = [each[0] for each in found]
        whole = SAMPLES * len(tasks)
        yield (
            f"| {name} | {detected:.1f} | {drawn / whole:.3f} | {sum(hit for hit, _ in first)}"
            f" | {sum(count for _, count in first) / whole:.3f} |"
        )


def main() -> None:
    parser = arguments(__doc__, seconds=10.0)
    parser.add_argument("--orders", type=int, default=60)
    options = parser.parse_args()
    with opened(MeasurementBudget(seconds=options.seconds)) as executor:
        found = [
            asyncio.run(orders_of(executor, entry, options.orders)) for entry in chosen(options)
        ]
    tasks = [orders for orders in found if orders]
    print(f"{len(tasks)} tasks\n")
    print("\n".join(lines(tasks)))


if __name__ == "__main__":
    main()
