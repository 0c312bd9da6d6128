"""Triangulation from samples to a decision, with a scripted model and the real sandbox."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest

from assay_engine.reading.specification import specify
from assay_engine.reading.units import find_units
from assay_engine.running.laboratory import Laboratory
from assay_engine.transforming import Bounds, Forward, Triangulation, triangulate
from assay_engine.triangulation.values import Arguments
from assay_engine.types import Specification
from assay_sandbox import Limits, Program, Sandbox
from support.scripted_model import Answers, ScriptedModel, fenced

LIMITS = Limits(call_seconds=0.5, total_seconds=6.0)
BOUNDS = Bounds(witnesses=4, batch=2, seconds=60.0)


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    with Sandbox() as sandbox:
        yield Laboratory(sandbox, sandbox, LIMITS)


def specification(header: str, docstring: str) -> Specification:
    text = f'{header}\n    """{docstring}"""\n    return None\n'
    return specify(text, find_units(text)[0][0])


def forwards(entry: str, *sources: tuple[str, int]) -> list[Forward]:
    return [Forward(Program(source, entry), weight) for source, weight in sources]


def survey(
    *parameters: tuple[str, str],
    result: str = "total",
    several: bool = False,
    elementwise: bool = False,
    length: tuple[str, str] | None = None,
) -> list[str]:
    reply = {
        "result_name": result,
        "several_answers": several,
        "elementwise": elementwise,
        "length_parameter": length and length[0],
        "measured_parameter": length and length[1],
        "parameters": [{"name": name, "values": values} for name, values in parameters],
    }
    return [f"```json\n{json.dumps(reply)}\n```"]


async def tried(
    laboratory: Laboratory,
    original: Specification,
    samples: list[Forward],
    inputs: Sequence[Arguments],
    script: dict[str, Answers],
    bounds: Bounds = BOUNDS,
) -> tuple[Triangulation, ScriptedModel]:
    model = ScriptedModel(script)
    found = await triangulate(model, laboratory, original, samples, inputs, bounds)
    return found, model


PRICE = specification(
    "def price(cents: int, count: int) -> int:",
    "The price of so many items, one of three being free.",
)
# The frequent mistake takes a third off the price; the right one counts free items.
PRICES = forwards(
    "price",
    ("def price(cents, count):\n    return cents * count * 2 // 3\n", 3),
    ("def price(cents, count):\n    return cents * (count - count // 3)\n", 2),
)
PRICE_INPUTS = [(c, n) for c in (5, 7, 20) for n in (1, 2, 4, 5, 7)]
RESTATED = fenced(
    "def price_sinv_cents(total: int, count: int) -> list[int]:\n"
    '    """List all values of cents with this total, one of three items being free."""'
)
WITNESS = fenced(
    "def price_sinv_cents(total, count):\n"
    "    paid = sum(1 for number in range(1, count + 1) if number % 3)\n"
    "    return [total // paid] if total % paid == 0 else []\n"
)


async def test_witnesses_select_the_right_minority(laboratory: Laboratory) -> None:
    found, model = await tried(
        laboratory,
        PRICE,
        PRICES,
        PRICE_INPUTS,
        {
            "[survey]": survey(("cents", "one"), ("count", "few")),
            "[set_inverse]": [RESTATED],
            "[solution]": [WITNESS],
        },
    )
    assert found.selected == 1
    assert found.decisive is not None
    assert found.decisive.plan.name == "FWD-SINV"
    assert found.decisive.agreed
    (refuted,) = found.decisive.refuted
    assert refuted.forward == 0
    assert refuted.got != refuted.chosen
    assert found.usage.requests == len(model.asked)
