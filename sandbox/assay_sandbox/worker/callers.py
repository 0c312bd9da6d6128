"""Frames of the stack: who calls, and whose code is running."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, Callable

# Typed loosely, as its way to see who calls is private to type checkers.
_system: Any = sys
# The frame that lies so many calls below the one that asks.
frame_below: Callable[[int], Any] = _system._getframe
# The file that the code of this package says it is from, see `main.py`.
_OURS = frame_below(0).f_code.co_filename


def is_ours(code: CodeType) -> bool:
    return code.co_filename == _OURS
