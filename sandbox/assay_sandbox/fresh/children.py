"""Fresh workers: the job goes to standard input, frames come from standard output.

Nothing here is specific to one system. A thread per worker moves bytes between its pipes and a
socket, because every system can wait on a socket.
"""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Protocol

from assay_sandbox.errors import SandboxUnavailable, WorkerLost
from assay_sandbox.packages import Imports
from assay_sandbox.places import Place
from assay_sandbox.programs import Limits
from assay_sandbox.workers import Inputs, Worker

READ_BYTES = 1 << 18
JOB = struct.Struct("<QQ")
# How long a worker may live on after its output has ended.
GOING_SECONDS = 2.0
STOP_SECONDS = 5.0


class StartedProcess(Protocol):
    """The parts of `subprocess.Popen` that are needed; Windows has an implementation of its own."""

    stdin: IO[bytes] | None
    stdout: IO[bytes] | None

    @property
    def pid(self) -> int: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def kill(self) -> None: ...


# Starts a confined process that is given these limits. Raises OSError.
Start = Callable[[Limits], StartedProcess]
# Bytes of memory a process occupies now, where the system itself cannot bound them.
Resident = Callable[[int], int]


def popen(command: list[str], environment: dict[str, str]) -> StartedProcess:
    """A process in a session of its own with nothing but its two pipes."""
    return subprocess.Popen(
        command,
        env=environment,
        cwd=os.path.abspath(os.sep),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def bare_environment() -> dict[str, str]:
    """The variables that every process needs: on Windows SYSTEMROOT, elsewhere none."""
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}


@dataclass(frozen=True, slots=True)
class CopiedInputs:
    """Inputs that are copied to each worker."""

    content: bytes

    def close(self) -> None:
        """Nothing to release: this is memory of the own process."""


class FreshWorkers:
    """Starts a process per program. Thread-safe."""

    # Starting a whole interpreter takes so long on a busy machine.
    start_seconds = 20.0

    def __init__(self, start: Start, resident: Resident | None = None) -> None:
        self._start = start
        self._resident = resident
        self._lock = threading.Lock()
        self._running: set[FreshChild] = set()
        self._closed = False

    def hold(self, content: bytes) -> Inputs:
        return CopiedInputs(content)

    def reads(self, place: Place) -> bool:
        return False

    def spawn(
        self,
        program: bytes,
        inputs: Inputs,
        limits: Limits,
        imports: Imports,
        place: Place | None,
    ) -> Worker:
        # A process with a single program imports nothing ahead.
        assert isinstance(inputs, CopiedInputs)
        with self._lock:
            if self._closed:
                raise SandboxUnavailable("the sandbox is closed", ("Open a new one.",))
            try:
                process = self._start(limits)
            except OSError as error:
                raise WorkerLost(str(error)) from None
            job = JOB.pack(len(program), len(inputs.content)) + program + inputs.content
            child = FreshChild(process, job, limits, self._resident, self._forget)
            self._running.add(child)
            return child

    def _forget(self, child: FreshChild) -> None:
        with self._lock:
            self._running.discard(child)

    def lost(self, worker: Worker) -> None:
        """Never called: each worker has a process of its own."""

    def close(self) -> None:
        with self._lock:
            self._closed = True
            running = list(self._running)
        for child in running:
            child.kill()


class FreshChild:
    """One worker and the thread that talks to it."""

    zygote_lost = False
    no_room = False

    def __init__(
        self,
        process: StartedProcess,
        job: bytes,
        limits: Limits,
        resident: Resident | None,
        ended: Callable[[FreshChild], None],
    ) -> None:
        self._process = process
        self._limits = limits
        self._resident = resident
        self._ended = ended
        self.exit_status: int | None = None
        self.finished_writing = False
        self._near, far = socket.socketpair()
        self._near.setblocking(False)
        self._pump = threading.Thread(
            target=self._carry, args=(job, far), name="assay-worker", daemon=True
        )
        self._begun = False

    def begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._pump.start()

    def _carry(self, job: bytes, far: socket.socket) -> None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdout, far:
            # It is no error if the worker has died or the host no longer listens; nor if
            # closing `stdin` below tries again to write what the worker has not read.
            with suppress(OSError):
                process.stdin.write(job)
                process.stdin.flush()
                while data := os.read(process.stdout.fileno(), READ_BYTES):
                    far.sendall(data)
            try:
                status = process.wait(GOING_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                status = process.wait()
            # Closed only now: the end of its input tells a worker that the host has ended.
            with suppress(OSError):
                process.stdin.close()
            self.exit_status = status

    @property
    def listening(self) -> tuple[tuple[int, bool], ...]:
        return () if self.finished_writing else ((self._near.fileno(), True),)

    def read(self) -> bytes:
        try:
            data = self._near.recv(READ_BYTES)
        except BlockingIOError:
            return b""
        except ConnectionError:
            data = b""
        self.finished_writing = not data
        return data

    def hear(self) -> bool:
        """There are no messages about it beside its pipe."""
        return True

    def kill(self) -> None:
        with suppress(OSError):
            self._process.kill()

    def held_back(self) -> None:
        """None: every answer is sent at once."""

    def usage(self) -> None:
        """None: how to find it out differs from system to system."""

    def too_large(self) -> bool:
        if self._resident is None:
            return False
        return self._resident(self._process.pid) > self._limits.memory_bytes

    def left_behind(self) -> None:
        """None: every answer was sent at once."""

    def close(self) -> None:
        self.kill()
        # The thread also cleans up after the process.
        self.begin()
        self._near.close()
        self._pump.join(STOP_SECONDS)
        self._ended(self)
