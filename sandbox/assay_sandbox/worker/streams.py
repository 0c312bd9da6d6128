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


class Printed:
    """What a call has printed, and whether it overstepped a bound; looked at after every call."""

    __slots__ = ("decoder", "exceeded", "length", "limit", "parts")

    def __init__(self) -> None:
        self.exceeded = False
        self.length = 0
        # In characters.
        self.limit = 0
        self.parts: List[str] = []
        # Of what is printed as bytes: a character may come in parts.
        self.decoder = _decoder("replace")

    def take(self) -> bytes:
        """What was printed since the last time."""
        if not self.parts and not self.exceeded:
            return b""
        # With what is left of a character whose other parts never came.
        text = "".join(self.parts) + self.decoder.decode(b"", final=True)
        self.discard()
        return text.encode("utf-8", "surrogatepass")

    def discard(self) -> None:
        """Forget what was printed."""
        self.exceeded = False
        self.length, self.parts = 0, []


class _Bytes(io.BufferedIOBase):
    """`sys.stdout.buffer` for programs that write bytes."""

    def __init__(self, text: io.TextIOBase, decoder: codecs.IncrementalDecoder) -> None:
        self._text = text
        self._decoder = decoder

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        content = bytes(data)
        self._text.write(self._decoder.decode(content))
        return len(content)

    def close(self) -> None:
        """Stays open: the next call writes here, too."""


class _Standard(io.TextIOBase):
    """What both streams for writing have in common with those of an interpreter.

    Nothing can be read back or taken away, as from a pipe: what was printed was printed.
    """

    encoding = "utf-8"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    errors = "strict"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def __init__(self, decoder: codecs.IncrementalDecoder) -> None:
        super().__init__()
        vars(self)["buffer"] = self._bytes = _Bytes(self, decoder)

    def writable(self) -> bool:
        return True

    def reconfigure(self, **_how: Any) -> None:
        """Text stays text: nothing here depends on how it would be encoded."""

    def detach(self) -> Any:
        return self._bytes

    def close(self) -> None:
        """Stays open: the next call writes here, too."""


def writing_to(printed: Printed) -> io.TextIOBase:
    """Standard output of one call at a time. None of its attributes leads to what it has kept."""

    class Output(_Standard):
        name = "<stdout>"

        def write(self, text: str, /) -> int:
            # A subclass of text could count and say itself otherwise.
            written = str.__getitem__(text, _WHOLE)
            length = printed.length + len(written)
            if length > printed.limit:
                printed.exceeded = True
                raise TooMuchOutput
            printed.length = length
            printed.parts.append(written)
            return len(written)

    return Output(printed.decoder)


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
        self.printed = Printed()
        self.output = writing_to(self.printed)
        self._errors = Discarded(_decoder("replace"))
        self._input = Input("")

    def install(self) -> None:
        sys.stdout = sys.__stdout__ = self.output
        sys.stderr = sys.__stderr__ = self._errors
        sys.stdin = sys.__stdin__ = self._input
