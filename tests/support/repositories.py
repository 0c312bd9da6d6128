"""Real Git repositories, made by a Git that knows no configuration but theirs."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT = {
    **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
_WHO = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A"), ("EMAIL", "a@b.example"), ("DATE", "2026-01-01T00:00:00Z"))
}


@dataclass(frozen=True)
class Repository:
    """One with a work tree."""

    folder: Path

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            # Submodules and clones are made from folders here.
            ["git", "-c", "protocol.file.allow=always", *arguments],
            cwd=self.folder,
            env=ENVIRONMENT | _WHO,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=True,
        )
        return os.fsdecode(done.stdout).strip()

    def write(self, name: str, text: str, encoding: str = "utf-8") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode(encoding))
        return path

    def commit(self, **files: str) -> str:
        """Commits all that is there, and these modules. Returns the commit's name."""
        for name, text in files.items():
            self.write(f"{name}.py", text)
        self.git("add", "--all")
        self.git("commit", "--allow-empty", "--quiet", "--message", "One more")
        return self.git("rev-parse", "HEAD")


def repository(folder: Path) -> Repository:
    """An empty one, on a branch `main`."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Repository(folder)
    made.git("init", "--quiet", "--initial-branch", "main")
    return made
