"""An interpreter that never says a word: who waits for it, for how long, and what is left of it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from assay_sandbox import (
    Call,
    InterpreterUnusable,
    Program,
    Sandbox,
    SandboxError,
    SandboxUnavailable,
    TimedOut,
    starting,
    zygotes,
)
from support.interpreters import silent_interpreter, started_by
from support.waiting import DEADLINE_SECONDS, eventually

PROGRAM = Program("def f():\n    return 1\n", "f")


@pytest.fixture
def silent(tmp_path: Path) -> Path:
    return silent_interpreter(tmp_path)


def outcome(sandbox: Sandbox) -> SandboxError:
    with pytest.raises(SandboxError) as caught:
        sandbox.run(PROGRAM, [Call()])
    return caught.value


def test_it_is_waited_for_once_by_all(silent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zygotes, "START_SECONDS", 3.0)
    monkeypatch.setattr(starting, "ASK_SECONDS", 1.0)
    with Sandbox(silent) as sandbox, ThreadPoolExecutor() as threads:
        first = list(threads.map(outcome, [sandbox] * 3))
        tried = started_by(silent)
        assert tried
        # Nor is it tried anew for the next program.
        assert isinstance(outcome(sandbox), InterpreterUnusable)
        assert started_by(silent) == tried
    assert all(str(silent) in str(each) for each in first)


def test_what_closes_the_sandbox_ends_it(silent: Path) -> None:
    with ThreadPoolExecutor() as threads:
        sandbox = Sandbox(silent)
        waiting = threads.submit(outcome, sandbox)
        eventually(lambda: bool(started_by(silent)))
        sandbox.close()
        ended = waiting.result(DEADLINE_SECONDS)
        assert isinstance(ended, SandboxUnavailable)
        assert "closed" in ended.reason
    eventually(lambda: not any(map(psutil.pid_exists, started_by(silent))))


def test_who_gives_up_does_not_wait_for_it(silent: Path) -> None:
    with Sandbox(silent) as sandbox, ThreadPoolExecutor() as threads:
        assert sandbox.tier_within(0.1) is None
        assert sandbox.started_in is None
        cancelled = threading.Event()
        running = threads.submit(
            sandbox.run_many, [PROGRAM, PROGRAM], [Call()], cancelled=cancelled
        )
        cancelled.set()
        for row in running.result(DEADLINE_SECONDS):
            (seen,) = row
            assert isinstance(seen, TimedOut)
            assert seen.whole_batch


def test_a_sandbox_that_is_closed_before_it_was_used_starts_nothing(silent: Path) -> None:
    sandbox = Sandbox(silent)
    sandbox.close()
    assert isinstance(outcome(sandbox), SandboxUnavailable)
    assert started_by(silent) == []
