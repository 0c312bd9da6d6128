"""Tells the story in Neovim: headless for what is true, in a terminal for what it looks like."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from story import (
    EDITORS,
    EXAMPLES,
    FUNCTION,
    MODULE,
    OUT,
    REPOSITORY,
    STORY_SECONDS,
    TRANSCRIPT,
    WAIT_SECONDS,
    Told,
    environment,
    executable,
    left_behind,
)

HERE = Path(__file__).parent / "neovim"
NEOVIM = EDITORS / "neovim" / "run"


def tell(folder: Path) -> Told:
    out = OUT / "neovim"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    file = Path(shutil.copy(EXAMPLES / MODULE, folder))
    variables = _variables(folder, out)
    command = [NEOVIM, "--headless", "-u", HERE / "init.lua", "-i", "NONE", MODULE]
    ended = subprocess.run(
        [*command, "-S", HERE / "story.lua"],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=STORY_SECONDS,
        check=False,
    )
    (out / "editor.log").write_text(ended.stdout + ended.stderr, encoding="utf-8")
    seen = json.loads((out / "seen.json").read_text(encoding="utf-8"))
    assert "failed" not in seen, f"{seen['failed']}\n{seen['messages']}\n(see {out})"
    return Told(seen, file, left_behind(folder))


def capture(folder: Path) -> str:
    """The terminal's screens, one after the other, as text."""
    out = OUT / "neovim"
    shutil.copy(EXAMPLES / MODULE, folder)
    screens = out / "screens.txt"
    subprocess.run(
        [HERE / "capture.sh", NEOVIM, HERE / "init.lua", MODULE, FUNCTION, screens],
        cwd=folder,
        env=_variables(folder, out) | {"TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        timeout=STORY_SECONDS,
        check=True,
    )
    return screens.read_text(encoding="utf-8")


def _variables(folder: Path, out: Path) -> dict[str, str]:
    return environment(folder.parent) | {
        "ASSAY": executable(),
        "ASSAY_REPLAY": os.fspath(TRANSCRIPT),
        "ASSAY_REPOSITORY": os.fspath(REPOSITORY),
        "STORY_FUNCTION": FUNCTION,
        # Where Neovim keeps what the server writes to its standard error: nvim/lsp.log.
        "XDG_STATE_HOME": os.fspath(out),
        "STORY_SEEN": os.fspath(out / "seen.json"),
        "STORY_WAIT_SECONDS": str(WAIT_SECONDS),
    }
