"""What a child says: numbers of entries, and each different entry once.

An entry is the answer to a call, as one line of ASCII text; a call whose answer was given before
costs four bytes. A page shared with the host holds what is not yet sent, a pipe takes the rest. The
page outlives this process, so a crash loses neither answers nor the number of the call that was
under way. The host only ever reads it with `pread`.
"""

from __future__ import annotations

import os
import struct
from binascii import b2a_base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Tuple

# First call of the page, its answers, its first entry, bytes of its entries: 64-bit words each.
FIRST, COUNT, FIRST_ENTRY, TEXT = range(4)
NUMBERS_START, NUMBERS = 4096, 2048
TEXT_START = NUMBERS_START + 4 * NUMBERS
TEXT_BYTES = 64 << 10
PAGE_BYTES = TEXT_START + TEXT_BYTES
# Bytes of entries, token, number of answers, whether that was all.
FRAME_HEADER = struct.Struct("<I16sI?")

LOADING = -1
# Longer entries, and more of them, are sent anew each time: remembering has a bound.
REMEMBERED_LENGTH = 1024
REMEMBERED_ENTRIES = 4096

(
    RETURNED,
    RAISED,
    TIMED_OUT,
    OUT_OF_MEMORY,
    OUTPUT_EXCEEDED,
    REFUSED,
    UNSERIALISABLE,
    LOAD_FAILED,
) = range(8)

# How a child ends that was told its time is up and could not unwind; and one that cannot know how
# much of its answers it has sent.
OVERDUE_EXIT, TORN_EXIT = 71, 73


class Wire:
    """For a child of the zygote, whose host gave it a page."""

    def __init__(self, pipe: int, page: int, token: bytes) -> None:
        self._pipe = pipe
        self._token = token
        # Here, because not every system has it, and workers without a page do not need it.
        import mmap

        self._page = mmap.mmap(page, PAGE_BYTES)
        shared = memoryview(self._page)
        self._header = shared[: 8 * (TEXT + 1)].cast("q")
        self._numbers = shared[NUMBERS_START:TEXT_START].cast("I")
        self._known: Dict[str, int] = {}
        self._entries = 0
        self._first = LOADING
        self._count = 0
        self._used = 0
        self._sending = False

    def begin(self, index: int) -> None:
        """Say that call `index` is under way; every answer then goes on to the next one."""
        self._first = self._header[FIRST] = index

    def under_way(self) -> int:
        return self._first + self._count

    def answer(self, entry: str) -> None:
        """The entry of the call under way: a bare value's text, or what `entry` gives."""
        number = self._known.get(entry)
        if number is None:
            # Nothing but ASCII, for which the usual encoding is the fastest.
            line = (entry + "\n").encode()
            used = self._used
            after = used + len(line)
            if after > TEXT_BYTES:
                used, after = self._make_room(line)
            if after > used:
                self._page[TEXT_START + used : TEXT_START + after] = line
                self._used = self._header[TEXT] = after
            number = self._numbered(entry)
            if after == used:
                # It is not on the page, and no answer names it yet.
                self._header[FIRST_ENTRY] = self._entries
        count = self._count
        self._numbers[count] = number
        # Last, because from here on it counts, should this process be killed.
        self._count = self._header[COUNT] = count + 1
        if count + 1 == NUMBERS:
            self.flush()

    def _make_room(self, line: bytes) -> Tuple[int, int]:
        """Send what is held, and say where on the page the line goes: nowhere if it is too long for
        that and was sent by itself."""
        self.flush()
        if len(line) <= TEXT_BYTES:
            return 0, len(line)
        self._send(line, b"", done=False)
        return 0, 0

    def _numbered(self, entry: str) -> int:
        """The number of an entry that was not remembered."""
        number = self._entries
        self._entries = number + 1
        if len(entry) <= REMEMBERED_LENGTH and len(self._known) < REMEMBERED_ENTRIES:
            self._known[entry] = number
        return number

    def flush(self, *, done: bool = False) -> None:
        """Send what is held. Never while an answer is being added: see `deadline.py`.

        A program's own handler of signals can cut that off with an exception, and catch it: what
        was sent by then would be sent again, as the answers to later calls. The host has the page.
        """
        if self._sending:
            os._exit(TORN_EXIT)
        if not (self._count or self._used or done):
            return
        text = self._page[TEXT_START : TEXT_START + self._used]
        frame = self._frame(text, self._numbers[: self._count].tobytes(), done=done)
        # Not before: memory can be short, and then nothing was sent.
        self._sending = True
        self._write(frame)
        # In this order, a process killed in between has said too little and nothing wrong.
        header = self._header
        self._first += self._count
        self._count = header[COUNT] = 0
        self._used = header[TEXT] = 0
        header[FIRST_ENTRY] = self._entries
        header[FIRST] = self._first
        self._sending = False

    def _frame(self, text: bytes, numbers: bytes, *, done: bool) -> memoryview:
        header = FRAME_HEADER.pack(len(text), self._token, len(numbers) // 4, done)
        return memoryview(header + numbers + text)

    def _send(self, text: bytes, numbers: bytes, *, done: bool) -> None:
        self._write(self._frame(text, numbers, done=done))

    def _write(self, frame: memoryview) -> None:
        while frame:
            frame = frame[os.write(self._pipe, frame) :]


def entry(status: int, value: str, after: str = "", output: bytes = b"", watched: str = "") -> str:
    """The line of an answer that is more than a value; no part of it has a tab of its own."""
    printed = b2a_base64(output, newline=False).decode("ascii")
    return "!%d\t%s\t%s\t%s\t%s" % (status, value, after, printed, watched)
