"""What a check finds behind rare branches: constants, and branches within branches."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from ast import literal_eval
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import pytest
from msgspec.structs import replace

from assay_engine.check.pipeline import CheckContext, check_unit
from assay_engine.check_unit import CheckUnit
from assay_engine.config.settings import Settings
from assay_engine.executor.executor import (
    FIRST_SURROUNDINGS,
    OTHER_SURROUNDINGS,
    Executor,
    open_executor,
)
from assay_engine.inputs.constants import constants_of
from assay_engine.models import CountingModel
from assay_engine.search.searching import (
    BranchTracer,
    Features,
    representatives,
    search,
    shown_by_outcomes,
)
from assay_engine.source.modules import NO_MODULES
from assay_engine.types import Report, SourceText, Status
from assay_sandbox import Call, Covered, Limits, Observation, Program, Sandbox, TimedOut
from support.scripted_model import ScriptedModel, fenced, preferring
from support.specifying import specified


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    with open_executor(Limits(call_seconds=2.0, total_seconds=20.0)) as opened:
        yield opened


async def report_on(
    executor: Executor,
    header: str,
    own: str,
    candidates: Sequence[str],
    calls: str,
    docstring: str = "What it costs to send so much, in cents.",
) -> Report:
    text = f'{header}\n    """{docstring}"""\n{own}\n'
    specification = specified(text)
    model = ScriptedModel(
        {
            "[candidate]": [fenced(f"{header}\n{body}\n") for body in candidates],
            "[inputs]": [fenced(calls)],
            "[preference]": [preferring("SECOND")],
        }
    )
    settings = Settings()
    settings = replace(settings, execution=replace(settings.execution, calls=2000))
    subject = CheckUnit(SourceText("post.py", text), specification, "digest", ())
    context = CheckContext(
        CountingModel(model), None, executor, settings, lambda _: True, lambda _: None
    )
    return await check_unit(context, subject, NO_MODULES)


NUMBER = "def postage(grams: int) -> int:"
PLAIN = "    return 80 + grams * 3"
TEXT = "def postage(label: str) -> int:"
LETTERS = "    return 80 + len(label) * 3"


@pytest.mark.parametrize(
    ("header", "branch", "plain", "calls", "is_behind"),
    [
        (NUMBER, "grams == 1337", PLAIN, "postage(20)\npostage(3)", lambda n: n == 1337),
        (NUMBER, "grams > 54321", PLAIN, "postage(20)\npostage(3)", lambda n: n > 54321),
        (
            TEXT,
            "label.startswith('EXPRESS')",
            LETTERS,
            "postage('slow')\npostage('by ship')",
            lambda text: text.startswith("EXPRESS"),
        ),
        (
            TEXT,
            "len(label) == 47",
            LETTERS,
            "postage('slow')\npostage('by ship')",
            lambda text: len(text) == 47,
        ),
    ],
)
async def test_what_stands_behind_a_constant_of_the_program_is_found(
    executor: Executor,
    header: str,
    branch: str,
    plain: str,
    calls: str,
    is_behind: Callable[[Any], bool],
) -> None:
    own = f"    if {branch}:\n        return 0\n{plain}"
    report = await report_on(executor, header, own, [plain] * 10, calls)
    # Nobody is accused by it, but whoever wants to know finds it.
    assert (report.verdict.status, report.findings) == (Status.TRUSTED, ())
    assert report.dissent is not None
    argument = report.dissent.call.removeprefix("postage(").removesuffix(")")
    assert is_behind(literal_eval(argument))
    assert await report_on(executor, header, own, [plain] * 10, calls) == report


async def test_a_function_that_its_constants_do_not_make_differ_is_trusted(
    executor: Executor,
) -> None:
    own = f"    if grams == 1337:\n        return 80 + 4011\n{PLAIN}"
    report = await report_on(executor, NUMBER, own, [PLAIN] * 10, "postage(20)\npostage(3)")
    assert report.verdict.status is Status.TRUSTED


# Nothing that it returns tells how far an input has got.
NESTED = """
def is_reference(text):
    if text.startswith("<"):
        if text.endswith(">"):
            if ":" in text:
                return True
    return False
"""
SEEDS = [Call(("plain words",)), Call(("to be or not",)), Call(("a",))]


def is_within(call: Call) -> bool:
    text = str(call.args[0])
    return text.startswith("<") and text.endswith(">") and ":" in text


async def reaches(executor: Executor, seed: int, *, traced: bool) -> bool:
    """Whether a search by outcomes, or by outcomes and branches, gets to the innermost branch."""
    program = Program(NESTED, "is_reference")
    tracer = BranchTracer(executor, {0: program} if traced else {})

    async def shown(calls: Sequence[Call]) -> list[Features]:
        (row,) = await executor.run([program], calls)
        branches = await tracer.branches(calls)
        return [
            shown_by_outcomes([0], [seen]) | more for seen, more in zip(row, branches, strict=True)
        ]

    constants = constants_of([NESTED])
    rounds = search(SEEDS, await shown(SEEDS), count=300, seed=seed, constants=constants)
    try:
        asked = next(rounds)
        while not any(map(is_within, asked)):
            asked = rounds.send((asked, await shown(asked)))
    except StopIteration:
        return False
    return True


async def test_branches_lead_a_search_to_where_outcomes_do_not(executor: Executor) -> None:
    by_outcomes = [await reaches(executor, seed, traced=False) for seed in range(6)]
    by_branches = [await reaches(executor, seed, traced=True) for seed in range(6)]
    assert sum(by_branches) > 2 * sum(by_outcomes)


async def test_a_check_finds_a_branch_within_a_branch(executor: Executor) -> None:
    own = (
        "    if label.startswith('<'):\n"
        "        if label.endswith('>'):\n"
        "            return 0\n"
        f"{LETTERS}"
    )
    calls = "postage('slow')\npostage('by ship')"
    report = await report_on(executor, TEXT, own, [LETTERS] * 10, calls)
    assert report.dissent is not None
    assert report.dissent.call.startswith("postage('<")


async def test_a_program_that_cannot_be_traced_is_given_up(executor: Executor) -> None:
    endless = Program("def run(n):\n    while n:\n        pass\n    return 1\n", "run")
    plain = Program("def run(n):\n    if n:\n        return 0\n    return 1\n", "run")
    dying = Program("import os\ndef run(n):\n    os._exit(3)\n", "run")
    broken = Program("def run(n:\n", "run")
    tracer = BranchTracer(executor, {0: endless, 1: plain, 2: dying, 3: broken})
    calls = [Call((number,)) for number in range(4)]
    one, two, *_ = await tracer.branches(calls)
    assert one
    assert two
    assert one != two
    assert {number for number, *_ in map(tuple, one | two)} == {1}
    assert 0 not in tracer.programs
    assert 1 in tracer.programs
    assert tracer.calls == 16


async def test_a_call_that_takes_long_shows_no_branches(executor: Executor) -> None:
    program = Program("def run(n):\n    while n > 1:\n        pass\n    return 1\n", "run")
    tracer = BranchTracer(executor, {0: program})
    quick, other, slow = await tracer.branches([Call((0,)), Call((1,)), Call((2,))])
    assert quick == other != frozenset()
    assert slow == frozenset()
    assert 0 in tracer.programs


@dataclasses.dataclass(slots=True)
class Interrupted:
    """A sandbox in which one traced call is once kept from the processor for too long."""

    sandbox: Sandbox
    done: bool = False

    def run_covered(
        self,
        program: Program,
        calls: Sequence[Call],
        limits: Limits,
        *,
        cancelled: threading.Event,
    ) -> tuple[Covered, ...]:
        seen = self.sandbox.run_covered(program, calls, limits, cancelled=cancelled)
        first, *others = seen
        if not self.done:
            self.done = True
            first = dataclasses.replace(
                first, observation=TimedOut(limits.call_seconds), branches=()
            )
        return (first, *others)


async def test_a_call_that_took_long_by_accident_shows_its_branches(executor: Executor) -> None:
    program = Program("def run(n):\n    if n:\n        return 0\n    return 1\n", "run")
    calls = [Call((0,)), Call((1,))]
    undisturbed = await BranchTracer(executor, {0: program}).branches(calls)
    with Sandbox() as sandbox:
        interrupted = Interrupted(sandbox)
        tracer = BranchTracer(replace(executor, first=cast("Any", interrupted)), {0: program})
        assert await tracer.branches(calls) == undisturbed
    assert interrupted.done
    assert tracer.calls == 2


@dataclasses.dataclass(slots=True)
class Watched:
    """A sandbox that notes of every run how often a program needed too long in it."""

    sandbox: Sandbox
    overdue: list[int] = dataclasses.field(default_factory=list[int])

    def run_many(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        limits: Limits,
        *,
        cancelled: threading.Event,
    ) -> tuple[tuple[Observation, ...], ...]:
        rows = self.sandbox.run_many(programs, calls, limits, cancelled=cancelled)
        late = (each for row in rows for each in row if isinstance(each, TimedOut))
        self.overdue.append(sum(not each.whole_batch for each in late))
        return rows

    def run_covered(
        self,
        program: Program,
        calls: Sequence[Call],
        limits: Limits,
        *,
        cancelled: threading.Event,
    ) -> tuple[Covered, ...]:
        return self.sandbox.run_covered(program, calls, limits, cancelled=cancelled)


async def test_a_search_does_not_wait_again_and_again_for_what_never_ends() -> None:
    body = """    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return {result}"""
    limits = Limits(call_seconds=0.1, total_seconds=20.0)
    with (
        Sandbox(surroundings=FIRST_SURROUNDINGS) as one,
        Sandbox(surroundings=OTHER_SURROUNDINGS) as two,
    ):
        watched = Watched(one)
        report = await report_on(
            Executor(cast("Any", watched), two, limits),
            "def collatz(n: int) -> int:",
            body.format(result="steps"),
            [body.format(result="steps + 0")],
            "collatz(6)\ncollatz(27)",
            "How many steps it takes from n to 1.",
        )
    assert report.verdict.status is Status.TRUSTED
    # The function and its one candidate need too long three times each before the search, and once
    # in each of its three rounds, for inputs that are covered and for such that are not.
    assert 0 < sum(watched.overdue) <= 2 * (3 + 3 * 2)


async def test_tracing_ends_when_nobody_waits_for_it(executor: Executor) -> None:
    patient = replace(executor, limits=Limits(call_seconds=100, total_seconds=100))
    endless = Program("def run(n):\n    while True:\n        pass\n", "run")
    tracing = asyncio.ensure_future(patient.covered(endless, [Call((0,))]))
    await asyncio.sleep(1)
    tracing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await tracing
    # Its thread has nothing left to do.
    await asyncio.wait_for(asyncio.get_running_loop().shutdown_default_executor(), 30)


def test_one_program_of_each_class_is_traced_and_at_most_three() -> None:
    assert representatives(["a", "b", "a", "c", "d"], [1, 1, 1, 3, 1]) == (3, 0, 1)
    assert representatives(["a"] * 10, [1] * 10) == (0,)
    assert representatives([], []) == ()


async def test_an_input_made_smaller_is_still_of_the_annotated_types(
    executor: Executor,
) -> None:
    header = (
        "from typing import Literal\n\n\n"
        'def shown(unit: Literal["celsius", "fahrenheit"], degrees: int) -> str:'
    )
    right = "    return str(degrees) + unit[:1].upper()"
    report = await report_on(
        executor,
        header,
        f"    if degrees > 40 and unit != 'fahrenheit':\n        return 'hot'\n{right}",
        [right] * 10,
        "shown('celsius', 1)\nshown('fahrenheit', 3)",
        "The degrees with the first letter of their unit.",
    )
    assert report.dissent is not None
    assert report.dissent.call == "shown('celsius', 41)"


async def test_nobody_is_accused_on_a_dict_that_lacks_a_key_it_always_has(
    executor: Executor,
) -> None:
    header = (
        "from typing import TypedDict\n\n\n"
        "class Person(TypedDict):\n    name: str\n    age: int\n\n\n"
        "def tag(person: Person) -> str:"
    )
    report = await report_on(
        executor,
        header,
        "    return f\"{person['name']}:{person['age']}\"",
        ["    return f\"{person.get('name', '')}:{person.get('age', 0)}\""] * 10,
        "tag({'name': 'Al', 'age': 3})\ntag({'name': '', 'age': 0})",
        "Name and age of a person, separated by a colon.",
    )
    assert report.verdict.status is Status.TRUSTED
