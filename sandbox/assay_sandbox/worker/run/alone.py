"""A worker that is a fresh process and runs one program: for systems that cannot fork safely.

Its starter confines it. The job comes by standard input, frames go to standard output.
"""

from __future__ import annotations

import marshal
import os
import struct
import threading

# Imported now, because the program's clock may stand still.
from time import sleep
from types import ModuleType

from ..bounds import deadline, wire
from . import running
from .inputs import read_inputs

# Imported now, because later the neighbours cannot be found. Windows bounds a worker from outside
# and has no such module.
try:
    from ..confine import confinement as bounding
except ImportError:
    bounding = None

JOB = struct.Struct("<QQ")
NUMBER = struct.Struct("<I")
STANDARD_INPUT, STANDARD_OUTPUT = 0, 1
DESCRIPTORS_MAX = 64
PARENT_SECONDS = 0.5


class StreamWire(wire.Wire):
    """Sends every answer at once: there is no page on which the host could find unsent answers."""

    def __init__(self, token: bytes) -> None:
        self._pipe = STANDARD_OUTPUT
        self._token = token
        self._known = {}
        self._entries = 0
        self._first = wire.LOADING
        self._count = 0

    def begin(self, index: int) -> None:
        self._first = index
        # An empty frame says that loading is over.
        self._send(b"", b"", done=False)

    def answer(self, entry: str) -> None:
        number, line = self._known.get(entry), b""
        if number is None:
            number, line = self._numbered(entry), entry.encode("ascii") + b"\n"
        self._send(line, NUMBER.pack(number), done=False)
        self._count += 1

    def flush(self, *, done: bool = False) -> None:
        """Nothing is held back."""
        if done:
            self._send(b"", b"", done=True)


def main(arguments: list[str]) -> None:
    """With `hello` after the mode, only show that this interpreter starts."""
    if arguments[1:] == ["hello"]:
        return
    status = 1
    try:
        program_bytes, inputs_bytes = JOB.unpack(_read(JOB.size))
        job = marshal.loads(_read(program_bytes))
        inputs = read_inputs(_read(inputs_bytes))
        out = StreamWire(job.pop("token"))
        chance = running.import_needed(job, inputs, ())
        if bounding is not None:
            _bound(bounding, int(job["limits"]["total_seconds"]) + 2)
            _end_with(os.getppid())
        ticker = deadline.Alarm()
        running.Ready(out, job, inputs, running.Prepared(), ticker, chance=chance).load_and_run()
        status = 0
    finally:
        # No `atexit` function, thread or buffer of the program may act any more.
        os._exit(status)


def _read(size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = os.read(STANDARD_INPUT, min(size, 1 << 20))
        if not part:
            raise EOFError("the job ended early")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _bound(how: ModuleType, cpu_seconds: int) -> None:
    """Set the limits that macOS enforces. It does not bound the address space."""
    import resource

    how.bound(
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, DESCRIPTORS_MAX),
        (resource.RLIMIT_CORE, 0),
    )


def _end_with(parent: int) -> None:
    """Exit with the parent; macOS has no signal for its death. The CPU limit backs this up."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(PARENT_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
