"""VS Code's own `assay`: how it gets there, and what an update of the extension does to it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import drive_vscode
import pytest
from story import EDITORS, REPOSITORY, Told, executable

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]

UV = EDITORS / "uv" / "bin" / "uv"


def project(factory: pytest.TempPathFactory) -> Path:
    folder = factory.mktemp("vscode") / "project"
    folder.mkdir()
    return folder


def builds(folder: Path) -> list[str]:
    return sorted(each.name for each in (drive_vscode.storage(folder) / "servers").iterdir())


def former_build(folder: Path) -> str:
    """What an earlier version of the extension has installed: here, the server under test."""
    python = drive_vscode.storage(folder) / "servers" / "0.0.9-abcdef" / "bin" / "python"
    drive_vscode.program(python, f'#!/bin/sh\nshift 3\nexec "{executable()}" "$@"\n')
    return python.parent.parent.name


def assert_only_the_present_build_is_there(told: Told, folder: Path) -> None:
    (build,) = builds(folder)
    assert build.startswith("0.1.0-")
    assert [entry.name for entry in folder.iterdir()] == [told.file.name]
    assert told.left_behind == ()


def test_uv_installs_it_if_it_is_there(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = project(tmp_path_factory)
    path = os.pathsep.join([str(UV.parent), os.environ["PATH"]])
    told = drive_vscode.tell(
        "installed",
        folder,
        variables=drive_vscode.with_path(folder, path),
        shown_as="installed-with-uv",
        more={"presses": ["Install"]},
    )
    assert told.seen["progress"].startswith("Installing Assay")
    assert_only_the_present_build_is_there(told, folder)
    (build,) = builds(folder)
    settings = drive_vscode.storage(folder) / "servers" / build / "pyvenv.cfg"
    assert "uv = " in settings.read_text(encoding="utf-8")


def test_an_update_of_the_extension_installs_its_server(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = project(tmp_path_factory)
    former_build(folder)
    path = os.pathsep.join([str(UV.parent), os.environ["PATH"]])
    told = drive_vscode.tell(
        "installed",
        folder,
        variables=drive_vscode.with_path(folder, path),
        shown_as="installed-anew",
        more={"presses": []},
    )
    assert told.seen["progress"].startswith("Updating Assay")
    assert_only_the_present_build_is_there(told, folder)


def test_without_a_network_the_former_build_goes_on(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = project(tmp_path_factory)
    former = former_build(folder)
    told = drive_vscode.tell(
        "trouble",
        folder,
        variables=drive_vscode.OFFLINE,
        shown_as="not-updated",
        more={
            "presses": [],
            "says": "did not reach the package index",
            "then": None,
            "works": True,
        },
    )
    assert told.seen["buttons"] == ["Try Again"]
    assert builds(folder) == [former]
    assert told.left_behind == ()


def test_the_page_shows_its_pictures_where_they_have_an_address() -> None:
    client = REPOSITORY / "vscode-client"
    address = "https://example.org/vscode-client"

    def pictures(**variables: str) -> list[str]:
        command = ["node", "scripts/carry.mjs"]
        subprocess.run(command, cwd=client, env=os.environ | variables, check=True)
        page = (client / "dist" / "README.md").read_text(encoding="utf-8")
        return re.findall(r"!\[[^]]+\]\(([^)]+)\)", page)

    shown = pictures(IMAGES=address)
    assert len(shown) == 2
    for each in shown:
        assert each.startswith(f"{address}/media/")
        assert (client / each.removeprefix(address)[1:]).is_file()
    # A picture without an address would be a broken one.
    assert pictures() == []
