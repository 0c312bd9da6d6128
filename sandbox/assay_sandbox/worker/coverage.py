"""Records which of the program's own lines a call runs through, on request."""

from __future__ import annotations

import sys
from types import CodeType, FrameType

from .loading import PROGRAM_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOOL = 4


class LineTracer:
    """Collects lines."""

    def __init__(self, _text: str) -> None:
        self._lines: set[int] = set()
        self._monitoring: Any = getattr(sys, "monitoring", None)

    def arm(self, _namespace: dict[str, Any]) -> None:
        if self._monitoring is None:
            # Imported here, because it would slow every start, and few callers ask for coverage.
            import threading

            sys.settrace(self._trace)
            threading.settrace(self._trace)
            return
        events = self._monitoring.events
        self._monitoring.use_tool_id(TOOL, "coverage")
        self._monitoring.register_callback(TOOL, events.LINE, self._line)
        self._monitoring.register_callback(TOOL, events.PY_START, self._start)
        self._monitoring.set_events(TOOL, events.PY_START)

    def begin(self) -> None:
        self._lines.clear()
        if self._monitoring is None:
            # A program can have switched tracing off.
            sys.settrace(self._trace)

    def end(self) -> None:
        """Nothing to do: no code of the program follows the call."""

    def take(self) -> str:
        return "[%s]" % ",".join(map(str, sorted(self._lines)))

    def _start(self, code: CodeType, _offset: int) -> Any:
        if code.co_filename == PROGRAM_FILE:
            self._monitoring.set_local_events(TOOL, code, self._monitoring.events.LINE)
        # Once is enough for each code.
        return self._monitoring.DISABLE

    def _line(self, _code: CodeType, line: int) -> None:
        self._lines.add(line)

    def _trace(self, frame: FrameType, event: str, _argument: Any) -> Any | None:
        if frame.f_code.co_filename != PROGRAM_FILE:
            return None
        if event == "line":
            self._lines.add(frame.f_lineno)
        return self._trace
