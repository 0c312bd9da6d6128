"""The interface of the process that runs a batch, however that process is started."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .packages import Imports
from .places import Place
from .programs import Limits


class ProcessUsage(NamedTuple):
    """Processor seconds used, whether it waits of its own accord, and its number of threads."""

    seconds: float
    waits: bool
    threads: int


# Of a worker that has not been started yet.
NOTHING_USED = ProcessUsage(0.0, waits=False, threads=0)


class Held(NamedTuple):
    """The state of a page while its child runs: its first call, and how many are answered."""

    first: int
    answered: int


class Page(NamedTuple):
    """The content that a child left on its page."""

    first: int
    first_entry: int
    numbers: bytes
    text: bytes


class Inputs(Protocol):
    """The calls of a batch, ready to be given to any number of workers."""

    def close(self) -> None: ...


class Worker(Protocol):
    """One process with one program, which it keeps waiting until it is told to begin.

    Every descriptor of `listening` can be waited for.
    """

    # The exit status, negative for a signal; None while it is not known.
    exit_status: int | None
    # Whether its zygote has ended, so that no exit status will come.
    zygote_lost: bool
    # Whether the process could not be started for want of room, which there may be later.
    no_room: bool
    # Whether the last byte has been read.
    finished_writing: bool

    @property
    def listening(self) -> tuple[tuple[int, bool], ...]:
        """Descriptors that may still deliver something, and whether each is the pipe."""
        ...

    def begin(self) -> None:
        """Let it load its program. Further calls have no effect."""
        ...

    def read(self) -> bytes:
        """Read what has arrived; at the end set `finished_writing`."""
        ...

    def hear(self) -> bool:
        """Receive one message about this worker. False if the sender has ended."""
        ...

    def kill(self) -> None: ...

    def held_back(self) -> Held | None:
        """What it says of answers not sent yet; None if it sends every answer at once."""
        ...

    def usage(self) -> ProcessUsage | None:
        """Its use of resources so far; None where the system does not tell."""
        ...

    def too_large(self) -> bool:
        """Whether it uses more memory than it may, where the system itself cannot bound that."""
        ...

    def left_behind(self) -> Page | None:
        """Answers that it gave but did not send; None if it holds none back."""
        ...

    def close(self) -> None:
        """Release everything; kill the worker if it still runs."""
        ...


class WorkerSource(Protocol):
    """Where workers come from: a zygote, or a fresh process each."""

    # How long starting and confining a worker may take, which does not count as the program's time.
    start_seconds: float

    def hold(self, content: bytes) -> Inputs: ...

    def reads(self, place: Place) -> bool:
        """Whether programs can open the files of a place; else its texts come along with them."""
        ...

    def spawn(
        self,
        program: bytes,
        inputs: Inputs,
        limits: Limits,
        imports: Imports,
        place: Place | None,
    ) -> Worker:
        """Start a worker that waits; it may already have imported what `imports` puts first, or
        what the module on trial in its `place` needs.

        Raises WorkerLost, and SandboxUnavailable if there will be no worker.
        """
        ...

    def lost(self, worker: Worker) -> None:
        """Note that this worker ended with its zygote."""
        ...

    def close(self) -> None: ...
