"""Tells the story in Helix, which has no batch mode: in a terminal, by its keys."""

from __future__ import annotations

import os
from pathlib import Path

from recipes import prepared, recipe, told, with_assay
from story import EDITORS, FUNCTION, MODULE, TRANSCRIPT, Told
from terminal import Terminal

HELIX = EDITORS / "helix" / "run"
# What it draws beside a line with a finding.
MARK = "●"
FINDING = rf"{MARK}.*def {FUNCTION}\("


def tell(folder: Path) -> Told:
    out, file = prepared("helix", folder)
    log = out / "editor.log"
    seen: dict[str, str] = {}
    command = [HELIX, "-vv", "--log", log, MODULE]
    with Terminal(command, folder, _variables(folder)) as terminal:
        terminal.wait_for(f"def {FUNCTION}")
        # It does not say when the server is there.
        terminal.wait_for(MARK, ":lsp-workspace-command assay.server.checkFile", "Enter")
        seen["warning"] = terminal.wait_for(FINDING, ":write", "Enter")
        terminal.press(f"/{FUNCTION}", "Enter")
        seen["hover"] = terminal.wait_for("as the model reads it", " k")
        terminal.press("Escape")
        seen["menu"] = terminal.wait_for("Replace with", "Escape", " a")
        terminal.press("Enter")
        terminal.wait_for(r"\[\+\]")
        terminal.press(":write", "Enter")
        terminal.wait_for("written")
        seen["mended"] = terminal.wait_for(rf"(?m)^[^{MARK}\n]*def {FUNCTION}\(")
        terminal.press(":quit!", "Enter")
        terminal.wait_for_end()
    return told(seen, out, file)


def _variables(folder: Path) -> dict[str, str]:
    home = folder.parent
    configuration = home / "config" / "helix"
    configuration.mkdir(parents=True)
    replay = f'\n[language-server.assay.config]\nreplay = "{TRANSCRIPT}"\n'
    (configuration / "languages.toml").write_text(
        recipe("Helix", "toml") + replay, encoding="utf-8"
    )
    return with_assay(home) | {
        "XDG_CONFIG_HOME": os.fspath(configuration.parent),
    }
