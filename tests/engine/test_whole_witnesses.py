"""Messages are cut short; the witnesses beside them hold the values as a whole."""

from __future__ import annotations

import re

import pytest

from assay_engine.compare.evidence import Evidence, Instability
from assay_engine.compare.executor import Executor
from assay_engine.compare.verdict import abstained
from assay_engine.messages.at_a_glance import verdict_line
from assay_engine.messages.findings import findings
from assay_engine.messages.phrases import told_apart
from assay_engine.pages.hover import hover_text
from assay_engine.types import (
    Example,
    ExampleFailure,
    Finding,
    Input,
    Name,
    Origin,
    Outcome,
    Span,
    Verbatim,
    Witness,
    Words,
    text_of,
)
from assay_sandbox import Call, Returned, encode
from support.specifying import specified
from support.trials import put_on_trial, scripted

NUMBERS = list(range(100))
FUNCTION = '''
def shuffled(xs: list[int]) -> list[int]:
    """The same numbers in another order."""
'''


def told(evidence: Evidence) -> tuple[Finding, Witness]:
    (finding,) = findings(evidence, abstained())
    assert finding.witness is not None
    return finding, finding.witness


def returned(value: list[int]) -> Returned:
    return Returned(encode(value))


def test_what_two_runs_do() -> None:
    given = Input(Call((NUMBERS,)), Origin.PROPOSED)
    runs = Instability(given, returned(NUMBERS), returned(NUMBERS[::-1]))
    finding, witness = told(Evidence(specified(FUNCTION), instability=runs))
    assert str(NUMBERS) not in finding.message
    assert witness.call == f"shuffled({NUMBERS})"
    assert [each.what for each in witness.outcomes] == [
        f"returns {NUMBERS}",
        f"returns {NUMBERS[::-1]}",
    ]


def test_what_an_example_calls() -> None:
    call = f"shuffled({NUMBERS})"
    failure = ExampleFailure(Example((), call, "[]", True, Span(0, 0)), str(NUMBERS), 0, 0, 0)
    finding, witness = told(Evidence(specified(FUNCTION), failed_examples=(failure,)))
    assert call not in finding.message
    assert witness.call == call


CART = '''\
from dataclasses import dataclass


@dataclass
class Cart:
    items: dict


def filled(count: int) -> Cart:
    """A cart with so many apples, and a pear."""
    return Cart({"apple": ("Granny Smith", "from the orchard", count + 1), "pear": ("Williams", 1)})
'''
FILLED = """\
def filled(count):
    return Cart({"apple": ("Granny Smith", "from the orchard", count), "pear": ("Williams", 1)})
"""
# Against either, a value is shortened otherwise, or anyhow.
RAISING = "def filled(count):\n    raise ValueError(count)\n"
EMPTY = FILLED.replace('"Williams", 1', '"Williams", 9')


@pytest.mark.parametrize("others", [[], [RAISING] * 3, [EMPTY] * 3, [EMPTY] * 2 + [RAISING]])
async def test_wherever_two_outcomes_are_cut_they_show_where_they_differ(
    executor: Executor, others: list[str]
) -> None:
    replies = [FILLED] * (10 - len(others)) + others
    calls = [f"filled({number})" for number in range(70, 76)]
    report = await put_on_trial(executor, CART, "filled", scripted(replies, calls))
    message = report.findings[0].message
    for shown in (verdict_line(report), message, hover_text(report)):
        count = int(re.findall(r"filled\((\d+)\)", shown)[0])
        assert re.search(rf"Cart\([^()]*'apple': \([^()]*\b{count}\b", shown), shown
        assert re.search(rf"Cart\([^()]*'apple': \([^()]*\b{count + 1}\b", shown), shown


def test_a_value_is_set_against_what_the_other_did_in_the_same_place() -> None:
    def did(left: str, returned: str) -> Outcome:
        parts = Words("leaves "), Name("cart"), Words(" as "), Verbatim(left)
        return Outcome.of(
            "", (*parts, Words(" and returns "), Verbatim(returned)), 1, is_original=False
        )

    cart = "Cart(items={{'apple': ('Granny Smith', 'from the orchard', {})}})"
    one = did(cart.format(2), "None")
    # What it returns is more like what the first leaves than what it leaves is.
    other = did(cart.format(3), cart.format("2), 'pear': ('Williams', 1"))
    shown = [text_of(phrase) for phrase in told_apart(one, other, 90)]
    assert "2)}) and returns None" in shown[0]
    assert "3)}) and returns Cart" in shown[1]
