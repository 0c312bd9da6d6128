"""Makes a run that is told to end, as by a time limit of CI, end like one stopped by Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stopped_alike() -> Generator[None]:
    """Within this context, SIGTERM does what SIGINT does. Use it in the main thread only, since no
    other thread receives signals."""
    before = signal.getsignal(signal.SIGTERM)
    if before is not signal.SIG_DFL:
        # Somebody has SIGTERM ignored, or handles it in another way.
        yield
        return
    signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(_number: int, frame: FrameType | None) -> None:
    # While an event loop runs, this is the loop's own handler, which ends the loop in order.
    interrupted = signal.getsignal(signal.SIGINT)
    if not callable(interrupted):
        # SIGINT is ignored, as in the background of a shell, but the SIGTERM was meant.
        raise KeyboardInterrupt
    interrupted(signal.SIGINT, frame)
