"""Sends a child's answers: numbers of entries, and each different entry once.

An entry is the answer to a call, as one line of ASCII text. An answer that was given before costs
four bytes. A page shared with the host holds answers that are not sent yet; a pipe takes the rest.
The page outlives this process, so a crash loses neither answers nor the number of the call that was
under way. The host only ever reads the page with `pread`.
"""

from __future__ import annotations

import os
import struct
from binascii import b2a_base64

# The page's first call, number of answers, first entry, bytes of entries: 64-bit words each.
FIRST, COUNT, FIRST_ENTRY, TEXT = range(4)
NUMBERS_START, NUMBERS = 4096, 2048
TEXT_START = NUMBERS_START + 4 * NUMBERS
TEXT_BYTES = 64 << 10
PAGE_BYTES = TEXT_START + TEXT_BYTES
# Bytes of entries, token, number of answers, whether this is the last frame.
FRAME_HEADER = struct.Struct("<I16sI?")

LOADING = -1
# Longer entries, and further ones, are sent anew each time, to bound the memory for them.
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

# Exit statuses of a child that did not unwind after its deadline, and of a child that cannot know
# how many of its answers it has sent.
OVERDUE_EXIT, TORN_EXIT = 71, 73


class Wire:
    """For a child of the zygote, whose host gave it a page."""

    def __init__(self, pipe: int, page: int, token: bytes) -> None:
        self._pipe = pipe
        self._token = token
        # Imported here: not every system has it, and workers without a page do not need it.
        import mmap

        self._page = mmap.mmap(page, PAGE_BYTES)
        shared = memoryview(self._page)
        self._header = shared[: 8 * (TEXT + 1)].cast("q")
        self._numbers = shared[NUMBERS_START:TEXT_START].cast("I")
        self._known: dict[str, int] = {}
        self._entries = 0
        self._first = LOADING
        self._count = 0
        self._used = 0
        self._sending = False

    def begin(self, index: int) -> None:
        """Note that call `index` is under way; every answer then moves on to the next call."""
        self._first = self._header[FIRST] = index

    def under_way(self) -> int:
        return self._first + self._count

    def answer(self, entry: str) -> None:
        """The entry of the call under way: a bare value's text, or what `entry` gives."""
        number = self._known.get(entry)
        if number is None:
            # Pure ASCII, which the default encoding encodes fastest.
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
                # The entry is not on the page, and no answer names it yet.
                self._header[FIRST_ENTRY] = self._entries
        count = self._count
        self._numbers[count] = number
        # Last, because from here on the answer counts, even if this process is killed.
        self._count = self._header[COUNT] = count + 1
        if count + 1 == NUMBERS:
            self.flush()

    def _make_room(self, line: bytes) -> tuple[int, int]:
        """Send what is held; return where on the page the line goes. A line that is too long for
        the page is sent by itself, and goes nowhere."""
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
        """Send the answers held. Never while an answer is being added: see `deadline.py`.

        A program's own signal handler can interrupt this by an exception, and catch that. The next
        flush would send the same part again, as answers to later calls. So it ends the process; the
        host has the page.
        """
        if self._sending:
            os._exit(TORN_EXIT)
        if not (self._count or self._used or done):
            return
        text = self._page[TEXT_START : TEXT_START + self._used]
        frame = self._frame(text, self._numbers[: self._count].tobytes(), done=done)
        # Set only now: if memory was short, nothing was sent.
        self._sending = True
        self._write(frame)
        # In this order, a process killed in between has reported too little, but nothing wrong.
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
    """The line of an answer that is more than a value; no part of it contains a tab."""
    printed = b2a_base64(output, newline=False).decode("ascii")
    return "!%d\t%s\t%s\t%s\t%s" % (status, value, after, printed, watched)
