"""Which candidate is offered where several do what the evidence asks for."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.fixes.selecting import changed
from assay_engine.types import Status
from support.trials import put_on_trial, scripted

CHUNKED = '''
def chunked(items: list[int], size: int) -> list[list[int]]:
    """Lists of `size` consecutive items, from the first on; the last one may be shorter.

    `size` is positive.
    """
    chunks = []
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            chunks.append(chunk)
            chunk = []
    return chunks
'''
CLOSE = CHUNKED.replace(
    "    return chunks", "    if chunk:\n        chunks.append(chunk)\n    return chunks"
)
OTHER = """
def chunked(items, size):
    return [items[i : i + size] for i in range(0, len(items), size)]
"""


async def test_of_candidates_that_do_the_same_the_one_that_changes_least_is_offered(
    executor: Executor,
) -> None:
    model = scripted([OTHER, OTHER, CLOSE], ["chunked([1, 2, 3], 2)", "chunked([], 1)"])
    report = await put_on_trial(executor, CHUNKED, "chunked", model)
    assert report.verdict.status is Status.SUSPECT
    (replacement,) = report.replacements
    lines = replacement.diff.splitlines()
    changed_lines = [each for each in lines if each.startswith(("+ ", "- "))]
    assert changed_lines == ["+    if chunk:", "+        chunks.append(chunk)"]


TRUNCATED = '''
def truncate(text: str, width: int) -> str:
    """The text, cut to at most `width` characters, the last of which is a dot if it was cut."""
    return text if len(text) < width else text[: width - 1] + "."
'''
RIGHT = """
def truncate(text, width):
    if len(text) <= width:
        return text
    if width <= 0:
        return ""
    return text[: width - 1] + "."
"""
SHORTER = """
def truncate(text, width):
    return text if len(text) <= width else text[: max(width - 1, 0)] + "."
"""


async def test_what_most_candidates_do_elsewhere_is_preferred(executor: Executor) -> None:
    model = scripted([SHORTER, *[RIGHT] * 9], ["truncate('abc', 3)", "truncate('hello', 0)"])
    report = await put_on_trial(executor, TRUNCATED, "truncate", model)
    assert report.verdict.status is Status.SUSPECT
    (replacement,) = report.replacements
    assert "width <= 0" in replacement.diff


WORKDAYS = '''
def workdays(start: int, end: int) -> int:
    """How many of the days from `start` to `end`, both included, are workdays; day 0 is a Monday.

    `end` is not before `start`.
    """
    count = 0
    day = start
    while day < end:
        count += day % 7 < 5
        day += 1
    return count
'''
COUNTED = """
def workdays(start, end):
    if end < start:
        start, end = end, start
    return sum(day % 7 < 5 for day in range(start, end + 1))
"""


async def test_what_most_do_where_nobody_asked_counts_less_than_closeness(
    executor: Executor,
) -> None:
    close = WORKDAYS.replace("day < end", "day <= end")
    inputs = [f"workdays({start}, {start + days})" for start in range(4) for days in (0, 1, 4, 9)]
    report = await put_on_trial(
        executor, WORKDAYS, "workdays", scripted([*[COUNTED] * 5, *[close] * 3], inputs)
    )
    assert report.verdict.status is Status.SUSPECT
    (replacement,) = report.replacements
    assert "+    while day <= end:" in replacement.diff


def test_what_is_changed_is_counted_in_parts() -> None:
    assert changed("a = b + 1\n", "a = b + 1\n") == 0
    assert changed("a = b + 1\n", "a = b + 2\n") == 2
    assert changed("if a:\n    b()\n", "if a:\n    b()\n    c()\n") == 4


COUNTED_DOWN = '''
def down(n: int) -> list[int]:
    """The numbers from n down."""
    return {}
'''


def counted_down(returned: str) -> str:
    return COUNTED_DOWN.format(returned)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("down(3)", "returns [3, 2, 1]"),
        ("down(30)", "does what all 10 candidates do"),
    ],
)
async def test_a_replacement_is_named_by_what_it_does_unless_that_is_long(
    executor: Executor, call: str, said: str
) -> None:
    model = scripted([counted_down("list(range(n, 0, -1))")], [call])
    own = counted_down("list(range(n, 1, -1))")
    report = await put_on_trial(executor, own, "down", model)
    assert report.verdict.status is Status.SUSPECT
    assert [each.behaviour for each in report.replacements] == [said]
