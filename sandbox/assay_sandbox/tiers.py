"""Which confinement is used: the strongest whose canaries, really run, are all held back."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import cast

from . import wire
from .batches import Batch, Task
from .children import ForkedChildren
from .errors import InterpreterUnusable, SandboxUnavailable
from .frames import SharedValues
from .observations import Observation, Returned
from .pool import Slots, drive
from .programs import Call, Limits, Program, Surroundings
from .workers import Source
from .zygotes import WORKER, Launch, ZygoteKeeper

UNCONFINED = "none"
DESCRIPTIONS = {
    "N": "namespaces, Landlock, seccomp and resource limits",
    "L": "Landlock, seccomp and resource limits",
    "B": "bubblewrap, seccomp and resource limits",
    "S": "seccomp without any opening of files, and resource limits",
    UNCONFINED: "NOT CONFINED: resource limits and an empty environment only",
}
# Strongest first.
ORDER = ("N", "L", "B", "S")
ASK_SECONDS = 20.0
CANARY_LIMITS = Limits(call_seconds=2.0, load_seconds=5.0, total_seconds=15.0)
SECRET = "canary"

CANARIES = Program(
    """
import os, socket

def control(number):
    return sorted([number, 1])

def read(path):
    with open(path) as file:
        return file.read()

def write(path):
    with open(path, "w") as file:
        file.write("here")

def connect(port):
    socket.create_connection(("127.0.0.1", port), 1).close()

def fork():
    if os.fork() == 0:
        os._exit(0)

def signal():
    os.kill(os.getppid(), 0)

def attempt(name, *arguments):
    return globals()[name](*arguments)
""",
    entry="attempt",
)


@dataclass(frozen=True, slots=True)
class Canary:
    """One thing that was tried: whether it went as it should, and what was seen."""

    name: str
    held: bool
    seen: str


@dataclass(frozen=True, slots=True)
class TierReport:
    """The confinement in use, and the canaries that show it works; `seconds` to find that out."""

    name: str
    description: str
    canaries: tuple[Canary, ...]
    seconds: float


def choose(
    interpreter: Path, surroundings: Surroundings, *, tier: str | None, unconfined: bool
) -> tuple[Source, TierReport]:
    """A running zygote in the strongest tier that holds, or in `tier`.

    Raises SandboxUnavailable, with what was seen in every tier, if none does.
    """
    if tier is not None and tier not in DESCRIPTIONS:
        raise SandboxUnavailable(
            f"there is no tier {tier!r}", (f"Choose one of {', '.join(ORDER)}.",)
        )
    if tier == UNCONFINED and not unconfined:
        raise SandboxUnavailable(
            "running without confinement was not asked for by its own setting",
            ("Set the option that allows unconfined runs, if you accept the risk.",),
        )
    reasons: list[str] = []
    for name in (UNCONFINED,) if unconfined else ORDER if tier is None else (tier,):
        began = perf_counter()
        try:
            source = ForkedChildren(ZygoteKeeper(_launch(interpreter, surroundings, name)))
            canaries = _try_out(source, surroundings)
        except SandboxUnavailable as error:
            reasons.append(f"{name}: {error.reason}")
            continue
        report = TierReport(name, DESCRIPTIONS[name], canaries, perf_counter() - began)
        failed = [canary for canary in canaries if not canary.held]
        if not failed or (unconfined and canaries[0].held):
            return source, report
        source.close()
        reasons += [f"{name}: {canary.name} {canary.seen}" for canary in failed]
    raise SandboxUnavailable("; ".join(reasons), remedies(reasons))


def remedies(reasons: list[str]) -> tuple[str, ...]:
    """What would help, one sentence each."""
    found: list[str] = []
    text = "\n".join(reasons)
    if "no confinement is built" in text:
        found.append("Run Assay on Linux: in a container, a virtual machine, or WSL 2.")
    if "unshare" in text:
        found.append(
            "Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, or on"
            " Ubuntu kernel.apparmor_restrict_unprivileged_userns=0)."
        )
    if "Landlock" in text:
        found.append("Use a kernel of 5.13 or newer with Landlock among its security modules.")
    if "bubblewrap" in text:
        found.append("Install bubblewrap with the system's package manager.")
    if "system call list" in text:
        found.append("Use an x86-64 or 64-bit ARM machine.")
    return (*found, "Or allow unconfined runs by their own setting, if you accept the risk.")


def _launch(interpreter: Path, surroundings: Surroundings, tier: str) -> Launch:
    if not sys.platform.startswith("linux"):
        raise SandboxUnavailable(f"no confinement is built for {sys.platform}")
    launch = Launch(interpreter, tier, surroundings.hash_seed)
    return replace(launch, wrapper=_bubblewrap(interpreter)) if tier == "B" else launch


def _bubblewrap(interpreter: Path) -> tuple[str, ...]:
    """The command that hides everything but what the interpreter needs."""
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxUnavailable("bubblewrap is not installed")
    visible = [*_readable_paths(interpreter), str(WORKER.parent)]
    binds = [word for path in visible for word in ("--ro-bind-try", path, path)]
    return (
        program,
        *("--unshare-all", "--die-with-parent", "--cap-drop", "ALL"),
        *binds,
        # No /proc: there is nothing in it that a program needs.
        *("--dev", "/dev", "--chdir", "/", "--"),
    )


def _readable_paths(interpreter: Path) -> list[str]:
    """What the interpreter itself says it reads, the way it is named and where it really is."""
    asked = subprocess.run(
        [str(interpreter), "-s", "-S", str(WORKER), "paths"],
        env={},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=ASK_SECONDS,
        check=False,
    )
    if asked.returncode != 0:
        raise InterpreterUnusable(f"{interpreter} cannot say where its libraries are")
    return cast("list[str]", json.loads(asked.stdout))


def _try_out(source: Source, surroundings: Surroundings) -> tuple[Canary, ...]:
    """Run the canaries. They try what would be harmless if it succeeded."""
    with (
        tempfile.TemporaryDirectory(prefix="assay-canary-") as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        secret = Path(folder) / "secret"
        secret.write_text(SECRET)
        secret.chmod(0o600)
        port: int = listener.getsockname()[1]
        attempts = (
            ("control", 2),
            ("read", str(secret)),
            ("write", str(Path(folder) / "written")),
            ("connect", port),
            ("fork",),
            ("signal",),
        )
        seen = _observe(source, surroundings, tuple(Call(attempt) for attempt in attempts))
        names = [attempt[0] for attempt in attempts]
        return tuple(
            _judge(name, observation) for name, observation in zip(names, seen, strict=True)
        )


def _judge(name: str, observation: Observation) -> Canary:
    kind = type(observation).__name__
    if name == "control":
        held = isinstance(observation, Returned) and observation.value == "[1,2]"
        return Canary(name, held, "works" if held else f"ended in {observation}")
    held = not isinstance(observation, Returned)
    return Canary(name, held, f"is held back ({kind})" if held else "succeeded")


def _observe(
    source: Source, surroundings: Surroundings, calls: tuple[Call, ...]
) -> list[Observation]:
    def text(start: int, token: bytes) -> bytes:
        return wire.program_text(
            CANARIES, CANARY_LIMITS, surroundings, start=start, token=token, coverage=False
        )

    inputs = source.hold(wire.inputs_text(calls))
    try:
        batch = Batch(Task(text, inputs, len(calls), CANARY_LIMITS, SharedValues()), source)
        return [
            observation
            for _number, several in drive((batch,), Slots(1), lambda: False)
            for answers in several
            for observation in answers.observations
        ]
    finally:
        inputs.close()
