"""Asynchronous classes are tried in the states that steps lead to, and steps may raise."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.fixes.clarifying import clarified
from assay_engine.inputs.proposed import proposals_in
from assay_engine.pages.hover import hover_text
from assay_engine.splicing import apply_edits
from assay_engine.types import Code, Problem, ProblemKind, Status
from assay_engine.values.describing import call_text
from support.specifying import specified
from support.trials import put_on_trial, scripted

COUNTER = '''
import asyncio


class Counter:
    def __init__(self) -> None:
        self.count = 0

    async def bump(self, by: int) -> int:
        """Count further by this, and give the count. A count never falls below 0."""
        await asyncio.sleep(0)
        self.count = {counted}
        return self.count

    def reached(self, count: int) -> bool:
        """Whether the counter has come that far."""
        return self.count >= count
'''
BUMP = """
async def bump(self, by):
    self.count += by
    if self.count < 0:
        self.count = 0
    return self.count
"""
BUMPS = (
    "it = Counter(); it.bump(1); it.bump(2); it.bump(3)",
    "it = Counter(); await it.bump(4); await it.bump(-2)",
    "it = Counter(); await it.bump(-1)",
    "it = Counter(); await asyncio.gather(it.bump(1), it.bump(7)); it.bump(0)",
    "it = Counter(); seen = await it.bump(5); it.bump(seen)",
    "Counter().bump(2)",
)
RIGHT = "max(self.count + by, 0)"
# Right as long as the counter has just been made.
FIRST_ONLY = "max(by, 0)"


def counter(counted: str = RIGHT) -> str:
    return COUNTER.format(counted=counted)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (BUMPS[0], BUMPS[0]),
        (BUMPS[1], BUMPS[1]),
        # Who awaits in steps awaits the call.
        (BUMPS[3], BUMPS[3].replace("; it.bump(0)", "; await it.bump(0)")),
        ("async with Counter() as it: it.bump(1); it.bump(2)", "async with Counter() as it: it.bump(1); result = it.bump(2); result"),  # noqa: E501
        ("it = Counter(); [it.bump(n) for n in (1, 2)]; it.bump(2)", "it = Counter(); [it.bump(n) for n in (1, 2)]; it.bump(2)"),  # noqa: E501
    ],
)  # fmt: skip
def test_a_line_that_awaits_is_a_call(line: str, shown: str) -> None:
    specification = specified(counter(), "Counter.bump")
    (proposal,) = proposals_in(line, specification)
    assert call_text(proposal.call, specification) == shown


async def test_states_are_reached(executor: Executor) -> None:
    model = scripted([BUMP] * 10, BUMPS)
    right = await put_on_trial(executor, counter(), "Counter.bump", model)
    assert right.verdict.status is Status.TRUSTED
    found = await put_on_trial(executor, counter(FIRST_ONLY), "Counter.bump", model)
    assert [finding.code for finding in found.findings] == [Code.DIFFERS]
    witness = found.findings[0].witness
    assert witness is not None
    assert witness.call == "it = Counter(); await it.bump(4); await it.bump(-2)"
    assert [outcome.what for outcome in witness.outcomes][:1] == [
        "return 2 and leave the object as Counter(count=2)"
    ]


async def test_a_method_that_awaits_nothing_is_tried_after_steps_that_do(
    executor: Executor,
) -> None:
    lines = [
        f"it = Counter(); {steps}it.reached({count})"
        for steps in ("", "it.bump(2); ", "await it.bump(1); await it.bump(2); ")
        for count in (0, 1, 2, 3)
    ]
    model = scripted(["def reached(self, count):\n    return not self.count < count\n"], lines)
    right = await put_on_trial(executor, counter(), "Counter.reached", model)
    assert right.verdict.status is Status.TRUSTED
    wrong = counter().replace("self.count >= count", "self.count + bool(self.count) >= count")
    found = await put_on_trial(executor, wrong, "Counter.reached", model)
    assert found.verdict.status is Status.SUSPECT


async def test_an_example_that_would_say_so_runs_what_it_awaits(executor: Executor) -> None:
    text = counter(FIRST_ONLY)
    model = scripted([BUMP] * 10, BUMPS[1:2])
    report = await put_on_trial(executor, text, "Counter.bump", model)
    assert report.verdict.status is Status.SUSPECT
    assert "await it.bump(4); await it.bump(-2)" in hover_text(report)
    (offered,) = report.clarifications
    assert offered.example.splitlines() == [
        ">>> import asyncio",
        ">>> it = Counter()",
        ">>> _ = asyncio.run(it.bump(4))",
        ">>> asyncio.run(it.bump(-2))",
        "0",
    ]
    edits = clarified(text, report, 0)
    assert not isinstance(edits, Problem)
    (example,) = specified(apply_edits(text, edits), "Counter.bump").examples
    assert example.call == "asyncio.run(it.bump(-2))"


BREAKER = '''
import asyncio
from collections.abc import Awaitable, Callable


class Breaker:
    """Calls what may fail; after so many failures in a row it calls nothing any more."""

    def __init__(self, failures_max: int) -> None:
        self.failures_max = failures_max
        self.failures = 0

    async def call(self, job: Callable[[], Awaitable[int]]) -> int:
        """Give what the job gives, and pass on what it raises.

        After `failures_max` failures in a row the job is not called.

        Raises:
            RuntimeError: if the job is not called.
        """
        if self.failures >= self.failures_max:
            raise RuntimeError("open")
        try:
            result = await asyncio.wait_for(job(), 1)
        except Exception:
            self.failures += 1
            raise
        {succeeded}
        return result
'''
CALL = """
async def call(self, job):
    if self.failures_max <= self.failures:
        raise RuntimeError("the breaker is open")
    try:
        result = await job()
    except Exception:
        self.failures = self.failures + 1
        raise
    self.failures = 0
    return result
"""
GOOD, BAD = "lambda: asyncio.sleep(0, 1)", "lambda: asyncio.sleep(0, 1 / 0)"
FAILED = f"try:\n    await it.call({BAD})\nexcept ZeroDivisionError:\n    pass"
BREAKERS = (
    f"Breaker(1).call({GOOD})",
    f"Breaker(1).call({BAD})",
    f"it = Breaker(1)\n{FAILED}\nit.call({GOOD})",
    f"it = Breaker(2)\n{FAILED}\nit.call({GOOD})\n{FAILED}\nit.call({GOOD})",
    f"it = Breaker(2)\n{FAILED}\n{FAILED}\nit.call({GOOD})",
    f"it = Breaker(0); it.call({GOOD})",
)


async def test_failures_lead_to_states_and_are_passed_over(executor: Executor) -> None:
    model = scripted([CALL] * 10, BREAKERS)
    right = BREAKER.format(succeeded="self.failures = 0")
    report = await put_on_trial(executor, right, "Breaker.call", model)
    assert report.verdict.status is Status.TRUSTED
    wrong = BREAKER.format(succeeded="pass")
    report = await put_on_trial(executor, wrong, "Breaker.call", model)
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert "all 10 candidates return 1, this raises RuntimeError" in finding.message


LIMITER = '''
class Limiter:
    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0

    def take(self) -> int:
        """Take one more, and give how many are left.

        Raises:
            OverflowError: if none is left.
        """
        if self.taken >= self.most{late}:
            raise OverflowError
        self.taken += 1
        return self.most - self.taken
'''
TAKE = """
def take(self):
    left = self.most - self.taken
    if left <= 0:
        raise OverflowError("none is left")
    self.taken += 1
    return left - 1
"""
TAKES = (
    "it = Limiter(3); it.take(); it.take(); it.take(); it.take()",
    "it = Limiter(3); it.take()",
)


async def test_what_a_step_raises_is_an_outcome(executor: Executor) -> None:
    model = scripted([TAKE] * 10, TAKES)
    right = await put_on_trial(executor, LIMITER.format(late=""), "Limiter.take", model)
    assert right.verdict.status is Status.TRUSTED
    # By the last call both have raised the same.
    early = await put_on_trial(executor, LIMITER.format(late=" - 1"), "Limiter.take", model)
    assert early.verdict.status is Status.SUSPECT
    assert early.findings[0].message == (
        "it = Limiter(3); … it.take(): all 10 candidates raise OverflowError, "
        "this raises already at it.take(): OverflowError"
    )
    late = await put_on_trial(executor, LIMITER.format(late=" + 1"), "Limiter.take", model)
    assert late.verdict.status is Status.SUSPECT


ENTERED = '''
import asyncio
import contextlib


@contextlib.asynccontextmanager
async def borrowed(pool: list[int]):
    """Take the last one out of the pool for the block, and give it back afterwards, at the end,
    also if the block fails."""
    taken = pool.pop()
    {giving}
'''
BACK = "try:\n        yield taken\n    finally:\n        await asyncio.sleep(0)\n        pool.append(taken)"  # noqa: E501
NOT_BACK = "yield taken\n    await asyncio.sleep(0)\n    pool.append(taken)"
FAILING = "try:\n    async with borrowed(pool):\n        {}\nexcept {}:\n    pass\npool"
BLOCKS = (
    "pool = [1, 2]\nasync with borrowed(pool) as it:\n    seen = it, [*pool]\n(seen, pool)",
    "pool = [7]\nasync with borrowed(pool) as it:\n    await asyncio.sleep(0, it)",
    f"pool = [1, 2]\n{FAILING.format('1 / 0', 'ZeroDivisionError')}",
    f"pool = [1, 2, 3]\n{FAILING.format('[][9]', 'IndexError')}",
)


async def test_asynchronous_context_managers_are_tried(executor: Executor) -> None:
    right = ENTERED.format(giving=BACK)
    model = scripted([right[right.index("@contextlib") :]] * 10, BLOCKS)
    report = await put_on_trial(executor, right, "borrowed", model)
    assert report.verdict.status is Status.TRUSTED
    report = await put_on_trial(executor, ENTERED.format(giving=NOT_BACK), "borrowed", model)
    assert report.verdict.status is Status.SUSPECT
    assert "pool" in report.findings[0].message
    assert ProblemKind.UNSUPPORTED_SHAPE not in [each.kind for each in report.problems]
