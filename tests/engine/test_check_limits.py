"""The budget of a check and its judge: what is asked within it does not depend on which reply
comes first."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from random import Random

import pytest
from msgspec import Struct
from msgspec.structs import replace

from assay_engine.check.context import CheckContext
from assay_engine.check.model_supply import UNCOUNTED_PER_SLOT
from assay_engine.check.opinion import with_opinion
from assay_engine.check.pipeline import check_unit
from assay_engine.check_unit import CheckUnit
from assay_engine.cli.json_report import to_json
from assay_engine.compare.executor import Executor
from assay_engine.config.settings import Budget, Execution, Sampling, Settings
from assay_engine.dependencies.modules import NO_MODULES, workspace_modules
from assay_engine.dependencies.readable import placed_among, with_files
from assay_engine.models import Allowance, Forbidden, Ledger, Ration, Session
from assay_engine.sampling.prompting import CANDIDATE
from assay_engine.store import Store, memory_store
from assay_engine.types import Code, Model, Prompt, Report, SourceText
from support.judging_reader import Data, read, scenarios, verdict
from support.scripted_model import ScriptedModel, fenced
from support.sessions import session_of
from support.specifying import specified
from support.unpunctual_model import UnpunctualModel

HEADER = "def clamp(value: int, low: int, high: int) -> int:\n"
DOCSTRING = '    """Limit a value to the range from low to high, both included."""\n'
TEXT = f"{HEADER}{DOCSTRING}    return min(value, high)\n"
RIGHT = f"{HEADER}    return max(low, min(value, high))\n"
# Divided, so that there are voters to hold against it and a finding to be made or not.
CANDIDATES = [RIGHT] * 5 + [TEXT] * 5
SCENARIOS = {
    "below the range": "clamp(-4, 0, 3)\nclamp(-9, 2, 5)",
    "within the range": "clamp(2, 0, 3)",
    "above the range": "clamp(7, 0, 3)\nclamp(9, 1, 1)",
}
FILING = CheckUnit(SourceText("clamp.py", TEXT), specified(TEXT), "digest", ())
ORDERS = (None, 1, 2)
THRIFTY = (0.1, 0.6)
# As where a server adds to the prompt, or counts what a model thinks.
WASTEFUL = (0.5, 1.8)
AMPLE = Budget(requests_per_check=1_000, tokens_per_check=10**7)


class Court(Struct, frozen=True):
    """What a judge is asked about: the report so far, and the replies that it rests on."""

    report: Report
    kept: Model
    context: CheckContext


def misread(prompt: Prompt, sample: int) -> bool:
    """Of first replies, some that hold no answer; always the same ones."""
    return sample % 2 == 0 and Random(f"{prompt.user} {sample}").random() < 0.4


def framed(text: str, prompt: Prompt, sample: int) -> str:
    return "I do not know." if sample == 0 else text


def exercised(prompt: Prompt, sample: int) -> str:
    """Inputs at once for the last scenario, after one and two repairs for the others."""
    _, data = read(prompt.user)
    scenario = data["scenario"]
    ready = {"below the range": 2, "within the range": 1}.get(scenario, 0)
    return SCENARIOS[scenario] if sample // 2 >= ready else "There are many of them."


def is_right(data: Data, output: str) -> bool:
    value, low, high = ast.literal_eval(data["input"].partition("clamp")[2])
    return output == f"returned: {max(low, min(value, high))}"


def conforming(prompt: Prompt, sample: int) -> str:
    _, data = read(prompt.user)
    right = is_right(data, data["output"])
    return (
        "Hard to say." if misread(prompt, sample) else verdict("CORRECT" if right else "INCORRECT")
    )


def preferring(prompt: Prompt, sample: int) -> str:
    _, data = read(prompt.user)
    word = "FIRST" if is_right(data, data["first"]) else "SECOND"
    return "Hard to say." if misread(prompt, sample) else verdict(word)


def unpunctual(order: int | None, shares: tuple[float, float]) -> UnpunctualModel:
    properties = "ARGUMENTS: low is at most high\nSTDIN: none\nFILES: none\nMOCKS: none"
    scripted = ScriptedModel(
        {
            "[candidate]": [fenced(each) for each in CANDIDATES],
            "[inputs] Choose": [fenced("\n".join(SCENARIOS.values()))],
            "[scenarios]": lambda *asked: framed(scenarios(*SCENARIOS), *asked),
            "[properties]": lambda *asked: framed(properties, *asked),
            "[inputs]": exercised,
            "[repair]": exercised,
            "[conforms]": conforming,
            "[preference]": preferring,
        }
    )
    return UnpunctualModel(scripted, order, shares)


def on_a_budget(model: Model, budget: Budget, store: Store) -> Session:
    uncounted = UNCOUNTED_PER_SLOT * Sampling().concurrency
    return session_of(
        model,
        store=store,
        ration=Ration(Allowance.of_check(budget), uncounted),
        ledger=Ledger(store, budget, today=lambda: date(2026, 1, 2)),
        led=CANDIDATE,
    )


def context(executor: Executor, model: Session) -> CheckContext:
    settings = Settings(sampling=Sampling(max_tokens=400), execution=Execution(calls=120))
    return CheckContext(model, None, executor, settings, lambda _: True, lambda _: None)


@pytest.fixture(scope="module")
def court(executor: Executor) -> Iterator[Court]:
    with memory_store() as store:
        model = session_of(unpunctual(None, THRIFTY), store=store)
        checking = context(executor, model)
        report = asyncio.run(check_unit(checking, FILING, NO_MODULES))[-1]
        yield Court(report, session_of(Forbidden(model.name), store=store), checking)


async def opinion(court: Court, budget: Budget, model: UnpunctualModel) -> Report:
    with memory_store() as store:
        judging = replace(court.context, model=on_a_budget(model, budget, store))
        return await with_opinion(judging, court.kept, FILING, court.report)


async def test_a_judge_with_an_ample_budget_asks_and_finds_the_same(court: Court) -> None:
    outcomes: set[object] = set()
    for order in ORDERS:
        model = unpunctual(order, THRIFTY)
        report = await opinion(court, AMPLE, model)
        outcomes.add((to_json([report], []), tuple(model.asked)))
        assert Code.JUDGED in {finding.code for finding in report.findings}
    assert len(outcomes) == 1


async def test_a_judge_is_asked_about_a_function_whose_module_does_not_load(
    executor: Executor, tmp_path: Path
) -> None:
    root = tmp_path.resolve()
    (root / "pyproject.toml").touch()
    (root / "beside.py").touch()
    text = f"import beside\nraise SystemExit('no arguments')\n{TEXT}"
    specification = specified(text, workspace=workspace_modules(root / "own.py", root))
    assert specification.place is not None
    specification = placed_among(specification, with_files(specification.place, root, text))
    filing = CheckUnit(SourceText(str(root / "own.py"), text), specification, "digest", ())
    with memory_store() as store:
        model = session_of(unpunctual(None, THRIFTY), store=store)
        checking = context(executor, model)
        report = (await check_unit(checking, filing, NO_MODULES))[-1]
        kept = session_of(Forbidden(model.name), store=store)
        judged = await with_opinion(checking, kept, filing, report)
    assert Code.JUDGED in {finding.code for finding in judged.findings}


@pytest.mark.parametrize("requests", [3, 5, 7, 9, 12, 15, 17, 18])
async def test_replies_in_any_order_give_the_same_report_where_requests_run_out(
    court: Court, requests: int
) -> None:
    """Among inputs and their repairs, votes and second votes, and comparisons."""
    outcomes: set[object] = set()
    for order in ORDERS:
        model = unpunctual(order, THRIFTY)
        report = await opinion(court, replace(AMPLE, requests_per_check=requests), model)
        outcomes.add((to_json([report], []), tuple(model.asked)))
        assert len(model.asked) == requests
    assert len(outcomes) == 1


@pytest.mark.parametrize(
    ("tokens", "shares"),
    [
        *((tokens, THRIFTY) for tokens in (6_000, 8_000, 12_000, 15_000)),
        *((tokens, WASTEFUL) for tokens in (7_000, 12_000, 20_000, 30_000, 40_000)),
    ],
)
async def test_replies_in_any_order_give_the_same_report_where_tokens_run_out(
    court: Court, tokens: int, shares: tuple[float, float]
) -> None:
    """Also where replies take more than was set aside for them."""
    unbounded = unpunctual(None, shares)
    await opinion(court, AMPLE, unbounded)
    outcomes: set[object] = set()
    for order in ORDERS:
        model = unpunctual(order, shares)
        report = await opinion(court, replace(AMPLE, tokens_per_check=tokens), model)
        outcomes.add((to_json([report], []), tuple(model.asked)))
        assert len(model.asked) < len(unbounded.asked)
    assert len(outcomes) == 1


@pytest.mark.parametrize(
    ("tokens", "shares"),
    [(3_000, THRIFTY), (4_500, WASTEFUL), (6_000, WASTEFUL), (7_000, WASTEFUL)],
)
async def test_a_check_asks_for_the_same_candidates_where_tokens_run_out(
    executor: Executor, tokens: int, shares: tuple[float, float]
) -> None:
    outcomes: set[object] = set()
    for order in ORDERS:
        model = unpunctual(order, shares)
        with memory_store() as store:
            budget = replace(AMPLE, tokens_per_check=tokens)
            checking = context(executor, on_a_budget(model, budget, store))
            report = (await check_unit(checking, FILING, NO_MODULES))[-1]
        outcomes.add((to_json([report], []), tuple(model.asked)))
        assert len(model.asked) < 11
    assert len(outcomes) == 1
