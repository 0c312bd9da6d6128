"""A run that is told to end, as by a time limit of CI, ends as one that is stopped by Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stopped_alike() -> Generator[None]:
    """Within, SIGTERM does what SIGINT does. Only in the main thread, which alone hears signals."""
    before = signal.getsignal(signal.SIGTERM)
    if before is not signal.SIG_DFL:
        # Somebody has it ignored, or does something else with it.
        yield
        return
    signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(_number: int, frame: FrameType | None) -> None:
    # While an event loop runs, this is its own, which ends the loop in order.
    interrupted = signal.getsignal(signal.SIGINT)
    if not callable(interrupted):
        # As in the background of a shell: SIGINT is ignored there, but this one was meant.
        raise KeyboardInterrupt
    interrupted(signal.SIGINT, frame)
