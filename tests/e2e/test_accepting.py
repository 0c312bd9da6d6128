"""Whoever takes a replacement is left in peace: the next check has nothing against the function. It
may say that the docstring leaves another input open, on which the candidates are divided.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from demo_truth import TRUTH

from assay_engine.config.configuration import EngineOptions
from assay_engine.engine import Engine
from assay_engine.fixes.replacing import edits_for
from assay_engine.splicing import apply_edits
from assay_engine.types import Code, Problem, ProblemKind, Report, SourceText, Status

ROOT = Path(__file__).resolve().parents[2]
PLANTED = ROOT / "benchmarks" / "planted"
PROJECTS = {
    "examples": ROOT / "examples" / "replies.jsonl",
    "backoffice": PLANTED / "backoffice" / "replies.jsonl.gz",
    "storefront": PLANTED / "storefront" / "replies.jsonl.gz",
}


def transcript(recorded: Path, folder: Path) -> str:
    if recorded.suffix != ".gz":
        return str(recorded)
    plain = folder / "replies.jsonl"
    plain.write_bytes(gzip.decompress(recorded.read_bytes()))
    return str(plain)


def wrong(project: str) -> set[tuple[str, str]]:
    """The functions that a replacement is due to, with the names of their modules."""
    if project == "examples":
        return {(f"{each.module}.py", name) for name, each in TRUTH.items() if each.fix}
    labels = (PLANTED / project / "labels.jsonl").read_text("utf-8").splitlines()
    found = map(json.loads, labels)
    return {(each["file"], each["function"]) for each in found if each["kind"] == "wrong"}


async def checked(engine: Engine, source: SourceText, names: set[str]) -> list[Report]:
    return [each async for each in engine.check(source, only=lambda unit: unit.qualname in names)]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("project", PROJECTS)
async def test_after_each_replacement_of_a_project_the_function_stays_quiet(
    project: str, tmp_path: Path
) -> None:
    recorded = PROJECTS[project]
    root = ROOT if project == "examples" else recorded.parent
    options = EngineOptions(replay=transcript(recorded, tmp_path), root=str(root))
    patients, replaced = wrong(project), 0
    with Engine.open(options) as engine:
        for file in sorted(recorded.parent.glob("*.py")):
            text = file.read_text(encoding="utf-8")
            names = {name for module, name in patients if module == file.name}
            for report in await checked(engine, SourceText(str(file), text, str(root)), names):
                if report.verdict.status is not Status.SUSPECT or not report.replacements:
                    continue
                edits = edits_for(text, report)
                assert not isinstance(edits, Problem), edits
                after = SourceText(str(file), apply_edits(text, edits), str(root))
                (again,) = await checked(engine, after, {report.qualname})
                if any(each.kind is ProblemKind.OFFLINE for each in again.problems):
                    # What the replacement brings along is shown to the model: other prompts.
                    continue
                if again.verdict.status is Status.AMBIGUOUS:
                    (shown,), (former, *_) = again.findings, report.findings
                    assert shown.code is Code.AMBIGUOUS
                    assert shown.witness
                    assert former.witness
                    assert shown.witness.call != former.witness.call
                    assert sum(each.weight for each in report.classes if each.has_original) == 0
                    continue
                assert again.findings == (), again.qualname
                assert again.verdict.status is Status.TRUSTED, again.qualname
                replaced += 1
    assert replaced >= 5
