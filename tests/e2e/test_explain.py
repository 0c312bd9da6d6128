"""`assay explain`, as a user runs it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from assay_engine.types import Code
from support.check_workspace import answering, workspace
from support.forking import forked
from support.openai_server import OpenAIServer


def explained(*codes: str) -> subprocess.CompletedProcess[str]:
    command = forked("-m", "assay_engine", "explain", *codes)
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


def test_the_evidence_of_a_stored_report_is_a_page(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        too_early = own.assay("explain", "limits.py::clamp", "--html")
        own.assay("check", "limits.py")
        sent = len(server.requests)
        page = own.assay("explain", "limits.py::clamp", "--html")
        of_file = own.assay("explain", "limits.py", "--html", "-o", "page.html")
        missing = own.assay("explain", "limits.py::clmap", "--html")
        own.module.write_text(own.module.read_text("utf-8").replace("+ 1", "+ 2"), "utf-8")
        changed = own.assay("explain", "limits.py:1", "--html")
        assert len(server.requests) == sent
    assert too_early.returncode == changed.returncode == missing.returncode == 2
    assert "Get one: assay check limits.py::clamp" in too_early.stderr
    assert "Get one: assay check limits.py::clamp" in changed.stderr
    assert "no function clmap; there is clamp." in missing.stderr
    assert page.stdout.startswith("<!DOCTYPE html>\n")
    assert "all 10 candidates return 0, this returns 1" in page.stdout
    assert (of_file.returncode, of_file.stdout) == (0, "")
    written = (tmp_path / "page.html").read_text("utf-8")
    nonces = [re.findall(r'nonce="(\S+)"', each) for each in (page.stdout, written)]
    assert nonces[0] != nonces[1]
    assert written.replace(nonces[1][0], nonces[0][0]) == page.stdout.removesuffix("\n")


def test_the_page_can_be_made_of_what_a_check_has_printed(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        printed = own.assay("check", "limits.py", "--format", "json")
    (tmp_path / "run.json").write_text(printed.stdout, encoding="utf-8")
    (tmp_path / "odd.json").write_text('{"assay": 1}', encoding="utf-8")
    elsewhere = {"ASSAY_STORE": str(tmp_path / "other.db"), "ASSAY_MODEL": "other"}
    for targets in ((), ("limits.py::clamp",)):
        page = own.assay("explain", *targets, "--html", "--report", "run.json", **elsewhere)
        assert "all 10 candidates return 0, this returns 1" in page.stdout, page.stderr
    odd = own.assay("explain", "--html", "--report", "odd.json")
    assert odd.returncode == 2
    assert "odd.json is not from `assay check --format json`" in odd.stderr
