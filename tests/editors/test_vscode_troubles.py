"""VS Code where something that Assay needs is missing or broken: one message, one button."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import drive_vscode
import msgspec
import pytest
from story import executable

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]

SETTINGS_EDITOR = ".settings-editor"
# What VS Code's own start script and Python's installers need besides Python.
TOOLS = ("sh", "env", "uname", "dirname", "readlink", "sed", "cat", "ls", "getconf")


class Trouble(msgspec.Struct, frozen=True):
    """How the surroundings are broken, and what has to be on the screen then."""

    says: str
    button: str
    settings: Callable[[Path], Mapping[str, Any]] = lambda folder: {}
    variables: Callable[[Path], Mapping[str, str]] = lambda folder: {}
    under: Callable[[Path], Sequence[str]] = lambda folder: ()
    presses: tuple[str, ...] = ()
    # The server runs nevertheless.
    works: bool = False
    status: str = "Assay: problem"
    # A selector of what the button brings to the screen.
    then: str | None = None


def named(script: str) -> Callable[[Path], Mapping[str, Any]]:
    """Settings that name a program of our own as `assay`."""
    return lambda folder: {
        "assay.path": [str(drive_vscode.program(folder.parent / "named" / "assay", script))]
    }


def only(*programs: tuple[str, str]) -> Callable[[Path], Mapping[str, str]]:
    """A PATH with the bare tools and these programs: pairs of a name and what it is a link to."""

    def variables(folder: Path) -> dict[str, str]:
        place = folder.parent / "only"
        place.mkdir()
        tools = [(name, found) for name in TOOLS if (found := shutil.which(name))]
        for name, target in (*tools, *programs):
            (place / name).symlink_to(target)
        return drive_vscode.with_path(folder, str(place))

    return variables


def on_path(script: str) -> Callable[[Path], Mapping[str, str]]:
    """A PATH on which another program is called `assay`."""

    def variables(folder: Path) -> dict[str, str]:
        place = drive_vscode.program(folder.parent / "first" / "assay", script).parent
        return drive_vscode.with_path(folder, os.pathsep.join([str(place), os.environ["PATH"]]))

    return variables


def old_python_only(folder: Path) -> Mapping[str, str]:
    """A PATH with a Python 3 that is older than the server needs, and no other."""
    versions = Path.home() / ".pyenv" / "versions"
    candidates = [*map(shutil.which, ("python3.8", "python3.9", "python3.10"))]
    candidates += map(str, sorted(versions.glob("3.[89].*/bin/python3")))
    for candidate in filter(None, candidates):
        asked = subprocess.run([candidate, "-c", ""], capture_output=True, check=False)
        if asked.returncode == 0:
            return only(("python3", os.path.realpath(candidate)))(folder)
    pytest.skip("no Python 3.8, 3.9 or 3.10 on this machine")


def with_little_room(folder: Path) -> Sequence[str]:
    """A command that runs another with 20 MB for what our extension stores."""
    place = drive_vscode.storage(folder)
    place.mkdir(parents=True)
    mount = f'mount -t tmpfs -o size=20m tmpfs "{place}" && exec "$@"'
    inside = ["unshare", "--mount", "--map-root-user", "sh", "-c", mount, "sh"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a small disk")
    return inside


def of_another_version(folder: Path) -> Mapping[str, Any]:
    """The real server, which says it is another version."""
    lines = (
        "import importlib.metadata as metadata",
        "real = metadata.version",
        "metadata.version = lambda name: '0.0.9' if name == 'assay-lsp' else real(name)",
        "from assay_engine.__main__ import main",
        "main()",
    )
    python = Path(executable()).with_name("python")
    script = f'#!/bin/sh\nexec "{python}" -c "{"; ".join(lines)}" "$@"\n'
    return named(script)(folder)


TROUBLES = {
    "not-installed": Trouble(
        "is not on this machine yet", "Install", status="Assay: not installed"
    ),
    "no-python": Trouble(
        "no Python was found", "Get Python", variables=only(), presses=("Install",)
    ),
    "old-python": Trouble(
        r"needs Python 3.11 or newer; \S+ is Python 3.",
        "Get Python",
        variables=old_python_only,
        presses=("Install",),
    ),
    "no-network": Trouble(
        "did not reach the package index",
        "Try Again",
        variables=lambda folder: drive_vscode.OFFLINE,
        presses=("Install",),
    ),
    "full-disk": Trouble(
        "the disk is full", "Try Again", under=with_little_room, presses=("Install",)
    ),
    "set-but-missing": Trouble(
        r'"/\S+/nowhere/assay" was not found',
        "Open Setting",
        settings=lambda folder: {"assay.path": "~/nowhere/assay"},
        then=SETTINGS_EDITOR,
    ),
    "set-and-ends": Trouble(
        "stopped right after it was started: ImportError: no pygls here",
        "Open Setting",
        settings=named("#!/bin/sh\necho 'ImportError: no pygls here' >&2\nexit 1\n"),
        then=SETTINGS_EDITOR,
    ),
    "another-assay": Trouble(
        "may be another program of that name.*no such option",
        "Install",
        variables=on_path("#!/bin/sh\necho 'assay: no such option: server' >&2\nexit 2\n"),
    ),
    "hangs": Trouble(
        "did not answer within 30 s",
        "Restart Server",
        settings=named("#!/bin/sh\nexec sleep 300\n"),
    ),
    "another-version": Trouble(
        r"is version 0.0.9, but this extension needs",
        "Open Setting",
        settings=of_another_version,
        works=True,
        status="Assay: ",
    ),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_one_message_names_the_trouble_and_one_button_helps(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    trouble = TROUBLES[name]
    folder = tmp_path_factory.mktemp("vscode") / "project"
    folder.mkdir()
    told = drive_vscode.tell(
        "trouble",
        folder,
        settings=trouble.settings(folder),
        variables=trouble.variables(folder),
        under=trouble.under(folder),
        shown_as=f"trouble-{name}",
        more={name: getattr(trouble, name) for name in ("presses", "says", "then", "works")},
    )
    assert re.search(trouble.says, told.seen["message"])
    assert told.seen["notifications"] == 1
    assert told.seen["buttons"] == [trouble.button]
    assert told.seen["status"].startswith(trouble.status)
    assert told.left_behind == ()
    # Nothing half made stays behind, and the project is not touched.
    assert not [*drive_vscode.storage(folder).glob("servers/.unfinished-*")]
    assert [entry.name for entry in folder.iterdir()] == [told.file.name]
