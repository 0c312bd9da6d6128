"""What the sandbox itself failed at; what a program did is an `Observation`."""

from __future__ import annotations

CHOOSE_INTERPRETER = "Choose another interpreter: CPython 3.9 or newer."


class SandboxError(Exception):
    """The base of all. `remedies` says, one sentence each, what would help."""

    remedies: tuple[str, ...] = ()

    def in_full(self) -> str:
        """What failed, and what to do about it, in one line."""
        return " ".join([f"{str(self).rstrip('.')}.", *self.remedies])


class SandboxUnavailable(SandboxError):
    """Programs cannot be run confined."""

    def __init__(self, reason: str, remedies: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedies = remedies


class NothingHolds(SandboxUnavailable):
    """Every tier there is was tried, or the one asked for, and no confinement works here."""


class InterpreterUnusable(SandboxError):
    """The chosen interpreter cannot run the worker."""

    remedies = (CHOOSE_INTERPRETER,)


class WorkerLost(SandboxError):
    """No worker came to be, several times, through no fault of the program: the machine has no
    room for a process, or keeps killing them."""

    remedies = ("Try again when less is running on this machine.",)


class ProtocolError(SandboxError):
    """A child sent something that is not a frame of ours. Handled inside; named for the tests."""


class UnreadableAnswer(ProtocolError):
    """The answer to the call under way is none of ours; those in front of it are good."""
