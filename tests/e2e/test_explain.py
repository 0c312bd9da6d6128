"""`assay explain`, as a user runs it."""

from __future__ import annotations

import subprocess
import sys

from assay_engine.types import Code


def explained(*codes: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "assay_engine", "explain", *codes]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_every_code_is_listed_and_explained() -> None:
    listed = explained().stdout.splitlines()
    assert [line.partition(" ")[0] for line in listed] == list(Code)
    at_length = explained("asy101", "ASY203").stdout
    assert at_length.startswith("ASY101 (warning): differs from the consensus\n\n")
    assert "\n\nASY203 (warning): " in at_length
    assert at_length.count("\nWhat to do: ") == 2


def test_a_code_that_is_none_is_answered_with_those_there_are() -> None:
    refused = explained("ASY999")
    assert refused.returncode == 2
    assert "there is no ASY999; there are ASY101, ASY102," in refused.stderr
