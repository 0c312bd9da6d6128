"""Frames and records of a child to observations. Everything in them is hostile until checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from struct import error
from typing import Any, NamedTuple, cast

from . import wire
from .errors import ProtocolError
from .observations import (
    Encoded,
    LoadFailed,
    Observation,
    OutOfMemory,
    OutputExceeded,
    Raised,
    Refused,
    Returned,
    TimedOut,
    Unserialisable,
)
from .programs import Limits

# A value, the arguments after it, output, and what JSON adds around them.
FRAME_SLACK = 1 << 20


_PLAIN_TUPLE: Any = vars(tuple)["__new__"]


class Record(NamedTuple):
    """One checked record. `coverage` is JSON text or empty; no observation: the batch's end."""

    call: int
    observation: Observation | None
    coverage: str = ""


class Frames:
    """Takes bytes as they come and gives records in the order of their calls."""

    def __init__(self, limits: Limits, token: bytes, first: int, count: int) -> None:
        self._limits = limits
        self._token = token
        self._next = first
        self._count = count
        self._buffer = bytearray()
        self._longest = 2 * limits.value_bytes + 4 * limits.stdout_bytes + FRAME_SLACK
        self.total_bytes = 0

    def feed(self, data: bytes) -> Iterator[list[Record]]:
        """The records of every frame that `data` completes. Raises ProtocolError."""
        self.total_bytes += len(data)
        self._buffer += data
        header = wire.FRAME_HEADER.size
        while len(self._buffer) >= header:
            length, token = wire.FRAME_HEADER.unpack_from(self._buffer)
            if token != self._token:
                raise ProtocolError("a frame without this batch's token")
            if length > self._longest:
                raise ProtocolError(f"a frame of {length} bytes, more than {self._longest}")
            if len(self._buffer) < header + length:
                return
            frame = bytes(memoryview(self._buffer)[header : header + length])
            del self._buffer[: header + length]
            yield self.records(frame, skip_known=False)

    def records(self, frame: bytes, *, skip_known: bool) -> list[Record]:
        """The records of one frame; `skip_known` for what a dead child may have sent already.

        This loop runs once per call of every program, so the usual record, a value and nothing
        else, is made here and everything else below.
        """
        found: list[Record] = []
        unpack, size = wire.RECORD.unpack_from, wire.RECORD.size
        # Any: typeshed knows no way to make a named tuple without its slower constructor.
        new: Any = _PLAIN_TUPLE
        position, end, expected = 0, len(frame), self._next
        try:
            while position < end:
                index, status, seconds, value, after, output, coverage = unpack(frame, position)
                position += size
                value_ends = position + value
                record_ends = value_ends + after + output + coverage
                if index != expected or index > self._count or record_ends > end:
                    if index < expected and skip_known:
                        position = record_ends
                        continue
                    raise ProtocolError(f"a record for call {index}, not {expected}")
                if status == wire.RETURNED and record_ends == value_ends and index != self._count:
                    text = Encoded(frame[position:value_ends].decode("ascii"))
                    found.append(new(Record, (index, Returned(text, None, "", seconds), "")))
                else:
                    parts = _cut(frame, position, (value, after, output, coverage))
                    found.append(self._record(index, status, seconds, *parts))
                position = record_ends
                expected += 1
        except (ValueError, RecursionError, error) as problem:
            raise ProtocolError(f"a record that cannot be read: {problem}") from None
        self._next = expected
        return found

    def _record(
        self,
        index: int,
        status: int,
        seconds: float,
        value: bytes,
        after: bytes,
        output: bytes,
        coverage: bytes,
    ) -> Record:
        if (index == self._count) != (status == wire.DONE):
            raise ProtocolError("an end in the wrong place")
        if status == wire.DONE:
            return Record(index, None)
        observation = self._observation(
            status, seconds, value.decode("ascii"), after.decode("ascii"), output
        )
        return Record(index, observation, coverage.decode("ascii"))

    def _observation(
        self, status: int, seconds: float, value: str, after: str, output: bytes
    ) -> Observation:
        limits = self._limits
        args_after, files, mocks = _aftermath(after)
        if status == wire.RETURNED:
            return Returned(Encoded(value), args_after, _stdout(output), seconds, files, mocks)
        if status == wire.RAISED:
            name, message, lineage = _raised(value)
            printed = _stdout(output)
            return Raised(name, message, lineage, args_after, printed, seconds, files, mocks)
        if status == wire.TIMED_OUT:
            return TimedOut(limits.call_seconds)
        if status == wire.OUT_OF_MEMORY:
            return OutOfMemory(limits.memory_bytes)
        if status == wire.OUTPUT_EXCEEDED:
            return OutputExceeded(limits.stdout_bytes)
        if status == wire.REFUSED:
            return Refused(*_texts(json.loads(value), 1))
        if status == wire.UNSERIALISABLE:
            return Unserialisable(_what(value))
        if status == wire.LOAD_FAILED:
            return LoadFailed(*_texts(json.loads(value), 2))
        raise ProtocolError(f"an unknown status {status}")


def _cut(frame: bytes, position: int, lengths: tuple[int, ...]) -> Iterator[bytes]:
    for length in lengths:
        yield frame[position : position + length]
        position += length


def _aftermath(after: str) -> tuple[Encoded | None, Encoded | None, Encoded | None]:
    """Arguments, files and calls of mocks: the latter two only in a scene."""
    if not after:
        return None, None, None
    arguments, files, mocks = [*after.split("\n", 2), "", ""][:3]
    return (
        Encoded(arguments) if arguments else None,
        Encoded(files) if files else None,
        Encoded(mocks) if mocks else None,
    )


def _stdout(output: bytes) -> str:
    return output.decode("utf-8", "surrogatepass") if output else ""


def _raised(value: str) -> tuple[str, str, tuple[str, ...]]:
    parsed: object = json.loads(value)
    if type(parsed) is not list or len(cast("list[object]", parsed)) != 3:
        raise ProtocolError("an exception without its three parts")
    *texts, lineage = cast("list[object]", parsed)
    name, message = _texts(texts, 2)
    return name, message, _texts(lineage)


def _what(value: str) -> str:
    parsed: object = json.loads(value)
    if type(parsed) is dict:
        kind, reason = _texts(cast("dict[str, object]", parsed).get("opaque"), 2)
        return f"{kind}: {reason}"
    return _texts(parsed, 1)[0]


def _texts(parsed: object, count: int | None = None) -> tuple[str, ...]:
    if type(parsed) is not list:
        raise ProtocolError("no list where texts belong")
    parts = cast("list[object]", parsed)
    if count is not None and len(parts) != count:
        raise ProtocolError(f"{len(parts)} texts where {count} belong")
    if any(type(part) is not str for part in parts):
        raise ProtocolError("a list of texts with something else in it")
    return tuple(cast("list[str]", parts))
