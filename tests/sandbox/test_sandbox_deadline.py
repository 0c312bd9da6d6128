"""The clock of a child, at moments that real timers meet once in ten thousand calls."""

from __future__ import annotations

import pytest

from assay_sandbox.worker import deadline, streams


class Idle:
    """A wire on which the first call is under way and nothing is held."""

    def __init__(self) -> None:
        self.flushed = 0

    def under_way(self) -> int:
        return 0

    def flush(self) -> None:
        self.flushed += 1


def test_a_tick_within_a_tick_does_not_end_a_call_that_has_only_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wire = Idle()
    clock = deadline.Deadline(wire, streams.Printed())  # pyright: ignore[reportArgumentType]
    # Between calls: from here on the next one counts.
    clock._tick(0, None)
    real, nested = deadline.monotonic, 0

    def interrupted() -> float:
        nonlocal nested
        nested += 1
        if nested == 1:
            clock._tick(0, None)
        return real()

    monkeypatch.setattr(deadline, "monotonic", interrupted)
    clock.start(0.05)
    clock._tick(0, None)
    assert nested == 1
    assert wire.flushed == 1
