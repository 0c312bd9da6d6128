"""Messages on two byte streams: the reader recovers from garbage, the writer survives the client.

pygls's own reader loses synchronisation for good at the first wrong Content-Length, and does not
answer a message that it cannot parse. Here, as much of such a message is read as is needed to
answer it; and parts that mean nothing here but make the parser refuse a message as a whole are
dropped: capabilities of newer clients, diagnostics of other servers, and null for omitted values.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast

from lsprotocol import types
from msgspec import Struct

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


class MessageFrames:
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
    frames = MessageFrames()
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


# Raises if a value is not of a type.
Structure = Callable[[Any, type[Any]], object]


def known_params(method: str, params: object, structure: Structure) -> dict[str, Any] | None:
    """The params of a message without its unknown parts; None if no part of this message may be
    dropped."""
    given = cast("dict[str, Any]", params) if isinstance(params, dict) else {}
    match method, given:
        case types.INITIALIZE, {"capabilities": {**capabilities}}:
            kept = _known(capabilities, lambda part: _is(part, types.ClientCapabilities, structure))
            return {**given, "capabilities": kept}
        case types.TEXT_DOCUMENT_CODE_ACTION, {"context": {"diagnostics": [*diagnostics]} as about}:
            kept = [each for each in diagnostics if _is(each, types.Diagnostic, structure)]
            return {**given, "context": {"diagnostics": kept, "only": about.get("only")}}
        case types.TEXT_DOCUMENT_DID_CHANGE, {"contentChanges": [*changes]}:
            return {**given, "contentChanges": list(map(_without_nulls, changes))}
        case _:
            return None


def _known(entries: dict[str, Any], parses: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The entries that can be parsed, with as much of each as can be."""
    kept: dict[str, Any] = {}
    for name, part in entries.items():
        if parses({**kept, name: part}):
            kept[name] = part
            continue

        def parses_as(less: Any, name: str = name) -> bool:
            return parses({**kept, name: less})

        less: Any = None
        if isinstance(part, dict):
            less = _known(cast("dict[str, Any]", part), parses_as)
        elif isinstance(part, list):
            less = [each for each in cast("list[Any]", part) if parses_as([each])]
        if less is not None and parses_as(less):
            kept[name] = less
    return kept


def _without_nulls(change: Any) -> Any:
    """A change without nulls: if its range is null, it is a change of the whole text."""
    if not isinstance(change, dict):
        return change
    entries = cast("dict[str, Any]", change)
    return {name: value for name, value in entries.items() if value is not None}


def _is(value: Any, kind: type[Any], structure: Structure) -> bool:
    try:
        structure(value, kind)
    except Exception:  # Including the parser's own exception groups.
        return False
    return True


# Deeper than the parts that identify the request and its document.
LEVELS_KEPT = 8
# Longer numbers do not occur in the protocol, and beyond some length Python refuses to read them.
DIGITS_KEPT = 20

# Matches a whole string, so that brackets in it do not count. An unterminated string extends to the
# end of the body, so that no part is scanned twice.
_MARK = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def salvaged(body: bytes) -> dict[str, object] | None:
    """The JSON object, with null for deeply nested parts and for numbers that are too long, and
    with replacement characters for invalid text; None if it still is not a JSON object."""
    text = _pruned(body).decode("utf-8", errors="replace")
    try:
        found: object = json.loads(text, parse_int=_whole)
    except ValueError:
        return None
    return cast("dict[str, object]", found) if isinstance(found, dict) else None


def _pruned(body: bytes) -> bytes:
    kept = bytearray()
    depth = kept_from = 0
    for mark in _MARK.finditer(body):
        if mark[0] in b"[{":
            depth += 1
            if depth == LEVELS_KEPT + 1:
                kept += body[kept_from : mark.start()] + b"null"
                kept_from = len(body)
        elif mark[0] in b"]}":
            if depth == LEVELS_KEPT + 1:
                kept_from = mark.end()
            depth -= 1
    return bytes(kept + body[kept_from:])


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= DIGITS_KEPT else None
