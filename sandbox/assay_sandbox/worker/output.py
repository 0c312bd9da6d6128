"""The standard output of a program, which our own takes the place of after every call."""

from __future__ import annotations

import io
import sys

from . import deadline, streams
from .inspecting import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Bound here, because a program can replace `io.TextIOWrapper`.
_Wrapper = io.TextIOWrapper


def put_back(output: Any) -> None:
    """Restore our standard output; flush the program's, whose buffer belongs to this call."""
    found: Any = getattr(sys, "stdout", None)
    if found is output:
        return
    sys.stdout = output
    if kind_of(found) is _Wrapper:
        try:
            _Wrapper.flush(found)
        except (deadline.OutOfTime, streams.Overstepped):
            raise
        except BaseException:
            # The program's stream may be closed, or lead to a closed one or to the program's code.
            # The call has returned, or raised, before.
            return
