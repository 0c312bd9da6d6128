"""Attempts that came to nothing: what is said of them, and that the next one is none the worse."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support.check_workspace import MODULE, Workspace, answering, workspace
from support.openai_server import (
    Behaviour,
    OpenAIServer,
    drop,
    empty_choice,
    stall,
    status,
)

# What one check may reserve at once, and hardly more: two attempts of one count would not fit.
TIGHT = """\
[tool.assay.sampling]
retries = 0
[tool.assay.budget]
requests_per_check = 11
tokens_per_check = 28000
"""
TWO = f"{MODULE}\n\n{MODULE.replace('clamp', 'limit')}"
PATIENCE_SECONDS = 60.0


def tight(folder: Path, server: OpenAIServer, module: str = MODULE) -> Workspace:
    own = workspace(folder, server, module)
    (folder / "pyproject.toml").write_text(TIGHT, encoding="utf-8")
    return own


def recovers(folder: Path) -> bool:
    with OpenAIServer(answering()) as server:
        run = Workspace(folder, server.base_url).assay("check", "limits.py")
    assert "budget" not in run.stdout
    return "ASY101" in run.stdout


@pytest.mark.parametrize("fault", [status(500), status(429), drop, empty_choice])
def test_attempts_that_failed_take_nothing_from_the_next(tmp_path: Path, fault: Behaviour) -> None:
    with OpenAIServer([fault]) as server:
        own = tight(tmp_path, server)
        for _ in range(3):
            assert "abstained" in own.assay("check", "limits.py", "--again").stdout
    assert recovers(tmp_path)


def test_attempts_that_reached_nobody_take_nothing_from_the_next(tmp_path: Path) -> None:
    with OpenAIServer([status(500)]) as server:
        own = tight(tmp_path, server)
    for _ in range(3):
        run = own.assay("check", "limits.py")
        assert "requests could not be sent" in run.stdout
        assert "cannot be reached" in run.stdout
        assert "cost: no model was asked" in run.stdout
    assert "0 of 2,000,000 tokens spent today" in own.assay("doctor").stdout
    assert recovers(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal here")
def test_attempts_that_were_stopped_take_nothing_from_the_next(tmp_path: Path) -> None:
    with OpenAIServer([stall(60)]) as server:
        own = tight(tmp_path, server)
        for attempt in range(1, 4):
            stopped_when(own, lambda attempt=attempt: len(server.requests) >= attempt * 8)
    assert recovers(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by signal here")
def test_attempts_that_were_killed_take_nothing_from_the_next(tmp_path: Path) -> None:
    with OpenAIServer([stall(60)]) as server:
        own = tight(tmp_path, server)
        for attempt in range(1, 4):
            stopped_when(
                own, lambda attempt=attempt: len(server.requests) >= attempt * 8, signal.SIGKILL
            )
    assert recovers(tmp_path)


@pytest.mark.parametrize("fault", [status(404), status(500), drop])
def test_each_abstention_has_its_cause_once(tmp_path: Path, fault: Behaviour) -> None:
    with OpenAIServer([fault]) as server:
        run = tight(tmp_path, server, TWO).assay("check", "limits.py")
    notes = [line for line in run.stdout.splitlines() if "note:" in line]
    assert "usable candidate" not in run.stdout
    first, *others = notes
    assert "requests failed" in first
    assert all("requests failed" in other and other != first for other in others)
    second = next(line for line in run.stdout.splitlines() if " limit: " in line)
    assert others or "for a reason given above" in second


def test_requests_without_a_usable_reply_are_accounted_for(tmp_path: Path) -> None:
    with OpenAIServer([empty_choice]) as server:
        empty = tight(tmp_path, server).assay("check", "limits.py").stdout
        sent = len(server.requests)
    assert f"cost: {sent} requests sent ({sent} answered, 0 failed)" in empty
    assert f"and {18 * sent} tokens now; no reply could be used" in empty
    with OpenAIServer([status(401)]) as server:
        refused = tight(tmp_path, server).assay("check", "limits.py").stdout
    assert "(0 answered, " in refused
    assert "failed)" in refused


def stopped_when(
    own: Workspace, ready: Callable[[], bool], how: signal.Signals = signal.SIGINT
) -> None:
    """Starts a check and ends it once `ready`."""
    with own.started("check", "limits.py") as process:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not ready():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(how)
        out, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert "ASY" not in out
