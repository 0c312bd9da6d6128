"""Turns a child's frames into answers in the order of its calls. All is hostile until checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from . import wire
from .entries import MORE, check_length, read_entry
from .errors import ProtocolError, UnreadableAnswer
from .observations import Encoded, LoadFailed, Observation, Returned, TimedOut
from .programs import Limits
from .workers import Held, Page

# An entry has up to four texts of a value's length: the value, and after the call its arguments,
# the files that changed and the calls of mocks. Output is written in base 64, up to four bytes to a
# character. FRAME_SLACK is for the text of a watch and the content of a page.
VALUES_IN_AN_ENTRY = 4
FRAME_SLACK = 1 << 20
NUMBER_BYTES = 4


class SharedValues(dict[str, Returned]):
    """One observation per different value of a run: equal values share an object."""

    def __missing__(self, text: str) -> Returned:
        made = self[text] = Returned(Encoded(text))
        return made


class Answers(NamedTuple):
    """Checked observations of successive calls from `first` on, with what was watched of each.

    `told` are texts of the watch, or empty if nothing was watched. `done`: the child says that
    these were all.
    """

    first: int
    observations: list[Observation]
    told: list[str]
    done: bool = False

    def beyond(self, known: int) -> Answers:
        """Those to calls from number `known` on, the others being known already."""
        over = min(max(known - self.first, 0), len(self.observations))
        if not over:
            return self
        first, seen, told, done = self
        return Answers(first + over, seen[over:], told[over:], done)


class Frames:
    """Takes bytes as they arrive and gives answers in the order of their calls."""

    def __init__(
        self, limits: Limits, token: bytes, first: int, count: int, shared: SharedValues
    ) -> None:
        self._limits = limits
        self._token = token
        self._first = self._next = first
        self._count = count
        self._shared = shared
        self._buffer = bytearray()
        self._longest = (
            VALUES_IN_AN_ENTRY * limits.value_bytes + 6 * limits.stdout_bytes + FRAME_SLACK
        )
        # The observations of this child's entries, in the order in which they arrived.
        self._entries: list[Observation] = []
        self._told: list[str] = []
        self._watched = False
        self._begun = False
        # Whether any entry is of a kind that a batch has to examine.
        self.alarming = False

    def feed(self, data: bytes) -> Iterator[Answers]:
        """The answers of every frame that `data` completes. Raises ProtocolError."""
        self._buffer += data
        start = wire.FRAME_HEADER.size
        while len(self._buffer) >= start:
            length, token, count, done = wire.FRAME_HEADER.unpack_from(self._buffer)
            if token != self._token:
                raise ProtocolError("a frame without this batch's token")
            if length > self._longest or count > wire.NUMBERS:
                raise ProtocolError(f"a frame of {length} bytes and {count} answers")
            if self._begun and not (length or count or done):
                raise ProtocolError("a frame that says nothing")
            text_starts = start + NUMBER_BYTES * count
            ends = text_starts + length
            if len(self._buffer) < ends:
                return
            frame = bytes(memoryview(self._buffer)[start:ends])
            del self._buffer[:ends]
            self._begun = True
            numbers, text = frame[: text_starts - start], frame[text_starts - start :]
            yield from self._answers(numbers, text, done)

    def under_way(self, held: Held | None) -> int:
        """The number of the call under way, as far as answers confirm it, or `wire.LOADING`.

        A child that has answered all calls is reported at their number.
        """
        if held is None or held.first < self._first:
            return self._next if self._begun else wire.LOADING
        # Answers that have not arrived do not count, and a page has room for only so many.
        answered = min(max(held.answered, 0), wire.NUMBERS)
        return min(max(self._next, min(held.first, self._next) + answered), self._count)

    def left_behind(self, page: Page) -> Iterator[Answers]:
        """The answers on a dead child's page that it had not sent. Raises ProtocolError."""
        known = len(self._entries) - page.first_entry
        sent = self._next - page.first
        if known < 0 or sent < 0:
            raise ProtocolError("a page that does not follow what was sent")
        lines = page.text.split(b"\n")[known:]
        yield from self._answers(page.numbers[NUMBER_BYTES * sent :], b"\n".join(lines), False)

    def _answers(self, numbers: bytes, text: bytes, done: bool) -> Iterator[Answers]:
        """Read all answers at once, because work that they share is then done only once.

        If an answer cannot be read, this yields the answers before it, then raises for that one.
        """
        first = self._next
        after = first + len(numbers) // NUMBER_BYTES
        if after > self._count or (done and after != self._count):
            raise ProtocolError(f"{after} answers to {self._count} calls")
        entries = len(self._entries) + text.count(b"\n")
        if entries > after - self._first + 1:
            # A child makes every entry for an answer; only the last may precede its answer. Checked
            # before any is read: a short one costs us a hundred times what it costs the sender.
            raise ProtocolError(f"{entries} entries for fewer answers")
        wrong: UnreadableAnswer | None = None
        try:
            if text:
                self._learn(text)
        except (ProtocolError, ValueError, RecursionError) as problem:
            wrong = UnreadableAnswer(f"an answer that cannot be read: {problem}")
        named = memoryview(numbers).cast("I")
        try:
            observations = list(map(self._entries.__getitem__, named))
        except IndexError:
            wrong = wrong or UnreadableAnswer("an answer that was never given")
            named = named[: self._readable(named)]
            observations = list(map(self._entries.__getitem__, named))
        told = list(map(self._told.__getitem__, named)) if self._watched else []
        self._next = first + len(named)
        yield Answers(first, observations, told, done and wrong is None)
        if wrong is not None:
            raise wrong

    def _readable(self, named: memoryview[int]) -> int:
        """How many answers come before the first one whose entry is not known."""
        known = len(self._entries)
        return next(place for place, number in enumerate(named) if number >= known)

    def _learn(self, text: bytes) -> None:
        lines = text.decode("ascii").split("\n")
        if lines.pop():
            raise ProtocolError("an entry without an end")
        if "" in lines:
            raise ProtocolError("an empty entry")
        # Only a longer text can contain a line that is too long. This runs for every answer.
        longer = len(text) > self._limits.value_bytes
        if text.startswith(b"!") or b"\n!" in text or self._watched or longer:
            for line in lines:
                self._learn_line(line)
        else:
            self._entries += map(self._shared.__getitem__, lines)

    def _learn_line(self, line: str) -> None:
        watched = ""
        observation: Observation
        if line.startswith(MORE):
            observation, watched = read_entry(line, self._limits)
        else:
            check_length(line, self._limits)
            observation = self._shared[line]
        if watched and not self._watched:
            self._watched = True
            self._told += [""] * len(self._entries)
        self._entries.append(observation)
        if self._watched:
            self._told.append(watched)
        if isinstance(observation, TimedOut | LoadFailed):
            self.alarming = True
