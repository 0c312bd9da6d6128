"""The demo: the examples on trial from recorded replies, held against the truth about them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from demo_truth import TRUTH

from assay_sandbox import Call, Program, Returned, Sandbox, decode
from support.forking import forked
from support.sharing import made_once

ROOT = Path(__file__).resolve().parents[2]
REPLIES = ROOT / "examples" / "replies.jsonl"


def demo(folder: Path, *arguments: str, alone: bool = False) -> subprocess.CompletedProcess[str]:
    """The command of `make demo`, with nothing in the environment that could reach a model."""
    command = ("-m", "assay_engine", "check", "examples", "--replay", str(REPLIES), *arguments)
    return subprocess.run(
        [sys.executable, *command] if alone else forked(*command),
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> str:
    def run(folder: Path) -> None:
        run = demo(ROOT, "--format", "json")
        assert run.returncode == 1, run.stderr
        (folder / "report.json").write_text(run.stdout, encoding="utf-8")

    return (made_once(tmp_path_factory, "demo", run) / "report.json").read_text("utf-8")


@pytest.fixture(scope="module")
def reports(first: str) -> dict[str, dict[str, Any]]:
    return {report["qualname"]: report for report in json.loads(first)["reports"]}


def test_every_example_is_reported_on(reports: dict[str, dict[str, Any]]) -> None:
    assert set(reports) == set(TRUTH)


@pytest.mark.parametrize("qualname", sorted(TRUTH))
def test_the_verdict_is_right(qualname: str, reports: dict[str, dict[str, Any]]) -> None:
    report, truth = reports[qualname], TRUTH[qualname]
    codes = [finding["code"] for finding in report["findings"]]
    assert report["verdict"]["status"] == truth.status, report["findings"]
    assert codes == ([truth.code] if truth.code else [])


def test_a_finding_above_information_shows_an_input(reports: dict[str, dict[str, Any]]) -> None:
    loud = {
        qualname: finding["witness"]
        for qualname, report in reports.items()
        for finding in report["findings"]
        if finding["severity"] in ("error", "warning")
    }
    assert set(loud) == {name for name, truth in TRUTH.items() if truth.status == "suspect"}
    for qualname, witness in loud.items():
        assert witness["call"], qualname
        assert len(witness["outcomes"]) > 1, qualname


@pytest.mark.timeout(300)
def test_the_second_run_is_identical_byte_for_byte(first: str) -> None:
    # An interpreter of its own has another seed for its hashes, too.
    assert demo(ROOT, "--format", "json", alone=True).stdout == first


def test_nothing_was_asked(reports: dict[str, dict[str, Any]]) -> None:
    paid = [report["cost"]["paid"] for report in reports.values()]
    assert {number for cost in paid for number in cost.values()} == {0}


@pytest.fixture(scope="module")
def repaired(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples after `--apply`."""

    def repair(folder: Path) -> None:
        shutil.copytree(ROOT / "examples", folder / "examples")
        run = demo(folder, "--apply")
        assert run.returncode == 1, run.stderr

    return made_once(tmp_path_factory, "repaired", repair) / "examples"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


@pytest.mark.parametrize("qualname", sorted(name for name in TRUTH if TRUTH[name].fix))
def test_the_replacement_is_right(qualname: str, repaired: Path, sandbox: Sandbox) -> None:
    truth = TRUTH[qualname]
    assert truth.fix is not None
    module = (repaired / f"{truth.module}.py").read_text("utf-8")
    for call, expected in truth.fix.calls:
        program = Program(f"{module}\n\ndef _ask():\n    return repr({call})\n", "_ask")
        (seen,) = sandbox.run(program, [Call()])
        assert isinstance(seen, Returned), seen
        assert decode(seen.value) == expected
