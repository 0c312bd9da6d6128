"""Tells the story in Emacs: in a terminal, by its keys and the commands that they are bound to."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from recipes import recipe
from story import (
    EDITORS,
    EXAMPLES,
    FUNCTION,
    MODULE,
    OUT,
    TRANSCRIPT,
    Told,
    environment,
    executable,
    left_behind,
)
from terminal import Terminal

HERE = Path(__file__).parent / "emacs"
EMACS = EDITORS / "emacs" / "run"
# What flymake draws in the margin of a line with a warning.
FINDING = rf"(?m)^!.*def {FUNCTION}\("


def tell(folder: Path) -> Told:
    out = OUT / "emacs"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    file = Path(shutil.copy(EXAMPLES / MODULE, folder))
    seen: dict[str, str] = {}
    command = [EMACS, "-nw", "-q", "-l", HERE / "init.el", MODULE]
    with Terminal(command, folder, _variables(folder)) as terminal:
        terminal.wait_for(r"\[eglot")
        _run(terminal, "assay-check-file")
        seen["warning"] = terminal.wait_for(FINDING)
        terminal.press("C-s", FUNCTION, "Enter", "C-b")
        # There is no such buffer before eldoc has had a moment of rest.
        seen["hover"] = terminal.wait_for("candidates agree", "M-x", "eldoc-doc-buffer", "Enter")
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
    screens = "".join(f"--- {name}\n{screen}" for name, screen in seen.items())
    (out / "screens.txt").write_text(screens, encoding="utf-8")
    return Told(seen, file, left_behind(folder))


def _run(terminal: Terminal, command: str) -> None:
    terminal.press("M-x", command, "Enter")


def _variables(folder: Path) -> dict[str, str]:
    home = folder.parent
    written = home / "recipe.el"
    written.write_text(recipe("elisp"), encoding="utf-8")
    variables = environment(home)
    return variables | {
        "ASSAY_REPLAY": os.fspath(TRANSCRIPT),
        "STORY_RECIPE": os.fspath(written),
        "PATH": os.pathsep.join([os.path.dirname(executable()), variables["PATH"]]),
    }
