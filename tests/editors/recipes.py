"""Editors set up as `docs/editors.md` tells users to, so that it is this which is tried."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from story import EXAMPLES, MODULE, OUT, REPOSITORY, Told, environment, executable, left_behind


def recipe(editor: str, language: str) -> str:
    """The one block of an editor's section of the page in this language."""
    text = (REPOSITORY / "docs" / "editors.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {editor}\n")[1].split("\n## ")[0]
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return block


def prepared(editor: str, folder: Path) -> tuple[Path, Path]:
    """An empty folder for what the editor writes down, and the module in the project's folder."""
    out = OUT / editor
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    return out, Path(shutil.copy(EXAMPLES / MODULE, folder))


def with_assay(home: Path) -> dict[str, str]:
    """An environment in which `assay` is the one under test, as the recipes call it."""
    variables = environment(home)
    path = os.pathsep.join([os.path.dirname(executable()), variables["PATH"]])
    return variables | {"PATH": path}


def told(screens: Mapping[str, str], out: Path, file: Path) -> Told:
    """What was seen, once the editor has gone."""
    text = "".join(f"--- {name}\n{screen}" for name, screen in screens.items())
    (out / "screens.txt").write_text(text, encoding="utf-8")
    return Told(dict(screens), file, left_behind(file.parent))
