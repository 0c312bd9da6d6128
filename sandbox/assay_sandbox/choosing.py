"""Chooses the confinement of one sandbox, once, in a thread beside those that wait for it."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from time import monotonic

from .errors import SandboxUnavailable
from .pool import LONGEST_WAIT_SECONDS
from .tiers import TierReport, Trying
from .workers import WorkerSource

Chosen = tuple[WorkerSource, TierReport]


class Choice:
    """Begins choosing when first asked. Thread-safe.

    A failure is kept for as long as it took: if an interpreter does not answer, each of many
    programs would otherwise have to wait for it again.
    """

    def __init__(self, choose: Callable[[Trying], Chosen]) -> None:
        self._choose = choose
        self._trying = Trying()
        self._changed = threading.Condition()
        self._under_way = False
        self._closed = False
        self._failure: BaseException | None = None
        self._failed_until = -math.inf
        # The choice if it has been made, available without waiting.
        self.made: Chosen | None = None

    def wait(self, given_up: Callable[[], bool]) -> Chosen | None:
        """The choice; None if `given_up` becomes true before. Choosing then goes on.

        Raises what choosing has raised, and SandboxUnavailable once it is closed.
        """
        with self._changed:
            if not (self._closed or self.made or self._under_way):
                self._begin()
            while self._under_way and not self._closed:
                if given_up():
                    return None
                self._changed.wait(LONGEST_WAIT_SECONDS)
            if self._closed:
                raise SandboxUnavailable("the sandbox is closed", ("Open a new one.",))
            if self.made is None:
                assert self._failure is not None
                raise self._failure
            return self.made

    def close(self) -> None:
        """End the chosen source, or the one being tried. All waiting threads then raise."""
        with self._changed:
            self._closed = True
            self.made = None
            self._changed.notify_all()
        self._trying.end()

    def _begin(self) -> None:
        if monotonic() < self._failed_until:
            return
        # In a thread of its own: it may take long, and a waiting caller may give up.
        thread = threading.Thread(target=self._find_out, name="assay-choice", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            # The account has reached its limit of processes.
            self._failure = SandboxUnavailable(str(error), ("Try again with less running.",))
            return
        self._under_way = True

    def _find_out(self) -> None:
        began = monotonic()
        made, failure = None, None
        try:
            made = self._choose(self._trying)
        except BaseException as error:
            failure = error
        with self._changed:
            self._under_way = False
            self._failure = failure
            self._failed_until = 2 * monotonic() - began
            # Else `close` has ended this source, as any that was tried.
            if not self._closed:
                self.made = made
            self._changed.notify_all()
