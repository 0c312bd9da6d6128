"""The files of a run: `run.json` says what was asked, `tasks.jsonl` grows by a line per task.

A run that was killed goes on where it stopped: a line is complete or cut off, and the task of a
line that is cut off is measured again. A folder belongs to one question; another question needs
another folder.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from assay_bench.measurement import Intervals, Mode, Whole
from assay_engine.errors import AssayError

Line = TypeVar("Line", bound=msgspec.Struct)

RUN_FILE, TASKS_FILE, SUMMARY_FILE = "run.json", "tasks.jsonl", "summary.json"
# Times are kept apart from the results, which are the same however long they take.
TIMES_FILE = "times.jsonl"


# The words for fields of a question that have another name than their option.
_WORDS = {"setting": "versions"}


class FolderInUse(AssayError):
    """The folder holds results of something else."""


class FolderUnwritable(AssayError):
    """The folder cannot be written to."""


class Setting(msgspec.Struct, frozen=True):
    """The versions that results depend on, besides files and options: those of Assay and of the
    Python that programs run under."""

    assay: str
    python: str


class IncoherenceQuestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that the results depend on; files are given by digests of what they hold."""

    tasks: str
    samples: str
    candidates: int
    inputs: int
    seed: int
    seconds: float
    interpreter: str | None
    setting: Setting
    mode: Mode = Mode.FAITHFUL


class MeasuredRow(msgspec.Struct, frozen=True):
    """One task. `passing`: the problem was the machine's and may be gone next time.

    `reference` holds the recorded incoherence and error, if there are any.
    """

    task_id: str
    samples: int
    incoherence: float | None
    error: float | None
    problem: str | None
    passing: bool
    calls: int
    reference: tuple[float, float] | None
    whole: Whole | None = None
    intervals: Intervals | None = None


class Time(msgspec.Struct, frozen=True, omit_defaults=True):
    """The wall time of a task, and that of its decision if the mode measures that apart."""

    task_id: str
    seconds: float
    decision_seconds: float | None = None


class ResultsFolder:
    """The folder that a run is kept in. Use it from one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self, question: IncoherenceQuestion) -> dict[str, MeasuredRow]:
        """The rows that are already there, by task. Raises FolderInUse, or FolderUnwritable."""
        self.claim(question)
        rows = {row.task_id: row for row in self.read(MeasuredRow) if not row.passing}
        self.rewrite(tuple(rows.values()))
        self.write_lines(TIMES_FILE, self.times().values())
        return rows

    def claim(self, question: msgspec.Struct) -> None:
        """Claim the folder for this question. Raises FolderInUse if another question has it, or
        FolderUnwritable, as all methods that write."""
        self.refuse_other(question)
        with self.writing():
            self.path.mkdir(parents=True, exist_ok=True)
        self._write(RUN_FILE, _asked(question))

    def refuse_other(self, question: msgspec.Struct) -> None:
        """Raise FolderInUse if the folder belongs to another question."""
        path = self.path / RUN_FILE
        if not path.exists():
            if (self.path / TASKS_FILE).exists():
                raise FolderInUse(f"{self.path} holds other results; choose another --out")
        elif (held := path.read_bytes()) != _asked(question):
            other = _differing(held, _asked(question))
            raise FolderInUse(f"{self.path} holds a run with other {other}; choose another --out")

    def append(
        self, row: MeasuredRow, seconds: float, decision_seconds: float | None = None
    ) -> None:
        """Add a row and its wall time. The row is on the disk when this returns."""
        decision = None if decision_seconds is None else round(decision_seconds, 3)
        self._add(TIMES_FILE, Time(row.task_id, round(seconds, 3), decision))
        self.add(row)

    def add(self, row: msgspec.Struct) -> None:
        """Add a row, which is on the disk when this returns."""
        self._add(TASKS_FILE, row)

    def times(self) -> dict[str, Time]:
        """Wall times by task, as far as they were kept."""
        return {time.task_id: time for time in self.lines(TIMES_FILE, Time)}

    def rewrite(self, rows: Sequence[msgspec.Struct]) -> None:
        """Replace the rows by these, in this order, all or nothing."""
        self.write_lines(TASKS_FILE, rows)

    def summarise(self, summary: object) -> None:
        """Write the summary, fields in their order."""
        text = msgspec.json.format(msgspec.json.encode(summary), indent=2)
        self._write(SUMMARY_FILE, text + b"\n")

    def write_lines(self, name: str, lines: Iterable[msgspec.Struct]) -> None:
        """A file of the folder, all or nothing."""
        self._write(name, b"".join(map(_as_line, lines)))

    @contextmanager
    def writing(self) -> Generator[None]:
        """Raise FolderUnwritable for files that cannot be written within this context."""
        try:
            yield
        except OSError as failure:
            where = failure.filename or self.path
            raise FolderUnwritable(
                f"{where}: {failure.strerror}; see to it and run the same command again, which "
                "goes on with what is there, or choose another --out"
            ) from None

    def _write(self, name: str, content: bytes) -> None:
        written = self.path / f"{name}.new"
        with self.writing():
            written.write_bytes(content)
            written.replace(self.path / name)

    def _add(self, name: str, line: msgspec.Struct) -> None:
        with self.writing(), (self.path / name).open("ab") as file:
            file.write(_as_line(line))
            file.flush()
            os.fsync(file.fileno())

    def read(self, kind: type[Line]) -> list[Line]:
        """The rows that are there, as lines of this kind. Raises FolderInUse."""
        return self.lines(TASKS_FILE, kind)

    def lines(self, name: str, kind: type[Line]) -> list[Line]:
        """The lines of a file of the folder; none if it is not there. Raises FolderInUse."""
        path = self.path / name
        if not path.exists():
            return []
        # Text behind the last line end is a line that a kill has cut off.
        complete = path.read_bytes().split(b"\n")[:-1]
        try:
            return [msgspec.json.decode(line, type=kind) for line in complete]
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise FolderInUse(f"{path} is damaged ({error}); choose another --out") from None


def _asked(question: msgspec.Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(question), indent=2) + b"\n"


def _differing(held: bytes, asked: bytes) -> str:
    """The names of the fields in which two questions differ."""
    try:
        one = msgspec.json.decode(held, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "files or options"
    other = msgspec.json.decode(asked, type=dict[str, object])
    names = [name for name in {**other, **one} if one.get(name) != other.get(name)]
    return ", ".join(_WORDS.get(name, name) for name in names) or "files or options"


def _as_line(line: msgspec.Struct) -> bytes:
    return msgspec.json.encode(line) + b"\n"
