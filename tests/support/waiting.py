"""Waiting for what will come to be, however slow the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

DEADLINE_SECONDS = 30.0


def eventually(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + DEADLINE_SECONDS
    while not holds():
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.05)
