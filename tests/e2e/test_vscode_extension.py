"""The VS Code extension as far as it needs no editor: its types, its bundle, and its own tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
INSTALL_SECONDS = 180


@pytest.mark.timeout(300)
def test_the_extension_passes_its_own_check(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed here")
    folder = tmp_path / "vscode-client"
    installed = shutil.ignore_patterns("node_modules", "dist", "dist-test", "*.vsix")
    shutil.copytree(REPOSITORY / "vscode-client", folder, ignore=installed)
    try:
        got = subprocess.run(
            [npm, "ci", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=0"],
            check=False,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm does not install what the extension is built with in {INSTALL_SECONDS} s")
    if got.returncode:
        pytest.skip(f"npm cannot install what the extension is built with: {got.stderr[-300:]}")
    checked = subprocess.run(
        [npm, "run", "check"], check=False, cwd=folder, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert (folder / "dist" / "extension.js").exists()
