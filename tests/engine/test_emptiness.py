"""How much of an input is nothing."""

from __future__ import annotations

import pytest

from assay_engine.deciding.emptiness import emptiness
from assay_engine.running.laboratory import Laboratory
from assay_engine.types import Status
from assay_sandbox import Call, Expression
from support.trials import put_on_trial, scripted


@pytest.mark.parametrize(
    ("call", "count"),
    [
        (Call((1, "a", [2], False)), 0),
        (Call((0, "", [], None, 0.0)), 5),
        (Call(([0, 1],), (("key", ()),)), 2),
        (Call((Expression("limited(0, lambda: [])"),)), 2),
        (Call((Expression("limited(1, False)"),)), 0),
        (Call((Expression("limited("),)), 0),
    ],
)
def test_nought_nothing_and_none_are_counted(call: Call, count: int) -> None:
    assert emptiness(call) == count


SPLIT = '''
def parts(text: str, size: int) -> list[str]:
    """The text in parts of so many characters; the last may be shorter. All of it if size is 0."""
    return [text[at : at + size] for at in range(0, len(text), size or 1)][:-1]
'''
RIGHT = """\
def parts(text, size):
    if not size:
        return [text]
    return [text[at : at + size] for at in range(0, len(text), size)]
"""


async def test_of_inputs_that_show_as_much_one_that_is_something_comes_first(
    laboratory: Laboratory,
) -> None:
    model = scripted([RIGHT] * 10, ("parts('a', 0)", "parts('abc', 2)"))
    report = await put_on_trial(laboratory, SPLIT, "parts", model)
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.witness is not None
    assert finding.witness.call == "parts('abc', 2)"
