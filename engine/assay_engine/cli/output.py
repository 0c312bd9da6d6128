"""Standard output when nobody takes it any more."""

from __future__ import annotations

import os
import sys


def fails() -> bool:
    """Whether it takes nothing more; then it is led away."""
    try:
        # What failed before may be gone from the buffer: only writing tells.
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
    """Python would try to write at the end, too, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
