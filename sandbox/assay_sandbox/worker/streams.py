"""What a program finds as its standard streams: memory, bounded; no descriptor behind it."""

from __future__ import annotations

import io
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_write = io.StringIO.write
_tell = io.StringIO.tell
_value = io.StringIO.getvalue


class TooMuchOutput(BaseException):
    """Raised inside a call that printed more than it may."""


class Overstepped(BaseException):
    """Raised after a call that a bound had struck, and that caught what was raised then."""


class _Bytes:
    """`sys.stdout.buffer` for programs that write bytes."""

    def __init__(self, text: "io.StringIO") -> None:
        self._text = text

    def write(self, data: Any) -> int:
        self._text.write(bytes(data).decode("utf-8", "replace"))
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""


class Printed:
    """Whether a call has printed, and whether it overstepped a bound; read after every call."""

    __slots__ = ("exceeded", "used")

    def __init__(self) -> None:
        self.used = False
        self.exceeded = False


class Output(io.StringIO):
    """Standard output of one call at a time."""

    encoding = "utf-8"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def __init__(self) -> None:
        super().__init__()
        self.limit = 0
        self.printed = Printed()
        vars(self)["buffer"] = _Bytes(self)

    def write(self, text: str, /) -> int:
        if _tell(self) + len(text) > self.limit:
            self.printed.exceeded = True
            raise TooMuchOutput
        self.printed.used = True
        return _write(self, text)

    def isatty(self) -> bool:
        return False

    def close(self) -> None:
        """Stays open: the next call writes here, too."""

    def take(self) -> bytes:
        """What was printed since the last time."""
        if not self.printed.used and not self.printed.exceeded:
            return b""
        self.printed.used = self.printed.exceeded = False
        text = _value(self)
        io.StringIO.seek(self, 0)
        io.StringIO.truncate(self, 0)
        return text.encode("utf-8", "surrogatepass")


class Discarded(io.StringIO):
    """Standard error: accepted and forgotten."""

    encoding = "utf-8"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def __init__(self) -> None:
        super().__init__()
        vars(self)["buffer"] = _Bytes(self)

    def write(self, text: str, /) -> int:
        return len(text)

    def close(self) -> None:
        """Stays open: others write here, too."""


class Streams:
    """All three of them; before `redirect` nobody finds them."""

    def __init__(self) -> None:
        self.output = Output()
        self._errors = Discarded()
        self._input = io.StringIO()

    def redirect(self, limit: int) -> Output:
        self.output.limit = limit
        sys.stdout = sys.__stdout__ = self.output
        sys.stderr = sys.__stderr__ = self._errors
        sys.stdin = sys.__stdin__ = self._input
        return self.output
