"""Attempts that came to nothing: what is said of them, and that the next one is none the worse."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support.check_workspace import MODULE, RIGHT, Workspace, answering, workspace
from support.openai_server import (
    Behaviour,
    OpenAIServer,
    Request,
    answer,
    completion,
    drop,
    empty_choice,
    ok,
    stall,
    status,
)

# What one check may reserve at once, and hardly more: two attempts of one count would not fit.
TIGHT = """\
[tool.assay.sampling]
retries = 0
[tool.assay.budget]
requests_per_check = 13
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
        for _ in range(2):
            assert "abstained" in own.assay("check", "limits.py", "--again").stdout
    assert recovers(tmp_path)


def test_attempts_that_reached_nobody_take_nothing_from_the_next(tmp_path: Path) -> None:
    with OpenAIServer([status(500)]) as server:
        own = tight(tmp_path, server)
    for _ in range(2):
        run = own.assay("check", "limits.py", "--verbose")
        assert "requests could not be sent" in run.stdout
        assert "cannot be reached" in run.stdout
        assert "cost: no model was asked" in run.stdout
    assert "0 of 2,000,000 tokens spent today" in own.assay("doctor").stdout
    assert recovers(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C and kills are sent as signals here")
@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_attempts_that_were_ended_take_nothing_from_the_next(tmp_path: Path, how: str) -> None:
    whole, begun = answering(), 0

    def script(request: Request) -> Behaviour:
        # Before its first reply nobody is asked anything else.
        return whole(request) if len(server.requests) <= begun + 1 else stall(60)

    def are_under_way() -> bool:
        return len(server.requests) >= begun + 4

    with OpenAIServer(script) as server:
        own = tight(tmp_path, server)
        for _ in range(2):
            begun = len(server.requests)
            stopped_when(own, are_under_way, signal.Signals[how])
    assert recovers(tmp_path)


@pytest.mark.parametrize("fault", [status(404), status(500), drop])
def test_each_abstention_has_its_cause_once(tmp_path: Path, fault: Behaviour) -> None:
    with OpenAIServer([fault]) as server:
        run = tight(tmp_path, server, TWO).assay("check", "limits.py")
    notes = [line for line in run.stdout.splitlines() if "note:" in line]
    assert "usable candidate" not in run.stdout
    first, *others = notes
    assert first.startswith("  note: 127.0.0.1:")
    assert all("127.0.0.1:" in other and other != first for other in others)
    second = next(line for line in run.stdout.splitlines() if " limit: " in line)
    assert others or ("because 127.0.0.1:" in second and second.endswith(", see above"))


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


REFUSAL = "I'm sorry, but I can't help with that."


def refusing(number_refused: int) -> Callable[[Request], Behaviour]:
    """The first so many requests for a candidate are refused in words."""
    whole, seen = answering(), 0

    def script(request: Request) -> Behaviour:
        nonlocal seen
        if "Implement this Python function" not in request.body["messages"][-1]["content"]:
            return whole(request)
        seen += 1
        return ok(REFUSAL) if seen <= number_refused else whole(request)

    return script


def test_a_model_that_refused_is_asked_anew_once_it_does_not(tmp_path: Path) -> None:
    with OpenAIServer([ok(REFUSAL)]) as server:
        refused = workspace(tmp_path, server).assay("check", "limits.py")
        # Three times for inputs.
        assert len(server.requests) == 13
    assert refused.returncode == 2
    assert "10 replies are left out" in refused.stdout
    with OpenAIServer(answering()) as server:
        own = Workspace(tmp_path, server.base_url)
        kept = own.assay("check", "limits.py", "--offline")
        assert "10 replies are left out" in kept.stdout
        assert "ASY101" in own.assay("check", "limits.py").stdout
        assert len(server.requests) == 13
        assert "ASY101" in own.assay("check", "limits.py", "--again").stdout
        assert len(server.requests) == 13


def test_again_asks_only_for_what_could_not_be_used(tmp_path: Path) -> None:
    with OpenAIServer(refusing(2)) as server:
        own = workspace(tmp_path, server)
        for _ in range(2):
            own.assay("check", "limits.py")
            assert len(server.requests) == 13, "what is decided is remembered"
        for _ in range(2):
            again = own.assay("check", "limits.py", "--again")
            assert len(server.requests) == 15
    assert "all 10 candidates return 0" in again.stdout


def test_what_was_refused_is_replayed_as_it_came(tmp_path: Path) -> None:
    with OpenAIServer(refusing(7)) as server:
        own = workspace(tmp_path, server)
        live = own.assay("check", "limits.py", "--record", "replies.jsonl")
        asked = len(server.requests)
        runs = [
            own.assay("check", "limits.py", "--replay", "replies.jsonl", *again)
            for again in ((), ("--again",))
        ]
        assert len(server.requests) == asked
    said = live.stdout.split("cost:")[0]
    assert "7 replies are left out" in said
    assert [run.stdout.split("cost:")[0] for run in runs] == [said] * 2


def test_half_a_program_is_not_put_on_trial(tmp_path: Path) -> None:
    cut = completion(f"```python\n{RIGHT}")
    cut["choices"][0]["finish_reason"] = "length"
    with OpenAIServer([answer(cut)]) as server:
        run = workspace(tmp_path, server).assay("check", "limits.py")
    assert "abstained" in run.stdout
    assert "cut its reply off at max_tokens = 2000; raise sampling.max_tokens" in run.stdout
    assert "candidates return" not in run.stdout
    assert "(13 answered, 0 failed) and 234 tokens" in run.stdout
    assert recovers(tmp_path)


def stopped_when(own: Workspace, ready: Callable[[], bool], how: signal.Signals) -> None:
    """Starts a check and ends it once `ready`."""
    # Who is started in the background by a shell ignores SIGINT, and so do those it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with own.started("check", "limits.py") as process:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not ready():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(how)
        out, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert "ASY" not in out


def test_an_endpoint_that_counts_nothing_spends_the_budget_all_the_same(tmp_path: Path) -> None:
    nothing = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    with OpenAIServer(
        lambda _: answer(completion(f"```python\n{RIGHT}```", usage=nothing))
    ) as server:
        own = tight(tmp_path, server)
        own.assay("check", "limits.py")
        spent = own.assay("doctor").stdout
        (tmp_path / "pyproject.toml").write_text("[tool.assay.budget]\ntokens_per_day = 5000\n")
        own.module.write_text(TWO.replace("Limit", "Bound"), encoding="utf-8")
        assert "The budget of today is 5,000 tokens" in own.assay("check", "limits.py").stdout
    assert "budget       0 of" not in spent
