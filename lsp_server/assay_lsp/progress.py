"""How far checks are: those that ask a model or run something now, and a progress bar in the editor
for one check, shown if that takes long; the user can cancel it.
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import logging
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol, Self

from lsprotocol import types
from msgspec import Struct

from assay_engine.types import Progress
from assay_lsp.documents import key
from assay_lsp.lifetime import spawn

log = logging.getLogger(__name__)

# A check that the store answers takes less time, and shows no bar.
BEGIN_SECONDS = 0.5
# Editors redraw at every report.
REPORT_SECONDS = 0.1

_numbers = itertools.count(1)


class Bars(Protocol):
    """pygls's `Progress`, with types."""

    @property
    def tokens(self) -> dict[int | str, Future[Any]]: ...
    async def create_async(self, token: int | str) -> Any: ...
    def begin(self, token: int | str, value: types.WorkDoneProgressBegin) -> None: ...
    def report(self, token: int | str, value: types.WorkDoneProgressReport) -> None: ...
    def end(self, token: int | str, value: types.WorkDoneProgressEnd) -> None: ...


class EditorProgressBar:
    """An asynchronous context: begins after a while, ends with the block, cancels on demand."""

    def __init__(self, bars: Bars | None, title: str, cancel: Callable[[], object]) -> None:
        """`bars` is None for a client that shows no progress."""
        self._bars = bars
        self._title = title
        self._cancel = cancel
        # A string: Zed rejects numbers.
        self._token = f"assay-{next(_numbers)}"
        self._step: Progress | None = None
        self._done = 0
        self._begun = False
        self._ended = False
        self._outcome = ""
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        if self._bars is not None:
            self._timer = asyncio.get_running_loop().call_later(
                BEGIN_SECONDS, lambda: spawn(self._begin())
            )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()
        if self._begun and self._bars is not None:
            message = "cancelled" if kind is asyncio.CancelledError else self._outcome
            self._bars.end(self._token, types.WorkDoneProgressEnd(message=message or None))
            # pygls remembers tokens for ever.
            self._bars.tokens.pop(self._token, None)

    def step(self, step: Progress) -> None:
        """Note how far the check is; only the last step within `REPORT_SECONDS` is sent."""
        idle = self._step is None
        self._step = step
        if self._begun and idle:
            asyncio.get_running_loop().call_later(REPORT_SECONDS, self._report)

    def advance(self) -> None:
        """Count a function as done. Steps do not tell: several functions are on trial at once."""
        self._done += 1

    def conclude(self, outcome: str) -> None:
        """Set the message with which the bar ends."""
        self._outcome = outcome

    async def _begin(self) -> None:
        """Begin the bar. Not cancelled by the check's end, or nothing would await the answer."""
        assert self._bars is not None
        try:
            await self._bars.create_async(self._token)
        except Exception as refusal:
            # The protocol forbids using a token that the client has refused.
            log.info("the client shows no progress: %s", refusal)
            return
        if self._ended:
            self._bars.tokens.pop(self._token, None)
            return
        self._bars.tokens[self._token].add_done_callback(
            lambda _: None if self._ended else self._cancel()
        )
        message, percentage = self._words()
        self._bars.begin(
            self._token,
            types.WorkDoneProgressBegin(
                self._title, cancellable=True, message=message, percentage=percentage
            ),
        )
        self._begun, self._step = True, None

    def _report(self) -> None:
        if self._ended or self._bars is None:
            return
        message, percentage = self._words()
        self._bars.report(
            self._token,
            types.WorkDoneProgressReport(cancellable=True, message=message, percentage=percentage),
        )
        self._step = None

    def _words(self) -> tuple[str | None, int]:
        if self._step is None or not self._step.total:
            return None, 0
        step = self._step
        message = f"{step.qualname}: {step.stage} ({self._done} of {step.total} done)"
        return message, 100 * self._done // step.total


# A check holds its file's syntax tree. To go through hundreds of thousands of such objects halts
# the whole process for a third of a second, and finds nothing: trees have no circles.
_USUAL = gc.get_threshold()
_YOUNG_OBJECTS_ONLY = (*_USUAL[:2], 1_000_000_000)


class Advance(Struct, frozen=True, rename="camel"):
    """Functions done and to be checked, and seconds since the first check under way began."""

    done: int
    total: int
    seconds: int


class _Check(Struct, eq=False):
    uri: str
    names: frozenset[str] | None
    began: float
    done: int = 0
    total: int = 0


class Ongoing:
    """Touched on the server's loop only. `changed` is called at each step of a check."""

    def __init__(self, clock: Callable[[], float], changed: Callable[[], None]) -> None:
        self._clock = clock
        self._changed = changed
        self._checks: list[_Check] = []

    @contextmanager
    def check(
        self, uri: str, names: frozenset[str] | None
    ) -> Generator[Callable[[Progress | None], None]]:
        """While a check is under way. Yields a function to call with each step, and with None when
        a function is done."""
        check = _Check(key(uri), names, self._clock(), total=len(names or ()))
        self._checks.append(check)
        gc.set_threshold(*_YOUNG_OBJECTS_ONLY)
        self._changed()

        def step(progress: Progress | None) -> None:
            if progress is None:
                check.done += 1
            else:
                check.total = progress.total
            self._changed()

        try:
            yield step
        finally:
            self._checks.remove(check)
            if not self._checks:
                gc.set_threshold(*_USUAL)
            self._changed()

    def covers(self, uri: str, qualname: str) -> bool:
        """Whether a check under way is to say something about a function."""
        return any(
            check.uri == key(uri) and (check.names is None or qualname in check.names)
            for check in self._checks
        )

    def names_of(self, uri: str) -> tuple[frozenset[str] | None, ...]:
        """The functions that each check under way of a document is about; None for all."""
        return tuple(check.names for check in self._checks if check.uri == key(uri))

    @property
    def advance(self) -> Advance | None:
        if not self._checks:
            return None
        began = min(check.began for check in self._checks)
        return Advance(
            sum(check.done for check in self._checks),
            sum(check.total for check in self._checks),
            int(self._clock() - began),
        )
