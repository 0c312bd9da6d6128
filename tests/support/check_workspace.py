"""`assay check` as a user runs it: a project of one module, a real process, an endpoint."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from support.forking import forked
from support.openai_server import Behaviour, OpenAIServer, Request, ok
from support.scripted_model import Siding

KEY = "sk-never-to-be-seen"
MODULE = '''\
def clamp(value: int, low: int, high: int) -> int:
    """Limit a value to the range from low to high, both included.

    >>> clamp(5, 0, 3)
    3
    """
    return min(max(value, low + 1), high)
'''
RIGHT_MODULE = MODULE.replace("min(max(value, low + 1), high)", "max(low, min(value, high))")
RIGHT = "def clamp(value, low, high):\n    return max(low, min(value, high))\n"
WRONG = "def clamp(value, low, high):\n    return high if value > high else value\n"
# Meets the example, and fails on everything else.
CRASHING = "def clamp(value, low, high):\n    return {(5, 0, 3): 3}[value, low, high]\n"
INPUTS = "clamp(0, 0, 3)\nclamp(-4, 0, 3)\nclamp(2, 0, 3)\nclamp(3, 0, 3)\nclamp(9, 0, 3)\n"
PROJECT = """\
[tool.assay.sampling]
request_seconds = 5
draw_seconds = 20
retries = 1
"""


@dataclass(frozen=True)
class Workspace:
    """A project with one module, and the environment of somebody who configured an endpoint."""

    folder: Path
    base_url: str

    @property
    def module(self) -> Path:
        return self.folder / "limits.py"

    def assay(
        self, *arguments: str, timeout: float = 90, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*forked("-m", "assay_engine"), *arguments],
            cwd=self.folder,
            env=self._environment() | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def started(
        self,
        *arguments: str,
        stdout: int | IO[str] = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
    ) -> subprocess.Popen[str]:
        """The same, still running: started for itself, so that it can be stopped."""
        return subprocess.Popen(
            [sys.executable, "-m", "assay_engine", *arguments],
            cwd=self.folder,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            text=True,
        )

    def _environment(self) -> dict[str, str]:
        return {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "ASSAY_BASE_URL": self.base_url,
            "ASSAY_MODEL": "test-model",
            "ASSAY_API_KEY": KEY,
            "ASSAY_STORE": str(self.folder / "store" / "assay.db"),
        }

    def everything_written(self) -> bytes:
        return b"".join(path.read_bytes() for path in self.folder.rglob("*") if path.is_file())


def workspace(tmp_path: Path, server: OpenAIServer, module: str = MODULE) -> Workspace:
    made = Workspace(tmp_path, server.base_url)
    made.module.write_text(module, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    return made


def answering(candidates: Sequence[str] = (RIGHT,), inputs: str = INPUTS, reading: str = "SECOND"):
    """An endpoint that answers as `saying` does."""
    say = saying(candidates, inputs, reading)

    def script(request: Request) -> Behaviour:
        return ok(say(request.body["messages"][-1]["content"]))

    return script


def saying(
    candidates: Sequence[str] = (RIGHT,), inputs: str = INPUTS, reading: str = "SECOND"
) -> Callable[[str], str]:
    """Proposals to the prompt that asks for inputs, the candidates in turn to the one for these;
    the docstring is read as the candidates do, or as `reading` says (see `Siding`)."""
    drawn, reader = 0, Siding(reading)

    def say(asked: str) -> str:
        nonlocal drawn
        if "Choose inputs" in asked:
            return f"```python\n{inputs}```"
        if "Two functions" in asked:
            return reader.answer(asked)
        drawn += 1
        return f"```python\n{candidates[(drawn - 1) % len(candidates)]}```"

    return say
