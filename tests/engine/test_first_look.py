"""How many candidates a check draws: few where nothing is in dispute, and else all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from assay_engine.check.comparison import first_look
from assay_engine.compare.executor import Executor
from assay_engine.compare.statistics import is_consensus
from assay_engine.config.settings import CANDIDATES_MIN
from assay_engine.errors import ModelUnavailable
from assay_engine.sampling.sampling import Drawing
from assay_engine.types import Code, ProblemKind, Prompt, Reply, Report, Status, Usage
from support.scripted_model import ScriptedModel, fenced
from support.trials import put_on_trial, scripted

HEADER = "def doubled(number: int) -> int:"
RIGHT = f"{HEADER}\n    return 2 * number\n"
STRAY = f"{HEADER}\n    return 2 * number if number < 50 else 0\n"
STRICT = f"{HEADER}\n    if number < 0:\n        raise ValueError(number)\n    return 2 * number\n"
MISSES_THE_EXAMPLE = f"{HEADER}\n    return 7 if number == 3 else 2 * number\n"
INPUTS = [f"doubled({number})" for number in (0, 1, 2, 4, 9, 70, -3)]


def module(body: str = "return number * 2", shown: int = 6) -> str:
    docstring = f'    """Twice the number.\n\n    >>> doubled(3)\n    {shown}\n    """\n'
    return f"{HEADER}\n{docstring}    {body}\n"


async def tried(
    executor: Executor, candidates: list[str], text: str | None = None
) -> tuple[Report, list[int]]:
    """The report, and the samples of candidates that were asked for, in order."""
    model = scripted(candidates, INPUTS)
    report = await put_on_trial(executor, text or module(), "doubled", model)
    return report, samples(model)


def samples(model: ScriptedModel) -> list[int]:
    return [sample for prompt, sample in model.asked if prompt.name == "candidate"]


@pytest.mark.parametrize("candidates", [4, 5, 8, 10, 11, 20, 57, 200])
def test_the_others_are_no_consensus_and_one_fewer_would_do_for_no_verdict(candidates: int) -> None:
    first = first_look(candidates)
    assert CANDIDATES_MIN <= first <= candidates
    assert not is_consensus(candidates - first, candidates)
    assert first == CANDIDATES_MIN or is_consensus(candidates - first + 1, candidates)


def test_of_ten_candidates_four_are_looked_at_first() -> None:
    assert first_look(10) == 4


async def test_a_function_that_nobody_disputes_is_trusted_by_four_candidates(
    executor: Executor,
) -> None:
    # What the others would have said, nobody has to know.
    report, asked = await tried(executor, [RIGHT] * 4 + [STRAY] * 6)
    assert asked == [0, 1, 2, 3]
    assert report.candidates == 4
    assert report.verdict.status is Status.TRUSTED
    assert report.verdict.support is not None
    assert (report.verdict.support.agreeing, report.verdict.support.total) == (4, 4)
    assert (report.findings, report.problems) == ((), ())
    assert report.cost.paid.requests == 5


async def test_the_same_replies_give_the_same_report(executor: Executor) -> None:
    for candidates in ([RIGHT] * 10, [STRAY] + [RIGHT] * 9):
        first, second = [(await tried(executor, candidates))[0] for _ in range(2)]
        assert first == second


@pytest.mark.parametrize(
    ("among_the_first", "text"),
    [
        pytest.param(STRAY, module(), id="one answers otherwise"),
        pytest.param(STRICT, module(), id="one rejects what the others accept"),
        pytest.param(MISSES_THE_EXAMPLE, module(), id="one fails the example"),
        pytest.param("def other():\n    pass\n", module(), id="one cannot be used"),
        pytest.param(RIGHT, module("return number + 3"), id="the function differs"),
        pytest.param(RIGHT, module(shown=7), id="the function fails its example"),
        pytest.param(
            RIGHT,
            "import random\n" + module("return number * 2 if number < 9 else random.random()"),
            id="the function answers by chance",
        ),
    ],
)
async def test_where_anything_is_in_dispute_all_have_a_say(
    executor: Executor, among_the_first: str, text: str
) -> None:
    report, asked = await tried(executor, [RIGHT, among_the_first, *[RIGHT] * 8], text)
    assert asked == [*range(10)]
    assert report.candidates == 10


async def test_an_accusation_rests_on_all_of_them(executor: Executor) -> None:
    wrong = module("return number * 2 if number != 9 else 0")
    report, _asked = await tried(executor, [RIGHT] * 10, wrong)
    assert report.verdict.status is Status.SUSPECT
    assert "all 10 candidates return 18, this returns 0" in report.findings[0].message


@pytest.mark.parametrize("first", ["return it.kept", "return )"])
async def test_without_inputs_no_more_candidates_are_paid_for(
    executor: Executor, first: str
) -> None:
    text = 'class Opaque:\n    def __init__(self, handle): ...\ndef kept(it: "Sealed"):\n'
    text += '    """What it keeps."""\n    return it.kept\n'
    usable = 'def kept(it: "Sealed"):\n    return it.kept\n'
    model = ScriptedModel(
        {
            "[candidate]": [fenced(usable.replace("return it.kept", first)), *[fenced(usable)] * 9],
            "[inputs]": ["I cannot think of any."],
        }
    )
    report = await put_on_trial(executor, text, "kept", model)
    assert samples(model) == [0, 1, 2, 3]
    assert [sample for prompt, sample in model.asked if prompt.name == "inputs"] == [0, 1, 2]
    assert report.candidates == 4
    assert ProblemKind.NO_INPUTS in [problem.kind for problem in report.problems]


async def test_a_disputed_example_accuses_by_all_of_them(executor: Executor) -> None:
    report, _asked = await tried(executor, [RIGHT] * 10, module(shown=7))
    assert [finding.code for finding in report.findings] == [Code.DOUBTFUL_EXAMPLE]
    assert "all 10 candidates" in report.findings[0].message


PROMPT = Prompt("candidate", 1, "", "def f(): ...", 1.0, 100)


class Waiting:
    """Answers after a while, or not at all."""

    name = "waiting"

    def __init__(self, seconds: Callable[[int], float]) -> None:
        self._seconds = seconds
        self.asked: list[int] = []

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        self.asked.append(sample)
        await asyncio.sleep(self._seconds(sample))
        return Reply("fine", sample, Usage(1, 1, 1), cached=False)


class Down:
    name = "down"

    def __init__(self) -> None:
        self.asked: list[int] = []

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        self.asked.append(sample)
        await asyncio.sleep(0.01)
        raise ModelUnavailable("it is down")


async def test_both_rounds_of_a_drawing_have_one_deadline_together() -> None:
    model = Waiting(lambda sample: 0.0 if sample < 4 else 60.0)
    drawing = Drawing(model, PROMPT, 0.5, asyncio.Semaphore(8))
    first = await drawing.more(range(4))
    assert (len(first.replies), first.problems) == (4, ())
    await asyncio.sleep(0.6)  # what happens between the rounds takes nothing of it
    both = await drawing.more(range(4, 10))
    assert model.asked == [*range(10)]
    assert len(both.replies) == 4
    (problem,) = both.problems
    assert problem.kind is ProblemKind.DEADLINE
    assert problem.message.startswith("6 of 10 replies had not come after 0.5 s;")


async def test_a_model_that_is_down_is_given_up_once() -> None:
    model = Down()
    drawing = Drawing(model, PROMPT, 30.0, asyncio.Semaphore(1))
    first = await drawing.more(range(4))
    assert not first.replies
    asked = len(model.asked)
    both = await drawing.more(range(4, 10))
    assert len(model.asked) == asked
    (problem,) = both.problems
    assert problem.kind is ProblemKind.MODEL_UNAVAILABLE
    assert problem.message.startswith("it is down (3 of 10 requests ")
    assert problem.message.endswith(" and 7 more were given up.)")
