"""Records which of the program's own lines and branches a call runs through, on request."""

from __future__ import annotations

import sys
from types import CodeType, FrameType

from .loading import PROGRAM_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Optional, Set, Tuple

TOOL = 4


class LineTracer:
    """Collects lines and pairs of lines that followed each other in one frame."""

    def __init__(self) -> None:
        self._lines: Set[int] = set()
        self._arcs: Set[Tuple[int, int]] = set()
        self._monitoring: Any = getattr(sys, "monitoring", None)

    def arm(self) -> None:
        if self._monitoring is None:
            # Imported here, because it would slow every start, and few callers ask for coverage.
            import threading

            sys.settrace(self._enter)
            threading.settrace(self._enter)
            return
        events = self._monitoring.events
        self._monitoring.use_tool_id(TOOL, "coverage")
        self._monitoring.register_callback(TOOL, events.LINE, self._line)
        self._monitoring.register_callback(TOOL, events.PY_START, self._start)
        self._monitoring.set_events(TOOL, events.PY_START)
        self._last: dict[CodeType, int] = {}

    def begin(self) -> None:
        self._lines.clear()
        self._arcs.clear()
        if self._monitoring is None:
            # A program can have switched tracing off.
            sys.settrace(self._enter)

    def end(self) -> None:
        """Nothing to do: no code of the program follows the call."""

    def take(self) -> str:
        lines = ",".join(map(str, sorted(self._lines)))
        arcs = ",".join(["[%d,%d]" % arc for arc in sorted(self._arcs)])
        return "[[%s],[%s]]" % (lines, arcs)

    def _start(self, code: CodeType, _offset: int) -> Any:
        if code.co_filename != PROGRAM_FILE:
            return self._monitoring.DISABLE
        self._monitoring.set_local_events(TOOL, code, self._monitoring.events.LINE)
        self._last[code] = -code.co_firstlineno
        return None

    def _line(self, code: CodeType, line: int) -> None:
        self._lines.add(line)
        # Recursion interleaves frames of one code. Pairs then tell less, but never less than lines.
        self._arcs.add((self._last.get(code, -code.co_firstlineno), line))
        self._last[code] = line

    def _enter(self, frame: FrameType, event: str, _argument: Any) -> Optional[Any]:
        if frame.f_code.co_filename != PROGRAM_FILE:
            return None
        previous: List[int] = [-frame.f_code.co_firstlineno]

        def local(frame: FrameType, event: str, _argument: Any) -> Any:
            if event == "line":
                line = frame.f_lineno
                self._lines.add(line)
                self._arcs.add((previous[0], line))
                previous[0] = line
            return local

        return local
