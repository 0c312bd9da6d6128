"""The interpreters of this machine that programs can be run under."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

MINORS = range(9, 20)


@cache
def interpreters() -> tuple[Path, ...]:
    """Every different Python 3.9 or newer that can be found by name."""
    found: dict[str, Path] = {}
    for minor in MINORS:
        for candidate in _candidates(minor):
            version = _version(candidate)
            if version.startswith(f"3.{minor}."):
                found.setdefault(version, candidate)
    return tuple(found.values())


def _candidates(minor: int) -> list[Path]:
    name = f"python3.{minor}"
    by_name = shutil.which(name)
    managed = sorted(
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(
            f"versions/3.{minor}.*/bin/{name}"
        )
    )
    return [*([Path(by_name)] if by_name else []), *managed]


def _version(python: Path) -> str:
    asked = subprocess.run(
        [str(python), "-I", "-S", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return asked.stdout.strip()


def silent_interpreter(folder: Path) -> Path:
    """A program in the place of an interpreter that never answers, and never ends by itself."""
    path = folder / "silent"
    path.write_text(f"#!/bin/sh\necho $$ >> '{path}.started'\nexec sleep 600\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def started_by(silent: Path) -> list[int]:
    """The processes that it has been, in order."""
    log = silent.with_name(f"{silent.name}.started")
    return [int(line) for line in log.read_text().splitlines()] if log.exists() else []
