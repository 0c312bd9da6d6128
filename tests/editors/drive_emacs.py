"""Tells the story in Emacs: in a terminal, by its keys and the commands that they are bound to."""

from __future__ import annotations

import os
from pathlib import Path

from recipes import prepared, recipe, told, with_assay
from story import EDITORS, FUNCTION, MODULE, TRANSCRIPT, Told
from terminal import Terminal

HERE = Path(__file__).parent / "emacs"
EMACS = EDITORS / "emacs" / "run"
# What flymake draws in the margin of a line with a warning.
FINDING = rf"(?m)^!.*def {FUNCTION}\("


def tell(folder: Path) -> Told:
    out, file = prepared("emacs", folder)
    seen: dict[str, str] = {}
    command = [EMACS, "-nw", "-q", "-l", HERE / "init.el", MODULE]
    with Terminal(command, folder, _variables(folder)) as terminal:
        terminal.wait_for(r"\[eglot")
        _run(terminal, "assay-check-file")
        seen["warning"] = terminal.wait_for(FINDING)
        terminal.press("C-s", FUNCTION, "Enter", "C-b")
        # There is no such buffer before eldoc has had a moment of rest.
        seen["hover"] = terminal.wait_for(
            "as the model reads it", "M-x", "eldoc-doc-buffer", "Enter"
        )
        terminal.press("C-x", "1")
        _run(terminal, "eglot-code-actions")
        seen["menu"] = terminal.wait_for("Replace with the candidate")
        terminal.press("Enter")
        terminal.wait_for(rf"(?m)^[^!\n]*def {FUNCTION}\(")
        terminal.press("C-x", "C-s")
        terminal.wait_for("Wrote")
        seen["mended"] = terminal.wait_for(rf"(?m)^[^!\n]*def {FUNCTION}\(")
        terminal.press("C-x", "C-c")
        terminal.wait_for_end()
    return told(seen, out, file)


def _run(terminal: Terminal, command: str) -> None:
    terminal.press("M-x", command, "Enter")


def _variables(folder: Path) -> dict[str, str]:
    home = folder.parent
    written = home / "recipe.el"
    written.write_text(recipe("Emacs", "elisp"), encoding="utf-8")
    return with_assay(home) | {
        "ASSAY_REPLAY": os.fspath(TRANSCRIPT),
        "STORY_RECIPE": os.fspath(written),
    }
