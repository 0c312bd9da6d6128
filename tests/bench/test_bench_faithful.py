"""Faithful mode on tasks whose incoherence and error are known beforehand, in a real sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from assay_bench.datasets import SeededTask
from assay_bench.faithful import measure
from assay_bench.measurement import Measurement, MeasurementBudget
from assay_sandbox import Sandbox
from support.interpreters import interpreters

IDENTITY = "def f(x):\n    return x\n"
NEGATION = "def f(x):\n    return (x, 'negated')\n"
BUDGET = MeasurementBudget(inputs=200, seconds=20.0)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as shared:
        yield shared


def task(reference: str = IDENTITY, *seeds: tuple[Any, ...]) -> SeededTask:
    return SeededTask("T/1", "f", reference, seeds or ((3,), (40,)))


def measured(
    sandbox: Sandbox, of: SeededTask, samples: Sequence[str], budget: MeasurementBudget = BUDGET
) -> Measurement:
    found = measure(sandbox, of, samples, budget)
    assert found.problem is None
    return found


def test_right_samples_are_coherent_and_without_error(sandbox: Sandbox) -> None:
    found = measured(sandbox, task(), [IDENTITY] * 3)
    assert (found.incoherence, found.error, found.samples) == (0.0, 0.0, 3)
    # Per quantity: 200 inputs shown to the reference, 200 pairs called.
    assert found.calls == 2 * (200 + 2 * 200)


def test_one_wrong_sample_of_four_shows_as_often_as_it_is_drawn(sandbox: Sandbox) -> None:
    budget = MeasurementBudget(inputs=4000, seconds=60.0)
    found = measured(sandbox, task(), [IDENTITY, NEGATION, IDENTITY, IDENTITY], budget)
    assert found.incoherence == pytest.approx(6 / 12, abs=0.04)
    assert found.error == pytest.approx(1 / 4, abs=0.04)
    assert found.intervals is not None
    for interval, truth in ((found.intervals.incoherence, 1 / 2), (found.intervals.error, 1 / 4)):
        assert interval.low < truth < interval.high
        # sqrt(ln(2 / 0.05) / 8000) to either side.
        assert interval.high - interval.low == pytest.approx(0.0429, abs=1e-3)


def test_the_same_seed_measures_the_same_and_another_does_not(sandbox: Sandbox) -> None:
    samples = [IDENTITY, NEGATION, "def f(x):\n    return x if x % 3 else None\n"]
    first = measured(sandbox, task(), samples)
    assert measured(sandbox, task(), samples) == first
    others = [
        measured(sandbox, task(), samples, MeasurementBudget(inputs=200, seed=s)) for s in (1, 2)
    ]
    assert any(other.incoherence != first.incoherence for other in others)


def test_only_the_first_candidates_are_used(sandbox: Sandbox) -> None:
    budget = MeasurementBudget(candidates=2, inputs=50)
    found = measured(sandbox, task(), [IDENTITY, IDENTITY, NEGATION], budget)
    assert (found.samples, found.incoherence, found.error) == (2, 0.0, 0.0)


def test_one_sample_has_no_incoherence(sandbox: Sandbox) -> None:
    found = measured(sandbox, task(), [NEGATION])
    assert (found.incoherence, found.error, found.intervals) == (0.0, 1.0, None)


def test_no_samples_have_no_error(sandbox: Sandbox) -> None:
    found = measure(sandbox, task(), [], BUDGET)
    assert (found.incoherence, found.error) == (None, None)
    assert found.problem == "incoherence: there are no samples"


def test_without_seeds_there_are_no_inputs(sandbox: Sandbox) -> None:
    found = measure(sandbox, SeededTask("T/1", "f", IDENTITY, ()), [IDENTITY] * 2, BUDGET)
    assert found.problem == "incoherence: there are no seeds"


def test_inputs_that_the_reference_refuses_are_not_used(sandbox: Sandbox) -> None:
    picky = "def f(x):\n    if x < 0: raise ValueError\n    return x\n"
    found = measured(sandbox, task(picky, (3,)), ["def f(x):\n    return abs(x)\n"] * 2)
    assert found.error == 0.0
    assert found.calls > 2 * (200 + 2 * 200)


def test_where_every_mutant_is_refused_the_seeds_stand_in(sandbox: Sandbox) -> None:
    refusing = "def f(x):\n    raise ValueError\n"
    knowing = "def f(x):\n    if x == 12345: raise ValueError\n"
    found = measured(sandbox, task(refusing, (12345,)), [knowing] * 2, MeasurementBudget(inputs=20))
    assert (found.incoherence, found.error) == (0.0, 0.0)
    assert found.calls == 2 * 20 * (100 + 2)


@pytest.mark.parametrize(
    "broken",
    ["def f(x) return x", "raise ValueError", "import no_such_module_anywhere\n" + IDENTITY, ""],
)
def test_a_sample_that_does_not_load_raises_type_errors(sandbox: Sandbox, broken: str) -> None:
    raising = "def f(x):\n    raise TypeError('by hand')\n"
    assert measured(sandbox, task(), [broken, raising]).incoherence == 0.0
    assert measured(sandbox, task(), [broken, IDENTITY]).incoherence == 1.0


@pytest.mark.parametrize("broken", ["def f(x) return x", "import no_such_module_anywhere", ""])
def test_without_a_reference_that_loads_nothing_is_measured(sandbox: Sandbox, broken: str) -> None:
    found = measure(sandbox, task(broken), [IDENTITY, NEGATION], BUDGET)
    assert (found.incoherence, found.error) == (None, None)
    assert found.problem is not None
    assert found.problem.startswith("incoherence: loading: ")
    # Whose fault it was.
    assert "assay_reference" in found.problem or "no_such_module" in found.problem


def test_the_oldest_interpreter_measures_as_ours_does(sandbox: Sandbox) -> None:
    pairing = "def f(x):\n    return [x, {x: (x, 1.5)}, {x}]\n"
    differing = "def f(x):\n    return [x, {x: (x, 2.5)}, {x}]\n"
    oldest, *_ = interpreters()
    with Sandbox(oldest, workers=1) as other:
        assert measured(other, task(pairing), [pairing, differing]) == measured(
            sandbox, task(pairing), [pairing, differing]
        )


def test_exceptions_agree_by_type(sandbox: Sandbox) -> None:
    first = "def f(x):\n    raise KeyError(1)\n"
    second = "def f(x):\n    raise KeyError('other')\n"
    third = "def f(x):\n    raise IndexError\n"
    assert measured(sandbox, task(), [first, second]).incoherence == 0.0
    assert measured(sandbox, task(), [first, third]).incoherence == 1.0


def test_what_the_reference_does_to_its_arguments_is_seen_by_the_samples(
    sandbox: Sandbox,
) -> None:
    emptying = "def f(x):\n    x.clear()\n    return len(x)\n"
    counting = "def f(x):\n    return len(x)\n"
    found = measured(sandbox, task(emptying, ([1, 2, 3],)), [counting] * 2)
    assert (found.incoherence, found.error) == (0.0, 0.0)


def test_what_one_sample_does_to_its_arguments_the_other_sees(sandbox: Sandbox) -> None:
    reference = "def f(x):\n    return len(x)\n"
    appending = "def f(x):\n    x.append(0)\n    return len(x)\n"
    found = measured(sandbox, task(reference, ([1, 2, 3],)), [appending] * 2)
    # The second call finds one more, and so does the reference after a sample.
    assert found.incoherence == 1.0
    assert found.error == 0.0


def test_two_results_that_are_the_argument_itself_are_equal(sandbox: Sandbox) -> None:
    first = "def f(x):\n    x.append(1)\n    return x\n"
    second = "def f(x):\n    x.append(2)\n    return x\n"
    reference = "def f(x):\n    return x\n"
    found = measured(sandbox, task(reference, ([1],)), [first, second])
    assert (found.incoherence, found.error) == (0.0, 0.0)


def test_an_unmutated_seed_is_the_same_object_every_time(sandbox: Sandbox) -> None:
    refusing = "def f(x):\n    raise ValueError\n"
    growing = "def f(x):\n    x.append(0)\n    if len(x) <= 10: raise ValueError\n"
    found = measured(sandbox, task(refusing, ([],)), [growing], MeasurementBudget(inputs=40))
    # The list is ten long after ten inputs, and from then on the sample does not raise.
    assert found.error == pytest.approx(30 / 40)


def test_what_samples_print_and_read_does_no_harm(sandbox: Sandbox) -> None:
    printing = "print('loaded')\ndef f(x):\n    print('x' * 100000)\n    return x\n"
    reading = "def f(x):\n    try:\n        input()\n    except EOFError:\n        return x\n"
    found = measured(sandbox, task(), [printing, reading])
    assert (found.incoherence, found.error) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        ("import sys\ndef f(x):\n    sys.exit(3)\n", "SystemExit"),
        ("import sys\ndef f(x):\n    sys.exit(f)\n", "SystemExit: <function f at 0x...>"),
        ("import os\ndef f(x):\n    os._exit(3)\n", "Crashed"),
        ("def f(x):\n    while True: pass\n", "TimedOut"),
        ("def f(x):\n    return 10 ** 400 + x\n", "OverflowError"),
        ("while True: pass\n", "TimedOut"),
    ],
)
def test_what_ended_the_experiments_measurement_ends_ours(
    sandbox: Sandbox, sample: str, reason: str
) -> None:
    other = "def f(x):\n    return 10 ** 400\n"
    found = measure(sandbox, task(), [sample, other], MeasurementBudget(inputs=20, seconds=1.0))
    assert found.incoherence is None
    assert found.error is None
    assert found.problem is not None
    assert found.problem.startswith("incoherence: ")
    assert reason in found.problem


def test_an_error_that_cannot_be_had_leaves_the_incoherence(sandbox: Sandbox) -> None:
    huge = "def f(x):\n    return 10 ** 400 + 1\n"
    small = "def f(x):\n    return 'no number'\n"
    # The samples are only ever compared with each other, or with the reference.
    found = measure(sandbox, task("def f(x):\n    return 10 ** 400\n"), [huge, small], BUDGET)
    assert found.incoherence == 1.0
    assert found.error is None
    assert found.problem == "error: OverflowError: int too large to convert to float"


def test_a_mutation_that_cannot_be_made_ends_the_task(sandbox: Sandbox) -> None:
    found = measure(sandbox, task(IDENTITY, ({(1, 2), (3, 4)},)), [IDENTITY] * 2, BUDGET)
    assert found.problem is not None
    assert "a mutation cannot be made (" in found.problem
    assert "unhashable type: 'dict'" in found.problem
