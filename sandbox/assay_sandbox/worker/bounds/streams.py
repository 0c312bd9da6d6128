"""A program's standard streams: bounded memory, with no descriptor behind it."""

from __future__ import annotations

import io
import sys

# Not the decoder of `codecs`, which is written in Python: a program can replace its parts.
from _codecs import utf_8_decode

from ..inspecting import short_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    Decode = Callable[..., str]

_WHOLE = slice(None)
# Encoding, and what is done about characters that it has not.
_USUAL = ("utf-8", "strict")


class TooMuchOutput(BaseException):
    """Raised inside a call that prints more than it may."""


class Overstepped(BaseException):
    """Raised after a call that overstepped a bound and caught the exception for it."""


class Printed:
    """What a call has printed, and whether it overstepped a bound; looked at after every call."""

    __slots__ = ("decode", "encoded_as", "exceeded", "length", "limit", "parts", "usual")

    def __init__(self) -> None:
        self.exceeded = False
        self.length = 0
        # In characters.
        self.limit = 0
        self.parts: list[str] = []
        # Of what is printed as bytes: a character may come in parts.
        self.decode = _decoding()
        # How this call has its text encoded, and how every call begins.
        self.encoded_as = self.usual = _USUAL

    def take(self) -> bytes:
        """Take the output since the last time."""
        if not self.parts and not self.exceeded:
            return b""
        # With what is left of a character whose other parts never came.
        text = "".join(self.parts) + self.decode(b"", final=True)
        self.discard()
        return text.encode("utf-8", "surrogatepass")

    def discard(self) -> None:
        """Forget what was printed, and how."""
        self.exceeded = False
        self.encoded_as = self.usual
        self.length, self.parts = 0, []

    def settle(self) -> None:
        """What was printed while the program was loaded belongs to no call; how it is encoded from
        then on, to all."""
        self.usual = self.encoded_as
        self.take()

    def encode_as(self, encoding: str | None, errors: str | None) -> None:
        """As `reconfigure`. Raises LookupError."""
        if encoding is None:
            encoding, errors = self.encoded_as[0], errors or self.encoded_as[1]
        elif encoding == "locale":
            encoding = _USUAL[0]
        errors = errors or _USUAL[1]
        "".encode(encoding, errors)
        self.encoded_as = encoding, errors
        # So that the call is seen to have done something that the next is to know nothing of.
        self.parts.append("")

    def encoded(self, text: str) -> str:
        """What there is to be read of it. Raises UnicodeEncodeError."""
        if self.encoded_as == _USUAL:
            text.encode()
            return text
        encoding, errors = self.encoded_as
        # Both may be the program's own, and give anything.
        return str.__getitem__(text.encode(encoding, errors).decode(encoding, "replace"), _WHOLE)


def _decoding() -> Decode:
    kept = b""

    def decode(data: bytes, final: bool = False) -> str:
        nonlocal kept
        text, used = utf_8_decode(kept + data, "replace", final)
        kept = (kept + data)[used:]
        return text

    return decode


class _Bytes(io.BufferedIOBase):
    """`sys.stdout.buffer` for programs that write bytes."""

    def __init__(self, keep: Callable[[str], object], decode: Decode) -> None:
        self._keep = keep
        self._decode = decode

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        try:
            content = memoryview(data).tobytes()
        except TypeError:
            raise _no_bytes(data) from None
        self._keep(self._decode(content))
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

    def __init__(self, keep: Callable[[str], object], decode: Decode) -> None:
        super().__init__()
        vars(self)["buffer"] = self._bytes = _Bytes(keep, decode)

    def writable(self) -> bool:
        return True

    def reconfigure(self, **_how: Any) -> None:
        """Nothing that matters here: where lines end, and what is held back."""

    def __repr__(self) -> str:
        return _shown(self.name, self.mode)

    def detach(self) -> Any:
        return self._bytes

    def close(self) -> None:
        """Stays open: the next call writes here, too."""


def writing_to(printed: Printed) -> io.TextIOBase:
    """Standard output of one call at a time. None of its attributes leads to the kept output."""

    def keep(written: str) -> None:
        length = printed.length + len(written)
        if length > printed.limit:
            printed.exceeded = True
            raise TooMuchOutput
        printed.length = length
        printed.parts.append(written)

    class Output(_Standard):
        name = "<stdout>"
        encoding = property(lambda _self: printed.encoded_as[0])  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
        errors = property(lambda _self: printed.encoded_as[1])  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

        def write(self, text: str, /) -> int:
            # A subclass of str could give another length or content.
            try:
                written = str.__getitem__(text, _WHOLE)
            except TypeError:
                raise _no_text(text) from None
            keep(written if written.isascii() else printed.encoded(written))
            return len(written)

        def reconfigure(self, **how: Any) -> None:
            encoding, errors = how.get("encoding"), how.get("errors")
            if encoding is not None or errors is not None:
                printed.encode_as(encoding, errors)

    return Output(keep, printed.decode)


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


class InputStream(io.TextIOWrapper):
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
        self._errors = Discarded(len, _decoding())
        self._input = InputStream("")

    def install(self) -> None:
        sys.stdout = sys.__stdout__ = self.output
        sys.stderr = sys.__stderr__ = self._errors
        sys.stdin = sys.__stdin__ = self._input
