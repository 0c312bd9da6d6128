"""Names and links that a project brings: nobody writes or obeys what they lead to."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.check_workspace import MODULE, Workspace, answering, workspace
from support.openai_server import OpenAIServer

COMMAND = "::error title=evil::owned"
# Shown among the lines of a diff, as they are.
TALKING = MODULE.replace("3\n", f"3\n\n    {COMMAND}\n    ##[error]owned\n", 1)


def test_a_folder_is_written_and_nothing_that_its_links_lead_to(tmp_path: Path) -> None:
    folder, outside = tmp_path / "cloned", tmp_path / "outside.py"
    folder.mkdir()
    with OpenAIServer(answering()) as server:
        own = workspace(folder, server)
        outside.write_text(MODULE)
        (folder / "link.py").symlink_to(outside)
        (folder / "near.py").symlink_to("limits.py")
        run = own.assay("check", ".", "--apply")
        assert f"link.py: not written (it is a link to {outside}; name that" in run.stdout
        assert outside.read_text() == MODULE
        assert own.module.read_text() != MODULE
        run = own.assay("check", "link.py", "--apply")
    assert "link.py: clamp replaced" in run.stdout
    assert outside.read_text() != MODULE
    assert (folder / "link.py").is_symlink()


@pytest.mark.parametrize("style", ["text", "github"])
def test_a_name_says_no_line_of_its_own(tmp_path: Path, style: str) -> None:
    names = [f"a\n{COMMAND}.py", f"{COMMAND}.py", f"b\r{COMMAND}##[error]\x1b[2J.py", "c\nd"]
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server, TALKING)
        for name in names[:3]:
            (tmp_path / name).write_text(MODULE)
        (tmp_path / names[3]).mkdir()
        (tmp_path / names[3] / "broken\n::.py").write_bytes(b"# caf\xe9\n")
        run = own.assay("check", ".", "--format", style, "--verbose", "--apply")
        assert_nothing_is_obeyed(run.stdout + run.stderr)
        quiet = own.assay("check", ".", "--format", style, "--offline")
        assert_nothing_is_obeyed(quiet.stdout + quiet.stderr)
    assert "owned" in run.stdout


def assert_nothing_is_obeyed(output: str) -> None:
    lines = output.replace("\r", "\n").split("\n")
    assert not [line for line in lines if line.lstrip().startswith("::error title=evil")]
    # What begins with a command is read as that one.
    assert not [line for line in lines if "##[" in line and not line.startswith("::")]
    assert "\x1b" not in output


def test_a_name_is_whole_in_the_report(tmp_path: Path) -> None:
    name = f"a\n{COMMAND}.py"
    own = Workspace(tmp_path, "")
    (tmp_path / name).write_text(MODULE)
    run = own.assay("check", ".", "--format", "json", "--offline", ASSAY_BASE_URL="")
    assert f'"{name}"'.replace("\n", "\\n") in run.stdout
