"""One child process: what it is given, what comes back, and how it ended."""

from __future__ import annotations

import os
import secrets
import signal
import socket
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from time import monotonic

from . import wire
from .errors import WorkerLost
from .frames import NUMBER_BYTES
from .keeping import Zygotes
from .packages import Imports
from .places import Place
from .programs import Limits
from .workers import NOTHING_USED, Held, Inputs, Page, ProcessUsage, Worker
from .zygotes import START_SECONDS, Zygote, is_kept_waiting, state_of

READ_BYTES = 1 << 18
MESSAGE_BYTES = 64
# The zygote's message about a child that it could not fork, as in the worker.
NO_ROOM = b"no room"
# How long the end of a child that is no longer needed waits for the zygote to introduce it.
INTRODUCTION_SECONDS = 5.0
PIPE_BYTES = 1 << 20
# Positions after the state in the result of `state_of`.
USER_TICKS, SYSTEM_TICKS, THREADS = 10, 11, 16
F_SETPIPE_SZ, F_ADD_SEALS = 1031, 1033
F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE = 1, 2, 4, 8


def _sealed(name: str, content: bytes) -> int:
    """A descriptor of memory with this content, which no process can change any more."""
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with ExitStack() as unwanted:
        unwanted.callback(os.close, descriptor)
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
        _seal(descriptor, F_SEAL_WRITE)
        unwanted.pop_all()
    return descriptor


def _seal(descriptor: int, more: int) -> None:
    seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | more
    _control(descriptor, F_ADD_SEALS, seals)


def _control(descriptor: int, command: int, argument: int) -> None:
    # Imported here: this package has to be importable on systems that have no such module.
    import fcntl

    fcntl.fcntl(descriptor, command, argument)


class ForkedChildren:
    """Children of zygotes that are kept running."""

    start_seconds = 2.0

    def __init__(self, zygotes: Zygotes) -> None:
        self._zygotes = zygotes

    def hold(self, content: bytes) -> Inputs:
        return _Sealed(secrets.token_bytes(wire.TOKEN_BYTES), _sealed("inputs", content))

    def reads(self, place: Place) -> bool:
        return self._zygotes.reads(place)

    def spawn(
        self,
        program: bytes,
        inputs: Inputs,
        limits: Limits,
        imports: Imports,
        place: Place | None,
    ) -> Child:
        assert isinstance(inputs, _Sealed)
        zygote = self._zygotes.get(place, imports)
        try:
            return Child(zygote, program, inputs, imports)
        except WorkerLost:
            self._zygotes.discard(zygote)
            raise

    def lost(self, worker: Worker) -> None:
        assert isinstance(worker, Child)
        self._zygotes.discard(worker.zygote)

    def close(self) -> None:
        self._zygotes.close()


@dataclass(frozen=True, slots=True)
class _Sealed:
    """Inputs in memory that no process can change, and a name by which a zygote recognises them."""

    name: bytes
    descriptor: int

    def close(self) -> None:
        os.close(self.descriptor)


class Child:
    """A child requested from a zygote. The descriptors in `listening` can be polled."""

    def __init__(self, zygote: Zygote, program: bytes, inputs: _Sealed, imports: Imports) -> None:
        self.zygote = zygote
        self._pidfd: int | None = None
        self.exit_status: int | None = None
        self.zygote_lost = False
        self.no_room = False
        self._hung_up = False
        self.finished_writing = False
        self._requested = monotonic()
        # The handed-over descriptors are closed here before anything waits for their other ends.
        with ExitStack() as unwanted, ExitStack() as given:
            self.pipe, pipe_far = os.pipe2(os.O_CLOEXEC)
            unwanted.callback(os.close, self.pipe)
            given.callback(os.close, pipe_far)
            with suppress(OSError):
                # For fewer switches. An account over its share of pipe memory keeps the usual size.
                _control(pipe_far, F_SETPIPE_SZ, PIPE_BYTES)
            self._page = os.memfd_create("page", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            unwanted.callback(os.close, self._page)
            os.ftruncate(self._page, wire.PAGE_BYTES)
            _seal(self._page, 0)
            # No call is under way yet.
            os.pwrite(self._page, wire.PAGE_HEADER.pack(wire.LOADING, 0, 0, 0), 0)
            program_file = _sealed("program", program)
            given.callback(os.close, program_file)
            self._gate = os.eventfd(0, os.EFD_CLOEXEC)
            unwanted.callback(os.close, self._gate)
            self.job, job_far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            unwanted.callback(self.job.close)
            given.callback(job_far.close)
            os.set_blocking(self.pipe, False)
            self.job.setblocking(False)
            own = (pipe_far, self._page, program_file, self._gate)
            handed = (*own, inputs.descriptor, job_far.fileno())
            zygote.submit(inputs.name, handed, at_once=imports.at_once)
            unwanted.pop_all()

    @property
    def listening(self) -> tuple[tuple[int, bool], ...]:
        """Descriptors that may still deliver something, and whether each is the pipe."""
        found: list[tuple[int, bool]] = []
        if not self.finished_writing:
            found.append((self.pipe, True))
        if not (self.zygote_lost or self.no_room) and self.exit_status is None:
            found.append((self.job.fileno(), False))
        return tuple(found)

    def begin(self) -> None:
        os.eventfd_write(self._gate, 1)

    def read(self) -> bytes:
        """Read what has arrived; at the end of the pipe set `finished_writing`."""
        try:
            data = os.read(self.pipe, READ_BYTES)
        except BlockingIOError:
            return b""
        self.finished_writing = not data
        return data

    def hear(self) -> bool:
        """Receive one message from the zygote about this child. False if the zygote has ended."""
        try:
            message, descriptors, _flags, _address = socket.recv_fds(self.job, MESSAGE_BYTES, 1)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if descriptors and self._pidfd is None and self.zygote.may_have_forked(descriptors[0]):
            self._pidfd = descriptors[0]
            return True
        for descriptor in descriptors:
            os.close(descriptor)
        if message == NO_ROOM:
            self.no_room = True
            return True
        self._hung_up = not message
        try:
            self.exit_status = int(message)
        except ValueError:
            # The end of the socket, or a message that only a zygote taken over by a package sends.
            return False
        return True

    @property
    def _is_known(self) -> bool:
        """Whether the zygote has introduced the child, reported its end, or had no room for it."""
        return self._pidfd is not None or self.exit_status is not None or self.no_room

    def kill(self) -> None:
        if self._pidfd is not None:
            with suppress(OSError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def held_back(self) -> Held:
        """What the child's page says at this moment; the program can write there, too."""
        first, answered, _first_entry, _used = self._header()
        return Held(first, answered)

    def usage(self) -> ProcessUsage | None:
        """Usage as the kernel counts it; None if the child has just ended."""
        if self._pidfd is None:
            self._wait_for_introduction()
            return NOTHING_USED
        fields = state_of(self._pidfd)
        if fields is None:
            return None
        _state, *numbers = fields
        ticks = int(numbers[USER_TICKS]) + int(numbers[SYSTEM_TICKS])
        waits = not is_kept_waiting(self._pidfd)
        return ProcessUsage(ticks / os.sysconf("SC_CLK_TCK"), waits, int(numbers[THREADS]))

    def _wait_for_introduction(self) -> None:
        if monotonic() > self._requested + START_SECONDS:
            # A live zygote that does not introduce its child ends with it, and delays no others.
            self.zygote.give_up()

    def too_large(self) -> bool:
        """Never: the kernel bounds the child's address space."""
        return False

    def left_behind(self) -> Page:
        """Answers that the child gave but did not send."""
        first, answered, first_entry, used = self._header()
        numbers = NUMBER_BYTES * min(max(answered, 0), wire.NUMBERS)
        used = min(max(used, 0), wire.TEXT_BYTES)
        return Page(
            first,
            first_entry,
            os.pread(self._page, numbers, wire.NUMBERS_START),
            os.pread(self._page, used, wire.TEXT_START),
        )

    def _header(self) -> tuple[int, int, int, int]:
        return wire.PAGE_HEADER.unpack(os.pread(self._page, wire.PAGE_HEADER.size, 0))

    def close(self) -> None:
        """Release everything; kill the child if it still runs."""
        self.job.settimeout(INTRODUCTION_SECONDS)
        while not self._is_known and self.hear():
            # A child requested a moment ago cannot be killed before the zygote introduces it.
            continue
        if not (self._is_known or self._hung_up):
            self.zygote.give_up()
        self.kill()
        for descriptor in (self.pipe, self._page, self._gate, self._pidfd):
            if descriptor is not None:
                os.close(descriptor)
        self._pidfd = None
        self.job.close()
        self.zygote.given_back()
