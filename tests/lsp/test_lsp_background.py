"""Work on the engine's thread: results come back, cancellation gets there, nothing is left over."""

from __future__ import annotations

import asyncio
import threading

import pytest

from assay_lsp.engine_access import Background


@pytest.fixture
async def background():
    started = Background()
    yield started
    await asyncio.to_thread(started.stop, 5.0, lambda: None)


async def test_exceptions_reach_the_caller(background: Background) -> None:
    async def fail() -> None:
        raise KeyError("there")

    with pytest.raises(KeyError, match="there"):
        await background.run(fail)


async def test_a_cancelled_caller_returns_after_the_work_has_ended(background: Background) -> None:
    log: list[str] = []

    async def hang() -> None:
        log.append("started")
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.05)
            log.append("cleaned up")

    caller = asyncio.create_task(background.run(hang))
    while not log:
        await asyncio.sleep(0.01)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert log == ["started", "cleaned up"]


async def test_the_servers_loop_goes_on_while_the_engines_is_blocked(
    background: Background,
) -> None:
    release = threading.Event()

    async def block() -> None:
        release.wait(30)

    blocked = asyncio.create_task(background.run(block))
    for _ in range(20):
        await asyncio.sleep(0.005)
    assert not blocked.done()
    release.set()
    await blocked


async def test_stopping_cancels_what_runs_and_closes_last() -> None:
    background = Background()
    log: list[str] = []

    async def hang() -> None:
        log.append("started")
        try:
            await asyncio.sleep(60)
        finally:
            log.append("cancelled")

    running = asyncio.create_task(background.run(hang))
    while not log:
        await asyncio.sleep(0.01)
    await asyncio.to_thread(background.stop, 5.0, lambda: log.append("closed"))
    assert log == ["started", "cancelled", "closed"]
    with pytest.raises(asyncio.CancelledError):
        await running
