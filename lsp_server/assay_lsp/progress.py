"""A progress bar in the editor for one check: shown if that takes long; the user can cancel it."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Protocol, Self

from lsprotocol import types

from assay_engine.types import Progress as Step

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


class ProgressBar:
    """An asynchronous context: begins after a while, ends with the block, cancels on demand."""

    def __init__(self, bars: Bars | None, title: str, cancel: Callable[[], object]) -> None:
        """`bars` is None for a client that shows no progress."""
        self._bars = bars
        self._title = title
        self._cancel = cancel
        # A string: Zed rejects numbers.
        self._token = f"assay-{next(_numbers)}"
        self._step: Step | None = None
        self._done = 0
        self._begun = False
        self._ended = False
        self._outcome = ""
        self._timer: asyncio.TimerHandle | None = None
        self._creating: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self._bars is not None:
            self._timer = asyncio.get_running_loop().call_later(BEGIN_SECONDS, self._create)
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

    def step(self, step: Step) -> None:
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

    def _create(self) -> None:
        self._creating = asyncio.get_running_loop().create_task(self._begin())

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
        self._bars.tokens[self._token].add_done_callback(self._cancelled)
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

    def _cancelled(self, _: Any) -> None:
        if not self._ended:
            self._cancel()
