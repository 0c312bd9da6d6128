"""Replacements are proved on inputs: on those where what a candidate does can be compared."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.fixes.replacing import redrawn
from assay_engine.syntax.units import find_units
from assay_engine.types import ProblemKind, Replacement, SourceText, Status
from support.trials import put_on_trial, scripted

TEXT = '''
def counted(n: int) -> list[int]:
    """The numbers from 1 up to and with n."""
    return list(range(1, min(n, 100)))
'''
RIGHT = "def counted(n):\n    return list(range(1, n + 1))\n"
# Larger than a result may be.
LARGE = "counted(400000)"


async def test_an_input_with_results_that_cannot_be_compared_hinders_no_replacement(
    executor: Executor,
) -> None:
    model = scripted([RIGHT], ["counted(1)", "counted(3)", LARGE, "counted(0)"])
    report = await put_on_trial(executor, TEXT, "counted", model)
    assert report.verdict.status is Status.SUSPECT
    assert ProblemKind.NO_REPLACEMENT not in {problem.kind for problem in report.problems}
    (replacement,) = report.replacements
    assert "+    return list(range(1, n + 1))" in replacement.diff


@pytest.mark.parametrize(
    ("path", "root", "named"),
    [
        ("/work/shop/src/a.py", "/work/shop", "src/a.py"),
        ("src/a.py", "/work/shop", "src/a.py"),
        ("/elsewhere/a.py", "/work/shop", "/elsewhere/a.py"),
        ("/work/shop/a.py", None, "/work/shop/a.py"),
    ],
)
def test_a_diff_names_the_file_from_its_projects_folder_on(
    path: str, root: str | None, named: str
) -> None:
    source = SourceText(path, TEXT, root)
    (unit,) = find_units(TEXT)[0]
    ((kept,), problems) = redrawn(source, unit, [Replacement(RIGHT, "returns", "")])
    assert problems == ()
    assert kept.diff.startswith(f"--- a/{named.lstrip('/')}\n+++ b/{named.lstrip('/')}\n")
