"""Errors of the sandbox itself; what a program did is an `Observation`."""

from __future__ import annotations

CHOOSE_INTERPRETER = "Choose another interpreter: CPython 3.9 or newer."


class SandboxError(Exception):
    """The base of all these errors. `remedies` says, one sentence each, what would help."""

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
    """No confinement works here: every tier, or the requested one, was tried."""


class InterpreterUnusable(SandboxError):
    """The chosen interpreter cannot run the worker."""

    remedies = (CHOOSE_INTERPRETER,)


class WorkerLost(SandboxError):
    """Several times no worker could be started, through no fault of the program: the machine has
    no room for a process, or keeps killing them."""

    remedies = ("Try again when less is running on this machine.",)


class ProtocolError(SandboxError):
    """A child sent something that is no valid frame. Handled inside; public for the tests."""


class UnreadableAnswer(ProtocolError):
    """The answer to the call under way is not valid; the answers before it are."""
