"""`assay check` as a user runs it: a real process, a real file, a real endpoint on loopback."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.check_workspace import (
    CRASHING,
    KEY,
    MODULE,
    PROJECT,
    RIGHT,
    RIGHT_MODULE,
    WRONG,
    Workspace,
    answering,
    workspace,
)
from support.forking import forked
from support.openai_server import (
    Behaviour,
    OpenAIServer,
    Request,
    answer,
    completion,
    drop,
    empty_choice,
    empty_choices,
    huge,
    null_content,
    ok,
    stall,
    status,
    truncated,
)
from support.scripted_model import Siding, preferring


def test_a_wrong_function_is_shown_with_its_input_and_its_replacement(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        run = workspace(tmp_path, server).assay("check", "limits.py")
    assert run.returncode == 1, run.stderr
    assert "limits.py:1 clamp: suspect" in run.stdout
    assert "ASY101 warning: clamp(" in run.stdout
    assert "all 10 candidates return 0, this returns 1" in run.stdout
    assert "-    return min(max(value, low + 1), high)" in run.stdout
    assert "+    return max(low, min(value, high))" in run.stdout
    assert "13 requests and 234 tokens now" in run.stdout


def test_a_function_that_is_right_costs_five_requests(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        run = workspace(tmp_path, server, RIGHT_MODULE).assay(
            "check", "limits.py", "--format", "json"
        )
    assert len(server.requests) == 5
    (report,) = json.loads(run.stdout)["reports"]
    assert (report["verdict"]["status"], report["candidates"]) == ("trusted", 4)


@pytest.mark.parametrize("word", ["FIRST", "SECOND", "UNDECIDED"])
def test_a_model_that_answers_without_reading_accuses_nobody(tmp_path: Path, word: str) -> None:
    good = answering()

    def script(request: Request) -> Behaviour:
        asks = "Two functions" in request.body["messages"][-1]["content"]
        return ok(preferring(word)) if asks else good(request)

    with OpenAIServer(script) as server:
        run = workspace(tmp_path, server).assay("check", "limits.py")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "clamp: ambiguous" in run.stdout
    assert "ASY201 information: clamp(-4, 0, 3): all 10 candidates return 0, this" in run.stdout


def test_inputs_are_asked_for_again(tmp_path: Path) -> None:
    good, tries = answering(), 0

    def script(request: Request) -> Behaviour:
        nonlocal tries
        if "Choose inputs" not in request.body["messages"][-1]["content"]:
            return good(request)
        tries += 1
        choices = [{"index": 0, "error": {"message": "upstream failed"}}]
        broken = answer(completion("", choices=choices))
        return (broken, ok("I cannot think of any."), good(request))[tries - 1]

    with OpenAIServer(script) as server:
        run = workspace(tmp_path, server, RIGHT_MODULE).assay("check", "limits.py", "--verbose")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "clamp: trusted" in run.stdout
    assert "upstream failed" not in run.stdout
    assert "7 requests" in run.stdout


def test_a_project_cannot_raise_what_a_check_costs_but_its_user_can(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        asking = f"{PROJECT}candidates = 20\n[tool.assay]\njudge = 'always'\n"
        (tmp_path / "pyproject.toml").write_text(asking, encoding="utf-8")
        run = own.assay("check", "limits.py")
        assert len(server.requests) == 13
        (tmp_path / "settings.toml").write_text("sampling.candidates = 15\n", encoding="utf-8")
        raised = own.assay("check", "limits.py", ASSAY_SETTINGS=str(tmp_path / "settings.toml"))
        assert len(server.requests) == 18
    assert "The project asks for sampling.candidates = 20, and 10 is used" in run.stderr
    assert "The project asks for judge = always, and off is used" in run.stderr
    assert "sampling.candidates = 20, and 15 is used" in raised.stderr


def test_a_short_budget_pays_for_inputs_before_candidates(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        short = f"{PROJECT}[tool.assay.budget]\nrequests_per_check = 6\n"
        (tmp_path / "pyproject.toml").write_text(short, encoding="utf-8")
        run = own.assay("check", "limits.py", "--verbose")
        asked = [request.body["messages"][-1]["content"] for request in server.requests]
    assert len(asked) == 6
    assert [text for text in asked if "Choose inputs" in text]
    assert "all 5 candidates return 0, this returns 1" in run.stdout


def test_the_key_of_another_service_is_not_sent(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server, RIGHT_MODULE)
        own.assay("check", "limits.py", ASSAY_API_KEY="", OPENAI_API_KEY="sk-another")
        sent = [request.headers.get("authorization", "") for request in server.requests]
    assert len(sent) == 5
    assert not [value for value in sent if "sk-another" in value]


def test_a_trusted_function_takes_one_line_and_none_when_quiet(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server, RIGHT_MODULE)
        plain = own.assay("check", "limits.py").stdout.splitlines()
    verbose = own.assay("check", "limits.py", "--offline", "--verbose").stdout.splitlines()
    quiet = own.assay("check", "limits.py", "--offline", "--quiet").stdout.splitlines()
    head, total, cost = plain
    assert head.startswith("limits.py:1 clamp: trusted, confidence 0.82 that it is right (4 of 4 ")
    assert total == "1 function: 1 trusted"
    assert cost.startswith("cost: 5 requests")
    assert [line for line in verbose if line.startswith("  evidence: ")]
    assert [line for line in verbose if line.startswith("  cost: ")]
    assert quiet[0] == "1 function: 1 trusted"


def test_quiet_still_says_what_could_not_be_checked_and_what_was_found(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        found = own.assay("check", "limits.py", "--quiet")
        unchecked = own.assay("check", "limits.py", "--quiet", "--again", "--replay", "none.jsonl")
    assert "ASY101 warning: clamp(" in found.stdout
    assert "all 10 candidates  return" in found.stdout
    assert not [line for line in found.stdout.splitlines() if line.startswith(("  ev", "  repl"))]
    assert unchecked.returncode == 2
    both = own.assay("check", "limits.py", "--quiet", "--verbose")
    assert both.returncode == 2
    assert "--verbose and --quiet cannot be combined" in both.stderr


def test_what_cannot_be_read_stands_in_the_json_too(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        (tmp_path / "broken.py").write_bytes(b"# caf\xe9\n")
        run = own.assay("check", "limits.py", "broken.py", "--format", "json")
    document = json.loads(run.stdout)
    assert run.returncode == 2
    assert [report["qualname"] for report in document["reports"]] == ["clamp"]
    assert len(document["unreadable"]) == 1
    assert "broken.py" in document["unreadable"][0]


def test_the_second_run_asks_nothing_and_says_the_same(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        first = own.assay("check", "limits.py")
        asked = len(server.requests)
        second = own.assay("check", "limits.py")
        third = own.assay("check", "limits.py", "--again", "--offline")
        assert len(server.requests) == asked == 13
    assert second.returncode == third.returncode == 1

    def without_cost(run: subprocess.CompletedProcess[str]) -> list[str]:
        return [line for line in run.stdout.splitlines() if "cost:" not in line]

    assert without_cost(first) == without_cost(second) == without_cost(third)
    assert second.stdout == third.stdout


def test_what_was_recorded_can_be_replayed_without_a_network(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        live = own.assay("check", "limits.py", "--record", "replies.jsonl")
    replayed = own.assay("check", "limits.py", "--replay", "replies.jsonl")
    again = own.assay("check", "limits.py", "--replay", "replies.jsonl")
    assert live.returncode == replayed.returncode == 1
    assert replayed.stdout == again.stdout
    assert "ASY101" in replayed.stdout


def test_a_changed_docstring_is_not_in_the_transcript(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        own.assay("check", "limits.py", "--record", "replies.jsonl")
    own.module.write_text(MODULE.replace("Limit", "Restrict"), encoding="utf-8")
    run = own.assay("check", "limits.py", "--replay", "replies.jsonl")
    assert run.returncode == 2
    assert run.stdout.count("note:") == 1
    assert "replies.jsonl has no reply for this function: its signature, docs" in run.stdout


def test_a_replacement_is_applied_and_then_found_right(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        applied = own.assay("check", "limits.py", "--apply")
        after = own.assay("check", "limits.py")
    assert "clamp replaced" in applied.stdout
    assert own.module.read_text("utf-8") == MODULE.replace(
        "min(max(value, low + 1), high)", "max(low, min(value, high))"
    )
    assert after.returncode == 0
    assert "clamp: trusted" in after.stdout


def test_what_is_ambiguous_is_not_replaced(tmp_path: Path) -> None:
    with OpenAIServer(answering([RIGHT, WRONG], reading="UNDECIDED")) as server:
        own = workspace(tmp_path, server, RIGHT_MODULE)
        run = own.assay("check", "limits.py", "--apply")
    assert "clamp: ambiguous" in run.stdout
    # The next check would find the docstring ambiguous, whichever candidate stood there.
    assert "replaced" not in run.stdout
    assert own.module.read_text("utf-8") == RIGHT_MODULE


def test_what_divided_candidates_do_is_left_to_people(tmp_path: Path) -> None:
    with OpenAIServer(answering([RIGHT, WRONG])) as server:
        own = workspace(tmp_path, server, MODULE.replace("max(value, low + 1)", "value"))
        run = own.assay("check", "limits.py", "--apply")
    assert "clamp: suspect" in run.stdout
    assert "5 of 10 candidates return 0, this returns -4, as 5 others do" in run.stdout
    assert "clamp not replaced: the candidates are divided; decide yourself" in run.stdout
    assert run.returncode == 1


USING = '''
def quadruple(number: int) -> int:
    """Four times the number."""
    return double(double(number))


def double(number: int) -> int:
    """Twice the number."""
    return number + 2
'''


def test_a_function_is_not_replaced_for_the_fault_of_one_that_it_uses(tmp_path: Path) -> None:
    reader = Siding()

    def script(request: Request) -> Behaviour:
        prompt = request.body["messages"][-1]["content"]
        name, factor = ("quadruple", 4) if "Four times" in prompt else ("double", 2)
        if "Choose inputs" in prompt:
            return ok(f"```python\n{name}(1)\n{name}(3)\n{name}(7)\n```")
        if "Two functions" in prompt:
            return ok(reader.answer(prompt))
        return ok(f"```python\ndef {name}(number):\n    return {factor} * number\n```")

    with OpenAIServer(script) as server:
        own = workspace(tmp_path, server, USING)
        applied = own.assay("check", "limits.py", "--apply")
        again = own.assay("check", "limits.py", "--apply")

    assert "quadruple: suspect" in applied.stdout
    assert "quadruple not replaced: it uses double; check it again" in applied.stdout
    assert "double replaced" in applied.stdout
    assert own.module.read_text("utf-8") == USING.replace("number + 2", "2 * number")
    assert again.returncode == 0
    assert "quadruple: trusted" in again.stdout


def test_an_evenly_divided_model_means_an_ambiguous_docstring(tmp_path: Path) -> None:
    with OpenAIServer(answering((RIGHT, WRONG), reading="UNDECIDED")) as server:
        right = MODULE.replace("low + 1", "low")
        own = workspace(tmp_path, server, right)
        run = own.assay("check", "limits.py")
        more = own.assay("check", "limits.py", "--verbose")
    assert run.returncode == 0
    assert "clamp: ambiguous" in run.stdout
    assert "ASY201 information" in run.stdout
    assert "--- " not in run.stdout
    assert "an example that says that it returns" in more.stdout


@pytest.mark.parametrize(
    ("body", "said"),
    [("min(max(value, low + 1), high)", "suspect"), ("max(low, min(value, high))", "trusted")],
)
def test_three_crashing_candidates_of_ten_do_not_make_it_abstain(
    tmp_path: Path, body: str, said: str
) -> None:
    candidates = [RIGHT] * 7 + [CRASHING] * 3
    module = MODULE.replace("min(max(value, low + 1), high)", body)
    with OpenAIServer(answering(candidates)) as server:
        run = workspace(tmp_path, server, module).assay("check", "limits.py")
    assert f"clamp: {said}" in run.stdout
    assert ("7 of 10 candidates return" in run.stdout) is (said == "suspect")


def test_json_says_the_same_as_the_text(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        run = workspace(tmp_path, server).assay("check", "limits.py", "--format", "json")
    document = json.loads(run.stdout)
    (report,) = document["reports"]
    assert document["assay"] == 1
    assert report["verdict"]["status"] == "suspect"
    assert report["findings"][0]["code"] == "ASY101"
    assert report["findings"][0]["witness"]["outcomes"][0]["what"] == "return 0"
    assert report["replacements"][0]["candidate"].startswith("def clamp(")


def test_the_key_is_written_nowhere(tmp_path: Path) -> None:
    with OpenAIServer([status(401, f"bad key {KEY}")]) as server:
        own = workspace(tmp_path, server)
        run = own.assay("check", "limits.py", "--record", "replies.jsonl")
        doctor = own.assay("doctor")
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert run.returncode == 2
    for text in (run.stdout, run.stderr, doctor.stdout, doctor.stderr):
        assert KEY not in text
    assert KEY.encode() not in own.everything_written()


FAULTS: dict[str, tuple[Behaviour, str]] = {
    "too many requests": (status(429, headers={"Retry-After": "0"}), "429"),
    "server error": (status(500), "500"),
    "dropped connection": (drop, "127.0.0.1"),
    "truncated JSON": (truncated, "127.0.0.1"),
    "empty choice": (empty_choice, "127.0.0.1"),
    "no choices": (empty_choices, "127.0.0.1"),
    "null content": (null_content, "127.0.0.1"),
    "2 MB reply": (huge, "127.0.0.1"),
    "60 s stall": (stall(60), "127.0.0.1"),
}


@pytest.mark.timeout(240)
def test_a_failing_endpoint_ends_in_a_clear_message_and_a_usable_cache(tmp_path: Path) -> None:
    """One after the other, as on a bad day; what they leave in the cache keeps nothing away."""
    for name, (fault, said) in FAULTS.items():
        with OpenAIServer([fault]) as server:
            failed = workspace(tmp_path, server).assay("check", "limits.py")
        assert "abstained" in failed.stdout, (name, failed.stdout, failed.stderr)
        assert said in failed.stdout, name
        assert "Traceback" not in failed.stderr, name
    with OpenAIServer(answering()) as server:
        recovered = Workspace(tmp_path, server.base_url).assay("check", "limits.py")
    assert recovered.returncode == 1, recovered.stdout
    assert "ASY101" in recovered.stdout


def test_half_an_answer_is_a_partial_verdict(tmp_path: Path) -> None:
    whole = answering()
    count = 0

    def script(request: Request) -> Behaviour:
        nonlocal count
        count += 1
        return truncated if count % 3 == 0 else whole(request)

    with OpenAIServer(script) as server:
        run = workspace(tmp_path, server).assay("check", "limits.py")
    assert "ASY101" in run.stdout
    assert "replies are unusable" in run.stdout


def test_a_spent_budget_stops_before_the_request(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 300, "completion_tokens": 700}
    with OpenAIServer([answer(completion(f"```python\n{RIGHT}```", usage=usage))]) as server:
        own = workspace(tmp_path, server)
        (tmp_path / "pyproject.toml").write_text(
            "[tool.assay.budget]\ntokens_per_day = 5000\n", encoding="utf-8"
        )
        run = own.assay("check", "limits.py")
        assert len(server.requests) in (3, 4)
    assert run.returncode == 2
    assert "budget.tokens_per_day" in run.stdout


def test_without_a_model_nothing_is_sent_and_examples_still_count(tmp_path: Path) -> None:
    own = Workspace(tmp_path, "")
    own.module.write_text(MODULE.replace("    3\n", "    4\n"), encoding="utf-8")
    run = own.assay("check", "limits.py")
    assert run.returncode == 1
    assert "ASY103 error: fails its own example" in run.stdout
    assert "ASSAY_API_KEY and ASSAY_MODEL are set, and ASSAY_BASE_URL is not." in run.stdout
    assert KEY not in run.stdout


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("missing.py", "missing.py does not exist"),
        ("limits.py::nothing", "limits.py has no function nothing; it has clamp"),
        ("limits.py:900", "limits.py has no function at line 900; it has 7 lines"),
        ("limits.py:0", "limits.py:0 names no line: lines start at 1"),
        ("limits.py::clamb", "limits.py has no function clamb; there is clamp"),
        ("limits.py::Limits.clamp", "limits.py has no function Limits.clamp; there is clamp"),
        ("limits.py::Limits.clamb", "limits.py has no function Limits.clamb; there is clamp"),
    ],
)
def test_a_target_that_names_nothing(tmp_path: Path, target: str, said: str) -> None:
    with OpenAIServer(answering()) as server:
        run = workspace(tmp_path, server).assay("check", target)
    assert run.returncode == 2
    assert said in run.stderr
    assert not run.stdout


@pytest.mark.parametrize("target", ["limits.py::clamp", "limits.py:1", "limits.py:7"])
def test_one_function_by_name_or_line(tmp_path: Path, target: str) -> None:
    module = f'{MODULE}\n\ndef other(x: int) -> int:\n    """Same."""\n    return x\n'
    with OpenAIServer(answering()) as server:
        run = workspace(tmp_path, server, module).assay("check", target)
    assert "clamp: suspect" in run.stdout
    assert "1 function: 1 suspect" in run.stdout


ODD = {
    "empty": b"",
    "not_utf_8": b"\xff\xfe\x00",
    "broken": b"def f(:\n",
    "unknown_encoding": b"# coding: nonsense\n",
    "refusing_encoding": b"# coding: undefined\n",
    "encoding_of_names": b"# coding: punycode\nx = '\xe9'\n",
    "nulls": b"\x00" * 100,
}


def test_a_file_that_is_no_source_ends_nothing(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        for name, content in ODD.items():
            (tmp_path / f"{name}.py").write_bytes(content)
        run = own.assay("check", *(f"{name}.py" for name in ODD), "limits.py")
    assert "clamp: suspect" in run.stdout
    named = {name for name in ODD if f"{name}.py: " in run.stderr}
    assert named == set(ODD) - {"empty"}, run.stderr
    assert "nulls.py: This is not Python source (null bytes); restore it, or" in run.stderr
    assert "Traceback" not in run.stderr
    assert "internal error" not in run.stderr


def test_a_project_with_bad_settings_ends_the_run_before_it_costs_anything(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        (tmp_path / "other").mkdir()
        workspace(tmp_path / "other", server)
        (tmp_path / "other" / "pyproject.toml").write_text("[tool.assay]\njudge = 3\n")
        run = own.assay("check", "limits.py", "other/limits.py", "--format", "json")
        assert not server.requests
    assert run.returncode == 2
    assert "judge must be one of" in run.stderr
    document = json.loads(run.stdout)
    assert document["reports"] == []
    assert "judge must be one of" in document["unreadable"][0]


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal here")
@pytest.mark.parametrize(
    ("sent", "ignores_interrupts"), [("SIGINT", False), ("SIGTERM", False), ("SIGTERM", True)]
)
def test_what_was_finished_before_it_was_stopped_is_said(
    tmp_path: Path, sent: str, ignores_interrupts: bool
) -> None:
    whole = answering()

    def script(request: Request) -> Behaviour:
        asks_for_the_second = "def other" in request.body["messages"][-1]["content"]
        return stall(60) if asks_for_the_second else whole(request)

    # Who is started in the background by a shell ignores SIGINT, and so do those it starts.
    heard = signal.SIG_IGN if ignores_interrupts else signal.default_int_handler
    signal.signal(signal.SIGINT, heard)
    with OpenAIServer(script) as server:
        own = workspace(tmp_path, server)
        (tmp_path / "second.py").write_text(MODULE.replace("clamp", "other"), encoding="utf-8")
        arguments = ("check", "limits.py", "second.py", "--format", "json")
        with own.started(*arguments) as process:
            while not any("def other" in str(each.body) for each in server.requests):
                assert process.poll() is None, process.communicate()
                time.sleep(0.01)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            process.send_signal(signal.Signals[sent])
            out, said = process.communicate(timeout=60)
    document = json.loads(out)
    assert [report["qualname"] for report in document["reports"]] == ["clamp"]
    stopped = "stopped: 1 function checked; not checked: 1 function of second.py"
    assert document["unreadable"] == [stopped]
    assert process.returncode == 2
    assert said.endswith(f"assay: {stopped}\n")
    assert "Traceback" not in said


def test_nothing_is_left_in_the_project(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        before = {path.name for path in tmp_path.iterdir()}
        own.assay("check", "limits.py")
    assert {path.name for path in tmp_path.iterdir()} - before == {"store"}


def test_a_stored_report_speaks_of_the_place_it_is_found_at(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        own.assay("check", "limits.py")
        (tmp_path / "moved.py").write_text(f"# moved\n\n{MODULE}", encoding="utf-8")
        run = own.assay("check", "moved.py")
        assert len(server.requests) == 13
    assert "moved.py:3 clamp: suspect" in run.stdout
    assert "--- a/moved.py" in run.stdout
    assert "@@ -6,4 +6,4 @@" in run.stdout


def test_what_is_remembered_is_recorded_too(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        own.assay("check", "limits.py")
        own.assay("check", "limits.py", "--record", "replies.jsonl")
        assert len(server.requests) == 13
    assert own.assay("check", "limits.py", "--replay", "replies.jsonl").returncode == 1


def test_a_part_that_does_not_parse_is_said_and_the_rest_is_checked(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        run = workspace(tmp_path, server, f"def oops(:\n    pass\n\n\n{MODULE}").assay("check")
    assert run.returncode == 2
    assert "clamp: suspect" in run.stdout
    assert "limits.py" in run.stderr


def test_of_two_definitions_in_branches_the_one_in_use_is_checked(tmp_path: Path) -> None:
    indented = "".join(f"    {line}" for line in MODULE.splitlines(keepends=True))
    twice = f"import sys\n\nif sys.platform == 'win32':\n{indented}else:\n{indented}"
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server, twice)
        run = own.assay("check", "--apply")
        assert len(server.requests) == 13
    assert "limits.py:4 clamp: unsupported" in run.stdout
    assert (
        "Of the 2 definitions of `clamp`, number 2 is used once the module is loaded" in run.stdout
    )
    assert "limits.py:12 clamp#2: suspect" in run.stdout
    before, after = own.module.read_text("utf-8").split("else:")
    assert "return min(max(value, low + 1), high)" in before
    assert "        return max(low, min(value, high))" in after


def test_replies_without_code_are_no_clean_result(tmp_path: Path) -> None:
    with OpenAIServer([ok("I am sorry, I cannot do that.")]) as server:
        run = workspace(tmp_path, server).assay("check", "limits.py")
    assert run.returncode == 2
    assert "10 replies are left out. Sample 1: it holds no Python code.\n" in run.stdout


def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("mine", encoding="utf-8")
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        run = subprocess.run(
            forked("-m", "assay_engine", "check", "limits.py"),
            cwd=tmp_path,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "ASSAY_STORE": str(notes),
                "ASSAY_BASE_URL": own.base_url,
                "ASSAY_MODEL": "m",
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert run.returncode == 2
    assert "notes.txt, which is not a store" in run.stderr
    assert notes.read_text("utf-8") == "mine"


def test_chance_is_never_trusted(tmp_path: Path) -> None:
    module = """\
import random


def clamp(value: int, low: int, high: int) -> int:
    \"\"\"Pick a number from low to high.\"\"\"
    return random.randint(min(low, high), max(low, high))
"""
    candidate = "import random\n\n\ndef clamp(value, low, high):\n    return random.randint(0, 9)\n"
    with OpenAIServer(answering((candidate,))) as server:
        run = workspace(tmp_path, server, module).assay("check", "limits.py")
    assert "clamp: abstained" in run.stdout
    assert "ASY202" in run.stdout


def test_what_concerns_all_functions_is_said_once(tmp_path: Path) -> None:
    with OpenAIServer([status(500)]) as server:
        work = workspace(tmp_path, server, MODULE + MODULE.replace("clamp", "limit"))
        run = subprocess.run(
            forked("-m", "assay_engine", "check", "limits.py", "--verbose"),
            cwd=work.folder,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "ASSAY_BASE_URL": ""},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
    assert run.stdout.count(": abstained") == 2, run.stdout
    assert run.stdout.count("No model is configured") == 1


def test_what_is_not_checked_takes_a_line_and_what_has_no_docstring_none(tmp_path: Path) -> None:
    module = f"def helper(x):\n    return x\n\n\ndef todo(x):\n    'Later.'\n\n\n{RIGHT_MODULE}"
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server, module)
        plain = own.assay("check", "limits.py").stdout
        verbose = own.assay("check", "limits.py", "--verbose").stdout
    assert "helper" not in plain
    assert "limits.py:5 todo: unsupported: `todo` has no body yet" in plain
    assert len([line for line in plain.splitlines() if "todo" in line]) == 1
    assert "3 functions: 1 trusted, 2 unsupported (1 without a docstring; --verbose" in plain
    assert "limits.py:1 helper: unsupported: no docstring\n" in verbose


def test_a_store_that_is_found_damaged_when_it_is_closed_is_told(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        store = tmp_path / "store.sqlite3"
        own.assay("check", "limits.py", ASSAY_STORE=str(store))
        with sqlite3.connect(store) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            query = "SELECT rootpage FROM sqlite_schema WHERE name = 'entries_by_use'"
            (page,) = connection.execute(query).fetchone()
            (size,) = connection.execute("PRAGMA page_size").fetchone()
        with store.open("r+b") as file:
            # Nothing reads it before the times of what was read are written down.
            file.seek((page - 1) * size)
            file.write(bytes(size))
        run = own.assay("check", "limits.py", ASSAY_STORE=str(store))
    assert "was damaged and has been recreated" in run.stderr
    assert "today's spending so far is no longer counted" in run.stderr
