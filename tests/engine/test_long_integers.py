"""Integers that CPython does not write in decimal, wherever values are put into words."""

from __future__ import annotations

import ast

import pytest

from assay_engine.settling.serialising import input_text, output_text
from assay_engine.values.describing import call_text, outcome_words, stand_in
from assay_sandbox import Call, Program, Returned, Sandbox, decode, render
from support.saying import outcome_text
from support.specifying import specified

MODULE = (
    'def power(x):\n    """Raise ten."""\n    x.append(10 ** 6000)\n    return {x[-1]: -x[-1]}\n'
)
LONG = 10**6000


@pytest.mark.parametrize(
    "value",
    [LONG, -LONG, 10**640 - 1, 10**640, -(10**640), [{LONG: (1,)}]],
    ids=lambda value: type(value).__name__,
)
def test_a_rendered_integer_is_python_that_reads_back(value: object) -> None:
    assert ast.literal_eval(render(value)) == value


def test_a_short_integer_stays_decimal() -> None:
    assert render(10**30) == "1" + "0" * 30


def test_what_a_call_with_long_integers_did_is_worded() -> None:
    specification = specified(MODULE)
    call = Call(([LONG],))
    with Sandbox(workers=1) as sandbox:
        (seen,) = sandbox.run(Program(MODULE, "power"), [call])
    assert isinstance(seen, Returned)
    assert decode(seen.value) == {LONG: -LONG}
    assert ast.literal_eval(call_text(call, specification, 20_000)[6:-1]) == [LONG]
    assert outcome_text(seen, limit=20_000) == f"returns {{{LONG:#x}: {-LONG:#x}}}"
    other = Returned(seen.value)
    changed = f"leaves its arguments as ([{LONG:#x}, {LONG:#x}])"
    assert outcome_text(seen, other, 20_000) == changed
    assert input_text(call, specification).startswith("power([0xbdd4")
    assert output_text(seen).startswith("returned: {0xbdd4")


def test_a_stand_in_can_hold_a_long_integer() -> None:
    made = stand_in({"size": LONG, "read()": [LONG]})
    assert made is not None
    ast.parse(made.source)
    assert outcome_words(LONG) == f"returns {LONG:#x}"
