"""Canaries: small programs that are really run, and try what the confinement forbids."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore

from . import wire
from .batches import Batch, Task
from .frames import SharedValues
from .observations import Observation, Returned, TimedOut
from .packages import Imports
from .pool import drive
from .programs import Call, Limits, Program, Surroundings
from .starting import packages_elsewhere
from .workers import WorkerSource

CANARY_LIMITS = Limits(call_seconds=2.0, load_seconds=5.0, total_seconds=15.0)
# A file that exists anyway, and that no program may read. A file of our own would stay behind if
# the caller were killed meanwhile.
PUBLIC_FILE = Path("/etc/passwd")

# By `_socket`, because importing `socket` takes longer than all attempts together.
CANARIES = Program(
    """
import os, sys, _socket

def control(number):
    return sorted([number, 1])

def read(path, links):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        # Where packages of an environment lead elsewhere, unless it is to the interpreter's own.
        for name, folder in links:
            try:
                if not folder.startswith(sys.base_prefix + os.sep):
                    return os.listdir(name)
            except OSError:
                pass
        raise

def write(path):
    with open(path, "w") as file:
        file.write("here")

def connect(port):
    near = _socket.socket()
    near.settimeout(1)
    near.connect(("127.0.0.1", port))
    near.close()

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
    """One attempt: whether it went as it should, and what was seen."""

    name: str
    held: bool
    seen: str


def try_out(
    source: WorkerSource, surroundings: Surroundings, environment: Path | None
) -> tuple[Canary, ...]:
    """Run the canaries. Their attempts would be harmless if they succeeded.

    `environment` is the virtual environment that programs find packages in. What it does not have
    in itself is tried, too.
    """
    elsewhere = () if environment is None else packages_elsewhere(environment)
    with (
        _file_to_read() as readable,
        _file_to_write() as writable,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        port: int = listener.getsockname()[1]
        attempts = (
            ("control", 2),
            ("read", str(readable), [[str(name), str(folder)] for name, folder in elsewhere]),
            ("write", str(writable)),
            ("connect", port),
            ("fork",),
            ("signal",),
        )
        seen = _observe(source, surroundings, tuple(Call(attempt) for attempt in attempts))
        names = [attempt[0] for attempt in attempts]
        return tuple(
            _judge(name, observation) for name, observation in zip(names, seen, strict=True)
        )


@contextmanager
def _file_to_read() -> Generator[Path]:
    """A file that this process can read."""
    if os.access(PUBLIC_FILE, os.R_OK):
        yield PUBLIC_FILE
        return
    with tempfile.TemporaryDirectory(prefix="assay-canary-") as folder:
        path = Path(folder, "secret")
        path.write_text("canary")
        yield path


@contextmanager
def _file_to_write() -> Generator[Path]:
    """A file that does not exist yet, in a folder where this process can create it."""
    path = Path(_folder_to_write(), f"assay-canary-{secrets.token_hex(8)}")
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _folder_to_write() -> str:
    """The folder that `tempfile` would choose, but without creating a file to try it: that would
    stay behind if the caller were killed meanwhile."""
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    for folder in (*filter(None, named), "/tmp", "/var/tmp"):
        if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
            return os.path.abspath(folder)
    return tempfile.gettempdir()


def _judge(name: str, observation: Observation) -> Canary:
    kind = type(observation).__name__
    if name == "control":
        held = isinstance(observation, Returned) and observation.value == "[1,2]"
        return Canary(name, held, "works" if held else f"ended in {observation}")
    # What was cut off on a busy machine was not seen to be held back.
    held = not isinstance(observation, Returned | TimedOut)
    succeeded = "succeeded" if isinstance(observation, Returned) else "came to no end"
    return Canary(name, held, f"is held back ({kind})" if held else succeeded)


def _observe(
    source: WorkerSource, surroundings: Surroundings, calls: tuple[Call, ...]
) -> list[Observation]:
    inputs = source.hold(wire.inputs_bytes(calls))
    try:
        task = Task(
            CANARIES,
            inputs,
            len(calls),
            CANARY_LIMITS,
            SharedValues(),
            surroundings,
            Imports(at_once=True),
        )
        return [
            observation
            for _number, answers in drive(
                (Batch(task, source),), BoundedSemaphore(1), lambda: False
            )
            for observation in answers.observations
        ]
    finally:
        inputs.close()
