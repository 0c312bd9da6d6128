"""A program's standard streams: bounded memory, with no descriptor behind it."""

from __future__ import annotations

import codecs
import io
import sys

from .inspecting import short_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List

_WHOLE = slice(None)
_decoder = codecs.getincrementaldecoder("utf-8")


class TooMuchOutput(BaseException):
    """Raised inside a call that prints more than it may."""


class Overstepped(BaseException):
    """Raised after a call that overstepped a bound and caught the exception for it."""


class Printed:
    """What a call has printed, and whether it overstepped a bound; looked at after every call."""

    __slots__ = ("decoder", "exceeded", "length", "limit", "parts")

    def __init__(self) -> None:
        self.exceeded = False
        self.length = 0
        # In characters.
        self.limit = 0
        self.parts: List[str] = []
        # For output printed as bytes: a character may arrive in parts.
        self.decoder = _decoder("replace")

    def take(self) -> bytes:
        """Take the output since the last time."""
        if not self.parts and not self.exceeded:
            return b""
        # With the beginning of a character whose other parts never came.
        text = "".join(self.parts) + self.decoder.decode(b"", final=True)
        self.discard()
        return text.encode("utf-8", "surrogatepass")

    def discard(self) -> None:
        """Drop the output."""
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
        try:
            content = memoryview(data).tobytes()
        except TypeError:
            raise _no_bytes(data) from None
        self._text.write(self._decoder.decode(content))
        return len(content)

    def close(self) -> None:
        """Stays open: the next call writes here, too."""


class _Standard(io.TextIOBase):
    """What both output streams have in common with those of an interpreter.

    As with a pipe, a program cannot read back or remove its output.
    """

    encoding = "utf-8"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    errors = "strict"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    name = ""
    mode = "w"
    line_buffering = write_through = False

    def __init__(self, decoder: codecs.IncrementalDecoder) -> None:
        super().__init__()
        vars(self)["buffer"] = self._bytes = _Bytes(self, decoder)

    def writable(self) -> bool:
        return True

    def reconfigure(self, **_how: Any) -> None:
        """Nothing to do: text stays text, and nothing here depends on its encoding."""

    def __repr__(self) -> str:
        return _shown(self.name, self.mode)

    def detach(self) -> Any:
        return self._bytes

    def close(self) -> None:
        """Stays open: the next call writes here, too."""


def writing_to(printed: Printed) -> io.TextIOBase:
    """Standard output of one call at a time. None of its attributes leads to the kept output."""

    class Output(_Standard):
        name = "<stdout>"

        def write(self, text: str, /) -> int:
            # A subclass of str could give another length or content.
            try:
                written = str.__getitem__(text, _WHOLE)
            except TypeError:
                raise _no_text(text) from None
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
    errors = "backslashreplace"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    line_buffering = True

    def write(self, text: str, /) -> int:
        try:
            return len(str.__getitem__(text, _WHOLE))
        except TypeError:
            raise _no_text(text) from None

    def fileno(self) -> int:
        # The descriptor leads nowhere; `faulthandler` needs one.
        return 2


def _no_text(given: object) -> TypeError:
    return TypeError(f"write() argument must be str, not {short_name(type(given))}")


def _no_bytes(given: object) -> TypeError:
    return TypeError(f"a bytes-like object is required, not '{short_name(type(given))}'")


def _shown(name: str, mode: str) -> str:
    return f"<_io.TextIOWrapper name={name!r} mode={mode!r} encoding='utf-8'>"


class _Source(io.BytesIO):
    def close(self) -> None:
        """Stays open, as all of standard input does: the next call may use it, too."""


class _Buffer(io.BufferedReader):
    def close(self) -> None:
        """Stays open, as above."""


class Input(io.TextIOWrapper):
    """Standard input of one call, or of all that have none."""

    name = "<stdin>"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    errors = "strict"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    mode = "r"  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def __init__(self, text: str) -> None:
        # Any: typeshed wants raw files, which is more than reading needs.
        source: Any = _Source(text.encode("utf-8", "surrogatepass"))
        super().__init__(_Buffer(source), "utf-8", "surrogatepass")
        self._is_given = bool(text)

    def reconfigure(self, **how: Any) -> None:
        # Otherwise the next call without input could tell that an earlier call has read.
        if self._is_given:
            super().reconfigure(**how)

    def detach(self) -> Any:
        return self.buffer

    def close(self) -> None:
        """Stays open, as above."""

    def __repr__(self) -> str:
        return _shown(self.name, self.mode)


class Streams:
    """All three standard streams, which replace the interpreter's."""

    def __init__(self) -> None:
        self.printed = Printed()
        self.output = writing_to(self.printed)
        self._errors = Discarded(_decoder("replace"))
        self._input = Input("")

    def install(self) -> None:
        sys.stdout = sys.__stdout__ = self.output
        sys.stderr = sys.__stderr__ = self._errors
        sys.stdin = sys.__stdin__ = self._input
