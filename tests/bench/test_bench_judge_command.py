"""`assay bench judge` as a user runs it: a real process, real files, an endpoint on loopback."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.forking import forked
from support.judging_reader import Data, Reader, scenarios, verdict
from support.openai_server import OpenAIServer, Request, status

DOUBLE = "def f(x):\n    return 2 * x\n"
SQUARE = "def f(x):\n    return x * x\n"
WRONG_BELOW_ZERO = "def f(x):\n    return 2 * abs(x)\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    tests = [{"inputs": f"({x},)", "output": str(2 * x)} for x in (-3, 0, 2, 5)]
    tasks = [
        {
            "task_id": f"T/{number}",
            "entry_point": "f",
            "signature": "def f(x: int) -> int",
            "description": f'"""\nTwice x, task {number}.\nassert f(2) == 4\n"""\n',
            "tests": tests,
        }
        for number in range(4)
    ]
    samples = [
        {"task_id": "T/0", "samples": [DOUBLE] * 10},
        {"task_id": "T/1", "samples": [SQUARE] * 10},
        {"task_id": "T/2", "samples": [DOUBLE] * 10},
        {"task_id": "T/3", "samples": [WRONG_BELOW_ZERO] * 10},
    ]
    for name, lines in (("tasks", tasks), ("samples", samples)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def conforms(data: Data) -> str:
    (x,) = map(int, re.findall(r"-?\d+", data["input"]))
    return verdict("CORRECT" if data["output"] == f"returned: {2 * x}" else "INCORRECT")


def reader() -> Reader:
    """It sees what is wrong with outputs, and finds every code that it reads correct."""
    return Reader(
        {
            "scenarios": lambda _: scenarios("x above zero", "x below zero"),
            "inputs": lambda data: "f(3)" if data["scenario"] == "x above zero" else "f(-3)",
            "conforms": conforms,
            "zero_shot": lambda _: verdict("CORRECT"),
            "hoare_precondition": lambda _: "x is an int",
            "hoare_step": lambda _: "something is returned",
            "hoare_verdict": lambda _: verdict("CORRECT"),
        }
    )


def run(data: Path, out: str, *more: str, base_url: str = "", code: int = 0) -> str:
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("ASSAY_", "OPENAI_"))
    }
    if base_url:
        environment |= {"ASSAY_BASE_URL": base_url, "ASSAY_MODEL": "reader"}
    done = subprocess.run(
        forked(
            *("-m", "assay_engine", "bench", "judge"),
            *("--tasks", str(data / "tasks.jsonl.gz")),
            *("--samples", str(data / "samples.jsonl.gz")),
            *("--pick", "4", "--reruns", "2", "--out", str(data / out), *more),
        ),
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        env=environment,
    )
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def summary(data: Path, out: str) -> dict[str, Any]:
    return json.loads((data / out / "summary.json").read_text())


def test_judges_are_measured_and_measured_the_same_from_a_recording(data: Path) -> None:
    record = data / "replies.jsonl"
    with OpenAIServer(reader()) as server:
        table = run(data, "live", "--record", str(record), base_url=server.base_url)
    found = summary(data, "live")
    assert (found["samples"], found["right"], found["reruns"], found["failed"]) == (4, 2, 2, 0)
    by_judge = {each["judge"]: each for each in found["performance"]}
    assert by_judge["trails"]["mcc"] == by_judge["assay"]["mcc"] == 1.0
    assert by_judge["zero-shot"]["mcc"] == by_judge["hoare"]["mcc"] == 0.0
    assert by_judge["trails"]["tokens"] > by_judge["zero-shot"]["tokens"] > 0
    stable = {each["judge"]: (each["correct"], each["incorrect"]) for each in found["stability"]}
    assert stable == {"trails": (2, 2), "assay": (2, 2), "zero-shot": (2, 0), "hoare": (2, 0)}
    both = next(each for each in found["overlap"] if each["judges"] == ["trails", "assay"])
    assert (both["correct"], both["incorrect"]) == (0, 2)
    assert "1. performance" in table

    lines = record.read_text().splitlines()
    assert "Twice x" not in record.read_text()
    assert all("prompt" not in json.loads(line) for line in lines)
    assert run(data, "again", "--replay", str(record)) == table
    for name in ("judgements.jsonl", "summary.json"):
        assert (data / "again" / name).read_bytes() == (data / "live" / name).read_bytes()


@pytest.mark.parametrize("form", ["codet", "codet-io"])
def test_generated_tests_judge_a_sample_among_those_of_its_task(data: Path, form: str) -> None:
    """Four of ten samples are right and pass four tests; the six others pass two."""
    odd = [*[DOUBLE] * 4, *[SQUARE] * 6]
    lines = [{"task_id": f"T/{number}", "samples": odd} for number in range(4)]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (data / "samples.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    asserted = form == "codet"
    tests = ["f(3) == 6", "f(-1) == -2", "f(5) == 10", "f(2) == 4", "f(4) == 16", "f(0) == x"]
    written = "\n".join(f"assert {test}" if asserted else test for test in tests)
    kind = "tests_asserted" if asserted else "tests_expected"
    replies = Reader({kind: lambda _: f"```python\n{written}\nassert True\n```"})
    with OpenAIServer(replies) as server:
        chosen = ("--judges", form, "--pick", "2", "--reruns", "1")
        run(data, "out", *chosen, base_url=server.base_url)
        assert len(server.requests) == 6
    rows = [json.loads(line) for line in (data / "out" / "judgements.jsonl").open()]
    assert {(row["right"], row["ruling"]) for row in rows} == {
        (True, "correct"),
        (False, "incorrect"),
    }
    (vote,) = next(row for row in rows if row["right"])["votes"]
    reason = f"4 of 10 samples and 4 of {6 if asserted else 5} tests agree"
    assert vote["question"] == "tests"
    assert vote["reason"].startswith(reason)


def test_a_coroutine_that_no_test_awaits_is_wrong(data: Path) -> None:
    later = DOUBLE.replace("def", "async def")
    lines = [
        {"task_id": f"T/{number}", "samples": [DOUBLE if number % 2 else later] * 10}
        for number in range(4)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (data / "samples.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    with OpenAIServer(reader()) as server:
        run(data, "out", "--judges", "trails", "--reruns", "1", base_url=server.base_url)
    picked = [json.loads(line) for line in (data / "out" / "picked.jsonl").open()]
    assert {each["task_id"]: each["right"] for each in picked} == {
        f"T/{number}": bool(number % 2) for number in range(4)
    }
    rows = [json.loads(line) for line in (data / "out" / "judgements.jsonl").open()]
    # The judge is shown what a caller of the function gets.
    assert all((row["ruling"] == "correct") == row["right"] for row in rows)
    assert {pair["output"].partition("\n")[0] for pair in rows[0]["pairs"]} == {
        "returned: unawaited_coroutine()"
    }


def test_an_endpoint_that_dies_costs_only_what_it_did_not_answer(data: Path) -> None:
    honest = reader()

    def dying(request: Request) -> Any:
        return honest(request) if request.number < 12 else status(401)

    with OpenAIServer(dying) as server:
        said = run(data, "out", "--judges", "trails,zero-shot", base_url=server.base_url, code=2)
    assert "the same command asks again" in said
    with OpenAIServer(reader()) as server:
        run(data, "out", "--judges", "trails,zero-shot", base_url=server.base_url)
        asked = len(server.requests)
    assert summary(data, "out")["failed"] == 0
    with OpenAIServer(reader()) as server:
        run(data, "whole", "--judges", "trails,zero-shot", base_url=server.base_url)
        assert len(server.requests) == asked + 12
    assert (data / "whole" / "judgements.jsonl").read_bytes() == (
        data / "out" / "judgements.jsonl"
    ).read_bytes()


def test_what_is_missing_is_said_in_a_sentence(data: Path) -> None:
    assert "Set ASSAY_BASE_URL and ASSAY_MODEL, or give --replay" in run(data, "a", code=2)
    said = run(data, "b", "--judges", "x", code=2)
    assert "none of trails, assay, zero-shot, hoare, codet, codet-io" in said
    with OpenAIServer(reader()) as server:
        said = run(data, "c", "--pick", "20", base_url=server.base_url, code=2)
        assert "Only 2 right and 2 wrong samples were found; lower --pick" in said
        run(data, "c", "--pick", "2", "--judges", "zero-shot", base_url=server.base_url)
    for name, lines in (
        ("others", [{"task_id": "U/1", "samples": [DOUBLE]}]),
        ("untested", [{"task_id": "T/0", "entry_point": "f", "description": "", "tests": []}]),
    ):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (data / f"{name}.jsonl").write_text(text, encoding="utf-8")
    others, untested = (str(data / f"{name}.jsonl") for name in ("others", "untested"))
    nowhere = "http://127.0.0.1:9/v1"
    said = run(data, "d", "--samples", others, base_url=nowhere, code=2)
    assert "others.jsonl has no task of" in said
    said = run(data, "d", "--truth", untested, base_url=nowhere, code=2)
    assert "untested.jsonl has no inputs and outputs for the tasks of" in said
    said = run(data, "d", "--calibrated-on", str(data), base_url=nowhere, code=2)
    assert f"There are no judgements in {data}" in said
    (data / "c" / "judgements.jsonl").write_text("{\n", encoding="utf-8")
    calibrated = ("--calibrated-on", str(data / "c"))
    said = run(data, "d", *calibrated, base_url=nowhere, code=2)
    assert "judgements.jsonl is damaged" in said
