"""Diffs say exactly what changes, line breaks included."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from assay_engine.splicing.edits import unified_diff

CASES = {
    "a change in the middle": ("a\nb\nc\n", "a\nx\nc\n"),
    "Windows line ends": ("a\r\nb\r\n", "a\r\nx\r\n"),
    "other line ends": ("a\nb\n", "a\r\nb\n"),
    "no line break at the end before": ("a\nb", "a\nb\n"),
    "no line break at the end after": ("a\nb\n", "a\nx"),
    "no line break at the end at all": ("a\nb", "x\nb"),
    "from nothing": ("", "a\n"),
    "to nothing": ("a\n", ""),
    "what only str.splitlines takes for a break": (
        "a\x0cb\u2028c\x85d\ne\n",
        "a\x0cb\u2028c\x85d\nf\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=list(CASES))
def test_a_diff_applies_byte_for_byte(before: str, after: str, tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_bytes(before.encode())
    applied = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        input=unified_diff("file.py", before, after).encode(),
        cwd=tmp_path,
        check=False,
        capture_output=True,
        timeout=60,
    )
    assert applied.stderr == b""
    assert file.read_bytes() == after.encode()


def test_equal_texts_have_no_diff() -> None:
    assert unified_diff("file.py", "a\n", "a\n") == ""


def test_a_diff_names_the_file_and_marks_a_missing_line_break() -> None:
    assert unified_diff("a b.py", "a", "b\n") == (
        "--- a/a b.py\n+++ b/a b.py\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
    )


def test_a_diff_of_an_absolute_path_applies_from_the_root() -> None:
    assert unified_diff("/x/a.py", "a\n", "b\n").startswith("--- a/x/a.py\n+++ b/x/a.py\n")


def test_lines_end_at_lone_carriage_returns() -> None:
    diff = unified_diff("file.py", "a\rb\rc", "a\rx\rc")
    assert diff.endswith(" a\r-b\r+x\r c\n\\ No newline at end of file\n")
