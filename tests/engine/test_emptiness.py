"""How much of an input is nothing, and how many steps lead to it."""

from __future__ import annotations

import pytest

from assay_engine.compare.counterexamples import emptiness, empty_items, steps_before
from assay_engine.compare.executor import Executor
from assay_engine.types import Status
from assay_sandbox import Call, Expression, Instance
from support.trials import put_on_trial, scripted


@pytest.mark.parametrize(
    ("call", "count"),
    [
        (Call((1, "a", [2], False)), 0),
        (Call((0, "", [], None, 0.0)), 5),
        (Call(([0, 1], {"a": None}), (("key", ()),)), 1),
        (Call((Instance("Span", (("start", 0), ("end", 5))),)), 0),
        (Call((Instance("Queue", (("_heap", []), ("_count", 0))), 1)), 1),
        (Call((Expression("limited(0, lambda: [])"),)), 1),
        (Call((Expression("np.array([0, 1], dtype=None)"),)), 1),
        (Call((Expression("[].append"),)), 0),
        (Call((Expression("limited(1, False)"),)), 0),
        (Call((Expression("limited("),)), 0),
    ],
)
def test_nought_nothing_and_none_are_counted(call: Call, count: int) -> None:
    assert emptiness(call) == count


@pytest.mark.parametrize(
    ("call", "count"),
    [
        (Call(([2, 3], 0)), 0),
        (Call(([0, (1, "")], {"a": None})), 3),
        (Call((Instance("Span", (("start", 0),)), Expression("np.array([0])"))), 0),
        (Call(([Instance("Ticket", (("title", "a"), ("by", None), ("tags", [])))],)), 0),
    ],
)
def test_of_items_those_are_counted_that_are_nothing(call: Call, count: int) -> None:
    assert empty_items(call) == count


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("Bucket(4)", 0),
        ("it = Bucket(4)\nit", 0),
        ("it = Bucket(4)\nit.take(2)\nit.take(1)\nit", 2),
        ("it = Bucket(9)\n[it.take(i) for i in range(30)]\nit", 40),
        ("it = Bucket(9)\nfor i in range(30):\n    it.take(i)\nit", 40),
        ("it = Bucket(sum(i for i in range(3)))\nit.take(2)\nit", 1),
        ("it = (\n", 0),
    ],
)
def test_steps_lie_between_making_an_object_and_the_call(source: str, count: int) -> None:
    assert steps_before(Call((Expression(source), 0))) == count


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
    executor: Executor,
) -> None:
    model = scripted([RIGHT] * 10, ("parts('a', 0)", "parts('abc', 2)"))
    report = await put_on_trial(executor, SPLIT, "parts", model)
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.witness is not None
    assert finding.witness.call == "parts('abc', 2)"


BUCKET = '''
class Bucket:
    """Tokens that are taken out."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens

    def take(self, now: int, amount: int) -> bool:
        """Take so many tokens, all of them if need be, at this time; return whether there are."""
        if amount >= self.tokens:
            return False
        self.tokens -= amount
        return True
'''
TAKE = """\
def take(self, now, amount):
    if amount > self.tokens:
        return False
    self.tokens -= amount
    return True
"""


async def test_fewer_steps_come_before_a_nought(executor: Executor) -> None:
    steps = "it = Bucket(4); it.take(1, 1); it.take(2, 3)"
    model = scripted([TAKE] * 10, (steps, "Bucket(5).take(0, 5)"))
    report = await put_on_trial(executor, BUCKET, "Bucket.take", model)
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.witness is not None
    assert finding.witness.call == "Bucket(tokens=5).take(0, 5)"
