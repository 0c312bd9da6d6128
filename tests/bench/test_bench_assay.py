"""Assay mode: what counts on which input, without an oracle."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from assay_bench.datasets import SeededTask
from assay_bench.measurement import Measurement, MeasurementBudget, Mode
from assay_bench.modes import SandboxPair, measure, sandbox_pair
from assay_bench.programs import calls_of, samples_of
from assay_sandbox import Value

BUDGET = MeasurementBudget(inputs=60, seconds=20.0, mode=Mode.ASSAY)
FIRST = "def f(items):\n    return items[0] if items else None\n"
FIRST_OR_ERROR = "def f(items):\n    return items[0]\n"
LAST = "def f(items):\n    return items[-1] if items else None\n"


@pytest.fixture(scope="module")
def own() -> Iterator[SandboxPair]:
    found = sandbox_pair(None)
    yield found
    found.first.close()
    found.second.close()


def measured(own: SandboxPair, reference: str, *samples: str, seeds: str = "[3, 4]") -> Measurement:
    task = SeededTask("T/1", "f", reference, ((ast.literal_eval(seeds),),), signature="(items)")
    return measure(own, task, samples, BUDGET)


def test_a_wrong_sample_is_seen_and_measured(own: SandboxPair) -> None:
    found = measured(own, FIRST, FIRST, LAST)
    assert found.incoherence is not None
    assert found.error is not None
    assert found.incoherence > 0.5
    # Of two programs one is wrong wherever they differ.
    assert found.error == pytest.approx(found.incoherence / 2, rel=0.1)


def test_programs_as_a_whole_are_measured_where_all_have_a_say(own: SandboxPair) -> None:
    whole = measured(own, FIRST, FIRST, FIRST, FIRST, LAST).whole
    assert whole is not None
    # Of six pairs three hold the odd one out.
    assert whole.functional_incoherence == 0.5
    assert whole.functional_error == 0.25
    assert whole.semantic_entropy == pytest.approx(0.5623, abs=1e-4)


def test_what_happens_to_nothing_is_no_dispute(own: SandboxPair) -> None:
    assert measured(own, FIRST_OR_ERROR, FIRST, FIRST_OR_ERROR).incoherence == 0.0


def test_but_it_is_where_a_seed_is_empty(own: SandboxPair) -> None:
    task = SeededTask("T/1", "f", FIRST, (([],), ([3],)))
    found = measure(own, task, [FIRST, FIRST_OR_ERROR], BUDGET)
    assert found.incoherence is not None
    assert found.incoherence > 0.0


HEADS = "def f(rows):\n    return [row[0] for row in rows]\n"
HEADS_OF_FULL = "def f(rows):\n    return [row[0] for row in rows if row]\n"
HUNDREDTHS = "def f(n):\n    return 100 // n\n"
HUNDREDTHS_OR_NONE = "def f(n):\n    return 100 // n if n else 0\n"


@pytest.mark.parametrize(
    ("breaking_off", "passing_over", "seed"),
    [(HEADS, HEADS_OF_FULL, "[[3], [4, 5]]"), (HUNDREDTHS, HUNDREDTHS_OR_NONE, "7")],
)
def test_to_break_off_on_what_no_test_passes_is_no_dispute(
    own: SandboxPair, breaking_off: str, passing_over: str, seed: str
) -> None:
    found = measured(own, passing_over, breaking_off, passing_over, seeds=seed)
    assert found.incoherence == 0.0
    # There are such inputs, and the reference takes them: the sample is wrong on them.
    assert found.error is not None
    assert found.error > 0.0


@pytest.mark.parametrize("seeds", [(([[3], []],),), (([[3]],), ([[3]],), ([[3], []],))])
def test_but_it_is_where_a_test_passes_it(
    own: SandboxPair, seeds: tuple[tuple[Value, ...], ...]
) -> None:
    task = SeededTask("T/1", "f", HEADS_OF_FULL, seeds, signature="(rows)")
    one_by_one = replace(BUDGET, inputs=len(seeds))
    found = measure(own, task, [HEADS, HEADS_OF_FULL], one_by_one)
    assert found.incoherence is not None
    assert found.incoherence > 0.0


def test_a_seed_that_stands_twice_makes_no_other_input_a_seed(own: SandboxPair) -> None:
    task = SeededTask("T/1", "f", HEADS_OF_FULL, (([[3], [4]],),) * 40, signature="(rows)")
    assert measure(own, task, [HEADS, HEADS_OF_FULL], BUDGET).incoherence == 0.0


STRICT = "def f(n):\n    if n < 0:\n        raise ValueError(n)\n    return abs(n)\n"
LENIENT = "def f(n):\n    return abs(n)\n"


def test_to_refuse_what_another_takes_is_a_dispute(own: SandboxPair) -> None:
    task = SeededTask("T/1", "f", LENIENT, ((3,),), signature="(n)")
    found = measure(own, task, [STRICT, LENIENT], BUDGET)
    assert found.incoherence is not None
    assert found.incoherence > 0.0


def test_chance_is_no_dispute(own: SandboxPair) -> None:
    chance = "import random\ndef f(items):\n    return random.random()\n"
    other = "import random\ndef f(items):\n    return random.random() + len(items)\n"
    assert measured(own, FIRST, chance, other).problem is not None


def test_the_order_in_which_text_is_hashed_is_no_dispute(own: SandboxPair) -> None:
    one = "def f(items):\n    return list(set(items))\n"
    other = "def f(items):\n    return list(set(items[::-1] + ['', 'z']) - {'', 'z'})\n"
    found = measured(own, one, one, other, seeds="['a', 'b', 'c', 'd', 'e']")
    assert found.incoherence == pytest.approx(0.0, abs=0.2)


def test_a_reference_that_rounds_makes_nobody_wrong(own: SandboxPair) -> None:
    exact = "import math\ndef f(r):\n    return math.pi * r\n"
    found = measured(own, "def f(r):\n    return 3.1415 * r\n", exact, exact, seeds="3")
    assert (found.incoherence, found.error) == (0.0, 0.0)


def test_a_sample_is_held_against_the_reference_whoever_comes_first(own: SandboxPair) -> None:
    def times(factor: float) -> str:
        return f"def f(x):\n    return {factor} * x\n"

    task = SeededTask("T/1", "f", times(1.0015), ((3.0,),), signature="(x)")
    both = [
        measure(own, task, samples, BUDGET)
        for samples in ([times(1.0), times(1.0009)], [times(1.0009), times(1.0)])
    ]
    # The second is like the first, and like the reference, which are not like each other.
    assert both[0].error == both[1].error
    assert both[0].error == pytest.approx(0.5, abs=0.05)


def test_side_effects_are_no_result_unless_nothing_is_returned(own: SandboxPair) -> None:
    sorts = "def f(items):\n    items.sort()\n    return items[0]\n"
    least = "def f(items):\n    print(items)\n    return min(items)\n"
    assert measured(own, least, sorts, least, seeds="[3, 4, 1]").incoherence == 0.0
    ascending = "def f(items):\n    items.sort()\n"
    descending = "def f(items):\n    items.sort(reverse=True)\n"
    found = measured(own, ascending, ascending, descending, seeds="[3, 4, 1]")
    assert found.incoherence is not None
    assert found.incoherence > 0.5


def test_the_reference_has_no_say_in_what_is_incoherent(own: SandboxPair) -> None:
    useless = "def f(items):\n    raise ValueError\n"
    with_truth, without = measured(own, FIRST, FIRST, LAST), measured(own, useless, FIRST, LAST)
    assert without.incoherence == with_truth.incoherence
    assert (without.error, without.calls) == (None, with_truth.calls)
    assert without.problem is not None
    assert without.problem.startswith("error: ")


def test_samples_that_no_run_can_tell_apart_run_once(own: SandboxPair) -> None:
    commented = "# as asked\n" + FIRST
    samples = samples_of(SeededTask("T/1", "f", FIRST, ()), [FIRST, commented, LAST, FIRST])
    assert (len(samples.programs), samples.drawn) == (2, (0, 0, 1, 0))
    assert samples.first(2).drawn == (0, 0)
    assert measured(own, FIRST, FIRST, commented).calls == len(
        calls_of(SeededTask("T/1", "f", FIRST, (([3, 4],),), signature="(items)"), 60, 0)
    )


def test_samples_run_as_they_stand(own: SandboxPair) -> None:
    one, other = (f"def f(items, n={n}):\n    return n\n" for n in (1, 2))
    assert measured(own, one, one, other).incoherence == 1.0
    replaced = f"{FIRST}\nf = len\n"
    assert len(samples_of(SeededTask("T/1", "f", FIRST, ()), [FIRST, replaced]).programs) == 2


def test_a_coroutine_that_nobody_awaits_is_no_right_answer(own: SandboxPair) -> None:
    awaited = FIRST.replace("def", "async def")
    behind = (
        "async def later(items):\n    return items[0]\n\ndef f(items):\n    return later(items)\n"
    )
    for coroutine in (awaited, behind):
        found = measured(own, FIRST, FIRST, FIRST, FIRST, coroutine)
        assert (found.incoherence, found.error) == (1 / 2, 1 / 4)
    inside = "import asyncio\n\nasync def later(items):\n    return items[0] if items else None\n\n"
    running = f"{inside}def f(items):\n    return asyncio.run(later(items))\n"
    assert measured(own, FIRST, FIRST, running).error == 0.0


def test_a_counter_is_a_dict(own: SandboxPair) -> None:
    counter = (
        "from collections import Counter\ndef f(items):\n    return Counter(map(str, items))\n"
    )
    plain = (
        "def f(items):\n"
        "    found = {}\n"
        "    for item in map(str, items):\n"
        "        found[item] = found.get(item, 0) + 1\n"
        "    return found\n"
    )
    assert measured(own, counter, plain, plain).error == 0.0


def test_seeds_come_first_and_those_of_the_tests_are_better() -> None:
    task = SeededTask("T/1", "f", FIRST, ((12,),), signature="(items)", tested_seeds=(([12],),))
    calls = calls_of(task, 40, 0)
    assert calls[0].args == ([12],)
    assert len(calls) == 40
    assert calls == calls_of(task, 40, 0)
    assert calls != calls_of(task, 40, 1)


def test_no_argument_is_empty_where_no_seed_is() -> None:
    def items_of(*seeds: list[Value]) -> list[Value]:
        task = SeededTask("T/1", "f", FIRST, tuple((each,) for each in seeds), signature="(items)")
        return [call.args[0] for call in calls_of(task, 200, 0)]

    assert [] not in items_of([3, 4])
    assert [] in items_of([3, 4], [])


def test_no_seeds_are_a_problem_of_the_task(own: SandboxPair) -> None:
    task = SeededTask("T/1", "f", FIRST, ())
    assert measure(own, task, [FIRST], BUDGET).problem == "incoherence: there are no seeds"


def test_chance_decides_nothing_in_adaptive_mode(own: SandboxPair) -> None:
    chance = "import random\ndef f(items):\n    return random.random()\n"
    task = SeededTask("T/1", "f", FIRST, (([3, 4],),), signature="(items)")
    found = measure(own, task, [FIRST, chance], replace(BUDGET, mode=Mode.ADAPTIVE))
    assert (found.incoherence, found.samples) == (0.0, 2)


def test_adaptive_mode_says_what_a_longer_look_says(own: SandboxPair) -> None:
    task = SeededTask("T/1", "f", FIRST, (([3, 4],),), signature="(items)")
    budget = replace(BUDGET, mode=Mode.ADAPTIVE)
    same = measure(own, task, [FIRST] * 10, budget)
    assert (same.incoherence, same.samples) == (0.0, 4)
    ways = [
        f"def f(items):\n    return items[0] if len(items) + {n} > {n} else None\n"
        for n in range(10)
    ]
    alike = measure(own, task, ways, budget)
    assert (alike.incoherence, alike.samples) == (0.0, 10)
    twice = measure(own, task, [way for way in ways for _ in range(2)], budget)
    # The second, fourth and sixth are an earlier program again.
    assert (twice.incoherence, twice.samples) == (0.0, 6)
    differing = measure(own, task, [FIRST, FIRST, LAST, *[FIRST] * 7], budget)
    assert differing.samples == 3
    assert differing.incoherence is not None
    assert differing.incoherence > 0.0
    fixed = measure(own, task, [FIRST, FIRST, LAST, *[FIRST] * 7], BUDGET)
    assert differing.error == fixed.error
    assert fixed.decision_seconds is None
    assert differing.decision_seconds is not None
    assert differing.decision_seconds > 0.0


def test_a_task_whose_seeds_are_lists_of_pairs_is_measured_on_such() -> None:
    pairs = [(2, 7), (1, 8)]
    task = SeededTask(
        task_id="t",
        entry_point="most",
        reference="def most(xs): return max(a * b for a, b in xs)",
        seeds=((pairs,), ([(10, 20), (15, 2), (5, 10)],)),
        signature="(xs)",
        description="The largest product of a pair.",
    )
    calls = calls_of(task, 300, 0)
    assert len(calls) > 100
    assert {len(each) for call in calls for each in call.args[0] if isinstance(each, tuple)} == {2}
