"""What a program finds as its standard streams: memory, bounded; no descriptor behind it."""

from __future__ import annotations

import codecs
import io
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Optional

_value = io.StringIO.getvalue
_WHOLE = slice(None)
_decoder = codecs.getincrementaldecoder("utf-8")


class TooMuchOutput(BaseException):
    """Raised inside a call that printed more than it may."""


class Overstepped(BaseException):
    """Raised after a call that a bound had struck, and that caught what was raised then."""


class _Bytes(io.BufferedIOBase):
    """`sys.stdout.buffer` for programs that write bytes."""

    def __init__(self, text: io.TextIOBase) -> None:
        self._text = text
        self._decoder = _decoder("replace")

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        content = bytes(data)
        # A character may come in parts.
        self._text.write(self._decoder.decode(content))
        return len(content)

    def end(self) -> str:
        """What is left of a character whose other parts never came."""
        return self._decoder.decode(b"", final=True)

    def close(self) -> None:
        """Stays open: the next call writes here, too."""


class Printed:
    """What a call has printed, and whether it overstepped a bound; looked at after every call."""

    __slots__ = ("exceeded", "length", "parts")

    def __init__(self) -> None:
        self.exceeded = False
        self.length = 0
        self.parts: List[str] = []


class _Standard(io.TextIOBase):
    """What both streams for writing have in common with those of an interpreter.

    Nothing can be read back or taken away, as from a pipe: what was printed was printed.
    """

    encoding = "utf-8"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    errors = "strict"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def __init__(self) -> None:
        super().__init__()
        self.bytes = _Bytes(self)
        vars(self)["buffer"] = self.bytes

    def writable(self) -> bool:
        return True

    def reconfigure(self, **_how: Any) -> None:
        """Text stays text: nothing here depends on how it would be encoded."""

    def detach(self) -> Any:
        return self.bytes

    def close(self) -> None:
        """Stays open: the next call writes here, too."""


class Output(_Standard):
    """Standard output of one call at a time."""

    name = "<stdout>"

    def __init__(self) -> None:
        super().__init__()
        self.limit = 0
        self.printed = Printed()

    def write(self, text: str, /) -> int:
        # A subclass of text could count and say itself otherwise.
        written = str.__getitem__(text, _WHOLE)
        printed = self.printed
        length = printed.length + len(written)
        if length > self.limit:
            printed.exceeded = True
            raise TooMuchOutput
        printed.length = length
        printed.parts.append(written)
        return len(written)


def taken(output: Output) -> bytes:
    """What was printed since the last time."""
    printed = output.printed
    if not printed.parts and not printed.exceeded:
        return b""
    text = "".join(printed.parts) + output.bytes.end()
    discard(output)
    return text.encode("utf-8", "surrogatepass")


def discard(output: Output) -> None:
    """Forget what was printed."""
    printed = output.printed
    printed.exceeded = False
    printed.length, printed.parts = 0, []


class Discarded(_Standard):
    """Standard error: accepted and forgotten."""

    name = "<stderr>"

    def write(self, text: str, /) -> int:
        return len(text)

    def fileno(self) -> int:
        # It leads nowhere; `faulthandler` wants one.
        return 2


class Input(io.StringIO):
    """Standard input of one call, or of all that have none."""

    name = "<stdin>"
    encoding = "utf-8"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    errors = "strict"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._bytes: Optional[io.BufferedReader] = None

    @property
    def buffer(self) -> io.BufferedReader:
        """From the beginning: programs read either bytes or text."""
        if self._bytes is None or self._bytes.closed:
            content = _value(self).encode("utf-8", "surrogatepass")
            # Any: typeshed wants raw files, which is more than reading needs.
            source: Any = io.BytesIO(content)
            self._bytes = io.BufferedReader(source)
        return self._bytes

    def reconfigure(self, **_how: Any) -> None:
        """As for output."""

    def writable(self) -> bool:
        return False

    def write(self, _text: str, /) -> int:
        raise io.UnsupportedOperation("not writable")

    def close(self) -> None:
        """Stays open: the next call may find it, too."""


class Streams:
    """All three of them, in the place of an interpreter's."""

    def __init__(self) -> None:
        self.output = Output()
        self._errors = Discarded()
        self._input = Input("")

    def install(self) -> None:
        sys.stdout = sys.__stdout__ = self.output
        sys.stderr = sys.__stderr__ = self._errors
        sys.stdin = sys.__stdin__ = self._input
