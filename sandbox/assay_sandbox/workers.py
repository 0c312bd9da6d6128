"""What a batch needs of the process that runs it, however that process comes to be."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .frames import Held, Page
from .packages import Imports
from .programs import Limits


class Usage(NamedTuple):
    """Processor seconds used, whether it is runnable now, and its number of threads."""

    seconds: float
    runnable: bool
    threads: int


class Inputs(Protocol):
    """The calls of a batch, ready to be given to any number of workers."""

    def close(self) -> None: ...


class Worker(Protocol):
    """One process with one program, which it keeps waiting until it is told to begin.

    Every descriptor of `listening` can be waited for.
    """

    # The exit status, negative for a signal; None while it is not known.
    exit_status: int | None
    # Whether what started it has gone, so that no exit status will come.
    zygote_lost: bool
    # Whether there was no room for a process, so that there never was one; there may be, later.
    no_room: bool
    # Whether the last byte has been read.
    finished_writing: bool

    @property
    def listening(self) -> tuple[tuple[int, bool], ...]:
        """Descriptors that may still say something, and whether each is the pipe."""
        ...

    def begin(self) -> None:
        """Let it load its program. More than once is the same as once."""
        ...

    def read(self) -> bytes:
        """What has arrived; empty with `finished_writing` at the end."""
        ...

    def hear(self) -> bool:
        """Take one message about this worker. False if who sends them has gone."""
        ...

    def kill(self) -> None: ...

    def held_back(self) -> Held | None:
        """What it says of answers that are not sent yet; None if it sends every one at once."""
        ...

    def usage(self) -> Usage | None:
        """Its use of resources so far; None where the system does not say."""
        ...

    def too_large(self) -> bool:
        """Whether it has more memory than it may, where the system cannot bound that by itself."""
        ...

    def left_behind(self) -> Page | None:
        """Answers that were given and not sent; None if it holds none back."""
        ...

    def close(self) -> None:
        """Give everything back; a worker that still runs is killed."""
        ...


class Source(Protocol):
    """Where workers come from: a zygote, or a fresh process each."""

    # How long starting and confining a worker may take: that is ours, not the program's.
    start_seconds: float

    def hold(self, content: bytes) -> Inputs: ...

    def spawn(self, program: bytes, inputs: Inputs, limits: Limits, imports: Imports) -> Worker:
        """Start one that waits, where what is imported first may be imported already.

        Raises WorkerLost, and SandboxUnavailable if there will be none.
        """
        ...

    def lost(self, worker: Worker) -> None:
        """Say that this one went with what started it."""
        ...

    def close(self) -> None: ...
