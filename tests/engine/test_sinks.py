"""Functions that a call is given for their effect: how often they are called, and with what."""

from __future__ import annotations

import pytest

from assay_engine.executor.executor import Executor
from assay_engine.sampling.prompting import inputs_prompt
from assay_engine.types import Code, Status
from support.specifying import specified
from support.trials import put_on_trial, scripted

TOLD = '''
from collections.abc import Callable

def told(items: list[str], {name}: {annotation}) -> int:
    """Tell every item, the last one first, and say how many there are."""
    for item in {order}:
        tell(item)
    return len(items)
'''
ANOTHER = """\
def told(items, tell):
    for place in range(len(items), 0, -1):
        tell(items[place - 1])
    return len(items)
"""
CALLS = tuple(
    f"told({items}, [].append)" for items in ("['a', 'b']", "[]", "['a']", "['b', 'c', 'c']")
)
ANNOTATIONS = [
    ("Callable[[str], None]", True),
    ("Callable[[str], None] | None", True),
    ("Optional[typing.Callable[[str], None]]", True),
    ("'Callable[[str], None]'", True),
    ("Callable[[str], object]", False),
    ("Callable[[str, int], None]", True),
    ("Callable[..., None]", True),
    ("Callable[[str], str]", False),
    ("Callable[[str], Awaitable[None]]", False),
    ("list[str]", False),
]


def module(order: str, annotation: str = "Callable[[str], None]", name: str = "tell") -> str:
    return TOLD.format(order=order, annotation=annotation, name=name)


@pytest.mark.parametrize(("annotation", "is_sink"), ANNOTATIONS)
def test_a_list_is_asked_for_that_keeps_what_a_function_is_told(
    annotation: str, is_sink: bool
) -> None:
    text = module("items", annotation)
    prompt = inputs_prompt(specified(text), temperature=1.0)
    assert ("What `tell` is called with" in prompt.user) is is_sink


async def test_what_it_keeps_is_compared(executor: Executor) -> None:
    model = scripted([ANOTHER] * 10, CALLS)
    right = await put_on_trial(executor, module("reversed(items)"), "told", model)
    assert right.verdict.status is Status.TRUSTED
    wrong = await put_on_trial(executor, module("items"), "told", model)
    assert wrong.verdict.status is Status.SUSPECT
    assert [finding.code for finding in wrong.findings] == [Code.DIFFERS]
    (witness,) = [finding.witness for finding in wrong.findings]
    assert witness is not None
    assert [outcome.what for outcome in witness.outcomes] == [
        "leave `tell` as ['b', 'a'].append",
        "leaves `tell` as ['a', 'b'].append",
    ]


WAITING = '''
import asyncio as loop
from collections.abc import Awaitable, Callable
from typing import Any

async def retried(
    operation: Callable[[], Awaitable[int]], sleep: {annotation}, times: int = 3
) -> int:
    """Await the operation until it raises no ConnectionError, at most so many times.

    The wait before the second time is one second, and each further one twice as long.
    """
    for number in range(times - 1):
        try:
            return await operation()
        except ConnectionError:
            await sleep(2.0 ** {power})
    return await operation()
'''
WAITED = "Callable[[float], Awaitable[object]]"
AWAITED = [
    (WAITED, True),
    ("Callable[[float], Coroutine[Any, Any, None]]", True),
    ("Callable[[float], Awaitable[float]]", False),
]
KEPT = "lambda *given, kept=[]: loop.sleep(0, kept.append(given))"
RETRIED = """\
async def retried(operation, sleep, times=3):
    pause = 1.0
    while True:
        times -= 1
        try:
            return await operation()
        except ConnectionError:
            if times < 1:
                raise
        await sleep(pause)
        pause += pause
"""


@pytest.mark.parametrize(("annotation", "is_sink"), AWAITED)
def test_of_what_is_awaited_too(annotation: str, is_sink: bool) -> None:
    text = WAITING.format(annotation=annotation, power="number")
    prompt = inputs_prompt(specified(text), temperature=1.0)
    assert (f"give `{KEPT}` for `sleep`" in prompt.user) is is_sink


async def test_how_long_was_waited_is_compared(executor: Executor) -> None:
    failing = "lambda s=[{}]: (_ for _ in ()).throw(s.pop()) if s else loop.sleep(0, 7)"
    calls = [
        f"retried({failing.format(', '.join(['ConnectionError()'] * times))}, {KEPT})"
        for times in range(2)
    ]
    model = scripted([RETRIED] * 10, calls)
    right = WAITING.format(annotation=WAITED, power="number")
    report = await put_on_trial(executor, right, "retried", model)
    assert report.verdict.status is Status.TRUSTED
    wrong = WAITING.format(annotation=WAITED, power="(number + 1)")
    report = await put_on_trial(executor, wrong, "retried", model)
    assert report.verdict.status is Status.SUSPECT
    (witness,) = [finding.witness for finding in report.findings]
    assert witness is not None
    assert [outcome.what for outcome in witness.outcomes] == [
        "leave `sleep` as <function with kept=[(1.0,)]>",
        "leaves `sleep` as <function with kept=[(2.0,)]>",
    ]
