"""The limits of a triangulation: what is asked within them does not depend on who answers first."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from assay_engine.check.context import CheckContext
from assay_engine.check.pipeline import check_unit
from assay_engine.check_unit import CheckUnit
from assay_engine.cli.json_report import to_json
from assay_engine.compare.executor import Executor
from assay_engine.config.settings import Execution, Sampling, Settings, Thorough
from assay_engine.dependencies.modules import NO_MODULES
from assay_engine.methods.triangulation.samples import Forward
from assay_engine.methods.triangulation.triangulating import Bounds, triangulate
from assay_engine.types import Prompt, SourceText, Tier
from assay_sandbox import Program
from support.scripted_model import ScriptedModel, fenced, preferring
from support.sessions import session_of
from support.specifying import specified
from support.unpunctual_model import UnpunctualModel

TEXT = 'def near(n: int) -> int:\n    """Return a neighbour of n."""\n    return n + 1\n'
CANDIDATES = ["n + 1"] * 5 + ["n - 1"] * 3 + ["n + 2"] * 2
SURVEY = {
    "result_name": "chosen",
    "several_answers": True,
    "elementwise": False,
    "length_parameter": None,
    "measured_parameter": None,
    "parameters": [{"name": "n", "values": "few"}],
}
ENUMERATION = 'def near_enum(n: int) -> tuple[bool, list[int]]:\n    """All neighbours, take {}."""'
INVERSE = (
    'def near_sinv_n(chosen: int) -> list[int]:\n    """All n with neighbour chosen, take {}."""'
)
# Some of them are wrong, so that each that comes or does not come may count.
NEIGHBOURS = ("{0} - 1, {0} + 1", "{0} + 1, {0} - 1", "{0} + 1", "{0} - 1, {0} + 1, {0} + 2")
AMPLE = Thorough(witnesses=20, batch=3, seconds=60.0)
ORDERS = (None, 1, 2, 3)
THRIFTY = (0.1, 0.6)
# As where a server adds to the prompt, or counts what a model thinks.
WASTEFUL = (0.5, 1.8)


def restated(text: str, late: int) -> Callable[[Prompt, int], str]:
    """Rewritings, of which number `late` comes on the second try."""

    def reply(prompt: Prompt, sample: int) -> str:
        again = "could not be used" in prompt.user
        return fenced(text.format(sample)) if again or sample != late else "I do not know."

    return reply


def unpunctual(order: int | None, shares: tuple[float, float]) -> UnpunctualModel:
    enumerators = [f"def near_enum(n):\n    return (True, [{each}])\n" for each in NEIGHBOURS]
    witnesses = [f"def near_sinv_n(chosen):\n    return [{each}]\n" for each in NEIGHBOURS]
    scripted = ScriptedModel(
        {
            "[candidate]": [fenced(f"def near(n):\n    return {each}\n") for each in CANDIDATES],
            "[inputs]": [fenced("\n".join(f"near({n})" for n in range(9)))],
            "[survey]": [json.dumps(SURVEY)],
            "[enumeration]": restated(ENUMERATION, 0),
            "[set_inverse]": restated(INVERSE, 1),
            "[preference]": [preferring("UNDECIDED")],
            "def near_enum": [fenced(each.format("n")) for each in enumerators],
            "def near_sinv": [fenced(each.format("chosen")) for each in witnesses],
        }
    )
    return UnpunctualModel(scripted, order, shares)


async def report_on(executor: Executor, thorough: Thorough, model: UnpunctualModel) -> str:
    """The whole report, as JSON."""
    settings = Settings(
        sampling=Sampling(max_tokens=400), execution=Execution(calls=120), thorough=thorough
    )
    subject = CheckUnit(SourceText("near.py", TEXT), specified(TEXT), "digest", ())
    context = CheckContext(
        session_of(model),
        None,
        executor,
        settings,
        lambda _: True,
        lambda _: None,
        Tier.THOROUGH,
    )
    return to_json([(await check_unit(context, subject, NO_MODULES))[-1]], [])


def asked_to_transform(model: UnpunctualModel) -> list[str]:
    """The names of the prompts of the triangulation."""
    names = ("survey", "enumeration", "set_inverse", "solution")
    return [prompt.name for prompt, _ in model.asked if prompt.name in names]


@pytest.mark.parametrize("requests", [6, 9, 15])
async def test_replies_in_any_order_give_the_same_report_where_requests_run_out(
    executor: Executor, requests: int
) -> None:
    """Among the second tries, the solutions of the first batch, and those of the second."""
    thorough = replace(AMPLE, requests=requests)
    reports: set[str] = set()
    for order in ORDERS:
        model = unpunctual(order, THRIFTY)
        reports.add(await report_on(executor, thorough, model))
        assert len(asked_to_transform(model)) == requests
    assert len(reports) == 1


@pytest.mark.parametrize(
    ("tokens", "shares"),
    [(2_500, THRIFTY), (3_000, WASTEFUL), (6_000, WASTEFUL), (9_500, WASTEFUL)],
)
async def test_replies_in_any_order_give_the_same_report_where_tokens_run_out(
    executor: Executor, tokens: int, shares: tuple[float, float]
) -> None:
    """Also where replies take more than was set aside for them."""
    unbounded = unpunctual(None, shares)
    await report_on(executor, AMPLE, unbounded)
    reports: set[str] = set()
    for order in ORDERS:
        model = unpunctual(order, shares)
        reports.add(await report_on(executor, replace(AMPLE, tokens=tokens), model))
        assert len(asked_to_transform(model)) < len(asked_to_transform(unbounded))
    assert len(reports) == 1


async def test_schemes_that_are_tried_at_once_share_a_limit_in_one_order(
    executor: Executor,
) -> None:
    forwards = [
        Forward(Program(f"def near(n):\n    return n {each}\n", "near"), weight)
        for each, weight in (("+ 1", 5), ("- 1", 3), ("+ 2", 2))
    ]
    thorough = replace(AMPLE, requests=12)
    bounds = Bounds(thorough, Sampling(), exhaust=True)
    outcomes: set[object] = set()
    for order in ORDERS:
        model = unpunctual(order, THRIFTY)
        found = await triangulate(
            *(model, executor, specified(TEXT), forwards, [(n,) for n in range(6)], bounds)
        )
        drawn = tuple((each.plan.name, each.witnesses, each.problems) for each in found.attempts)
        outcomes.add((str(drawn), found.selected, found.problems, found.drawn))
        assert len(model.asked) == thorough.requests
    assert len(outcomes) == 1
