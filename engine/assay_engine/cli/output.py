"""Deals with a standard output that can no longer be written."""

from __future__ import annotations

import os
import sys


def fails() -> bool:
    """Whether standard output takes nothing more; in that case, lead it away."""
    try:
        # The text that failed before may be gone from the buffer, so only another write tells.
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError:
        lead_away()
        return True
    return False


def unwritten(failure: OSError) -> str:
    reason = failure.strerror
    return f"the output cannot be written ({reason}); make room, or send it elsewhere"


def lead_away() -> None:
    """Lead standard output to nowhere: Python would try to write at its end, too, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
