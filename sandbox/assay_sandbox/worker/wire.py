"""Records to the host: a shared page for what is not yet sent, a pipe for the rest.

The page outlives this process, so a crash loses neither finished records nor the number of the call
that was under way. The host only ever reads it with `pread`.
"""

from __future__ import annotations

import os
import struct

PAGE_HEADER = struct.Struct("<qq")
BUFFER_BYTES = 64 << 10
PAGE_BYTES = 4096 + BUFFER_BYTES
BUFFER_START = 4096
FRAME_HEADER = struct.Struct("<I16s")
# Index, status, seconds, then the lengths of value, arguments after, output and coverage.
INPUTS_HEADER = struct.Struct("<Q")
RECORD = struct.Struct("<IBdIIII")

LOADING = -1
_write_header = PAGE_HEADER.pack_into

(
    RETURNED,
    RAISED,
    TIMED_OUT,
    OUT_OF_MEMORY,
    OUTPUT_EXCEEDED,
    REFUSED,
    UNSERIALISABLE,
    LOAD_FAILED,
    DONE,
) = range(9)

# How a child ends that was told its time is up and could not unwind.
OVERDUE_EXIT = 71


def packed(
    index: int, status: int, seconds: float, value: str, after: str, output: bytes, coverage: str
) -> bytes:
    """One record. `value`, `after` and `coverage` are ASCII: JSON with everything else escaped."""
    record = RECORD.pack(
        index, status, seconds, len(value), len(after), len(output), len(coverage)
    ) + value.encode("ascii")
    if after or output or coverage:
        record += after.encode("ascii") + output + coverage.encode("ascii")
    return record


class Wire:
    """For a child of the zygote, whose host gave it a page."""

    def __init__(self, pipe: int, page: int, token: bytes) -> None:
        self._pipe = pipe
        self._token = token
        # Here, because not every system has it, and workers without a page do not need it.
        import mmap

        self._page = mmap.mmap(page, PAGE_BYTES)
        self._used = 0
        self._under_way = LOADING
        self._note()

    def begin(self, index: int) -> None:
        """Say which call is under way; `add` then goes on to the one after its record."""
        self._under_way = index
        self._note()

    def add(
        self,
        index: int,
        status: int,
        seconds: float,
        value: str,
        after: str = "",
        output: bytes = b"",
        coverage: str = "",
    ) -> None:
        record = packed(index, status, seconds, value, after, output, coverage)
        self._under_way = index + 1
        size = len(record)
        if self._used + size > BUFFER_BYTES:
            self.flush()
            if size > BUFFER_BYTES:
                self._send(record)
                self._note()
                return
        start = BUFFER_START + self._used
        self._page[start : start + size] = record
        self._used += size
        _write_header(self._page, 0, self._under_way, self._used)

    def flush(self) -> None:
        """Send what is buffered. Never while a record is being added: see `deadline.py`."""
        if self._used:
            self._send(self._page[BUFFER_START : BUFFER_START + self._used])
            self._used = 0
            self._note()

    def _note(self) -> None:
        _write_header(self._page, 0, self._under_way, self._used)

    def _send(self, records: bytes) -> None:
        frame = memoryview(FRAME_HEADER.pack(len(records), self._token) + records)
        while frame:
            frame = frame[os.write(self._pipe, frame) :]
