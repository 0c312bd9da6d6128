"""Sandboxes that import a made-up `numpy` ahead of their programs."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay_sandbox import Call, Observation, Program, Returned, Sandbox, SandboxUnavailable, decode
from assay_sandbox.worker.confine import landlock
from support import processes
from support.waiting import DEADLINE_SECONDS, eventually

RUNNING = Path(sys.executable).resolve()
# Who has imported it says so by its number.
TELLING = "import os\nimporter = os.getpid()\n"
IMPORTED_AHEAD = Program(
    "import os\nimport numpy\n\ndef f():\n    return os.getpid() != numpy.importer\n", "f"
)


@dataclass(frozen=True)
class Opening:
    """Opens a sandbox in a tier in which packages are imported ahead."""

    tier: str

    def __call__(self, environment: Path, python: Path = RUNNING) -> Sandbox:
        return Sandbox(python, tier=self.tier, workers=2, virtual_environment=environment)


@cache
def why_not(tier: str) -> str:
    try:
        with Sandbox(tier=tier) as sandbox:
            sandbox.start()
    except SandboxUnavailable as error:
        return f"tier {tier} is not to be had here: {error.reason}"
    if tier == "L" and not landlock.keeps_signals():
        return "this kernel's Landlock does not keep signals, so packages are not imported ahead"
    return ""


def only(observations: tuple[Observation, ...]) -> object:
    (seen,) = observations
    return decode(seen.value) if isinstance(seen, Returned) else seen


def answer(sandbox: Sandbox, source: str) -> object:
    return only(sandbox.run(Program(source, "f"), [Call()]))


def settled(sandbox: Sandbox) -> Sandbox:
    """Once a program has imported the package, and what was then started for others is there, or
    has been given up."""
    sandbox.run(IMPORTED_AHEAD, [Call()])
    wait_for_packages()
    return sandbox


def wait_for_packages() -> None:
    for thread in threading.enumerate():
        if thread.name == "assay-packages":
            thread.join(DEADLINE_SECONDS)
            assert not thread.is_alive()


def is_ahead(sandbox: Sandbox) -> bool:
    return only(settled(sandbox).run(IMPORTED_AHEAD, [Call()])) is True


def started_by_this(before: Sequence[processes.Process]) -> list[processes.Process]:
    known = {(each.pid, each.started) for each in before}
    return [each for each in processes.below(os.getpid()) if (each.pid, each.started) not in known]


def wait_for_the_end_of(started: Sequence[processes.Process]) -> None:
    eventually(lambda: not any(map(processes.alive, started)))
