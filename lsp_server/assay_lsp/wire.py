"""Messages on two byte streams: the reader recovers from garbage, the writer survives the client.

pygls's own reader loses synchronisation for good at the first wrong Content-Length, and does not
answer a message that it cannot parse.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from typing import BinaryIO

from msgspec import Struct

from assay_lsp.salvaging import salvaged

# A header block is two short lines; anything longer without an end is something else.
HEADER_BYTES_MAX = 4096
# An editor sends whole files on open; nobody reviews a source file of this size.
BODY_BYTES_MAX = 64 << 20
# How many messages may wait for the server's loop before the pipe is left to fill up.
UNHANDLED_MESSAGES_MAX = 1000

_HEADER_END = b"\r\n\r\n"
# Not anchored to a line's start: after a Content-Length that was too short, the next header follows
# the rest of the last body directly.
_CONTENT_LENGTH = re.compile(rb"Content-Length:[ \t]*(\d{1,12})[ \t]*(?:\r\n|$)", re.IGNORECASE)


class Garbage(Struct, frozen=True):
    """Bytes that were no message, and why."""

    reason: str


class Unreadable(Struct, frozen=True):
    """A message that can only be read in part, with the readable rest, and why."""

    rest: dict[str, object]
    reason: str


class Frames:
    """Cuts a byte stream into messages. Resynchronises, whatever it is fed."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._expected: int | None = None

    def feed(self, data: bytes) -> Iterator[object | Unreadable | Garbage]:
        """The JSON values that are complete now, and a note for bytes that had to be skipped."""
        self._buffer += data
        while True:
            if self._expected is None and not self._read_header():
                if len(self._buffer) <= HEADER_BYTES_MAX:
                    return
                # The end of the buffer may hold the beginning of a header; the rest is lost.
                del self._buffer[: -HEADER_BYTES_MAX // 2]
                yield Garbage("no header within the bound")
                return
            if self._expected is None:
                yield Garbage("a header without a usable Content-Length")
                continue
            if len(self._buffer) < self._expected:
                return
            yield self._read_body(self._expected)
            self._expected = None

    def _read_header(self) -> bool:
        """Take a header block off the buffer; False if there is none yet."""
        end = self._buffer.find(_HEADER_END)
        if end < 0:
            return False
        block = bytes(self._buffer[:end])
        del self._buffer[: end + len(_HEADER_END)]
        lengths = _CONTENT_LENGTH.findall(block)
        if lengths and int(lengths[-1]) <= BODY_BYTES_MAX:
            self._expected = int(lengths[-1])
        return True

    def _read_body(self, length: int) -> object | Unreadable | Garbage:
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            rest = salvaged(body)
            if rest is not None:
                return Unreadable(rest, type(error).__name__)
            # A Content-Length that was too long has swallowed the beginning of the next message.
            swallowed = _CONTENT_LENGTH.search(body)
            if swallowed:
                self._buffer[:0] = body[swallowed.start() :]
            return Garbage(f"no JSON: {type(error).__name__}")


def read_messages(
    descriptor: int, deliver: Callable[[object], None], ended: Callable[[], None]
) -> None:
    """Read until the end of the stream, in a thread of its own: reading must never wait for work.

    `deliver` may block, which holds up only the client.
    """
    frames = Frames()
    try:
        while data := os.read(descriptor, 1 << 16):
            for message in frames.feed(data):
                deliver(message)
    except OSError:
        pass  # The pipe broke: the client is as gone as at the end of the stream.
    finally:
        ended()


class Writer:
    """Writes whole messages, from any thread; drops them silently once the client is gone.

    Raising for each of them would only be reported by a further message to the client.
    """

    def __init__(self, stream: BinaryIO, lost: Callable[[], None]) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._lost = lost
        self._open = True

    def write(self, data: bytes) -> None:
        with self._lock:
            if not self._open:
                return
            try:
                self._stream.write(data)
                self._stream.flush()
                return
            except (OSError, ValueError):
                self._open = False
        self._lost()

    def close(self) -> None:
        """Send nothing more. The descriptor is closed with the process."""
        self._open = False
