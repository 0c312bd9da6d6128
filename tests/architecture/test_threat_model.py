"""SECURITY.md names a test for each promise, and the tests exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def test_every_promise_names_a_test_that_exists() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    _, *tables = text.split("| promise | shown by |\n")
    promises = [
        line
        for table in tables
        for line in table.split("\n\n")[0].splitlines()
        if line.startswith("| ")
    ]
    assert len(promises) > 20
    unshown = [line for line in promises if not _TEST.search(line) and "(#" not in line]
    assert unshown == []
    for file, name in set(_TEST.findall(text)):
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        assert name in {getattr(node, "name", "") for node in tree.body}, f"{file}::{name}"
