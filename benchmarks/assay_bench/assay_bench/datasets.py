"""Tasks, recorded samples and recorded measurements, read from JSON Lines files.

The formats are described in docs/evaluation.md. Files may be compressed (`.gz`). Nothing in them is
trusted: seeds are read as literals, and program texts only ever go to the sandbox.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar, cast

import msgspec
from msgspec import Struct

from assay_engine.errors import AssayError
from assay_engine.syntax.expressions import NotLiteral, literal_in
from assay_engine.words import count, listed
from assay_sandbox import Value, encode

# Longer lines are cut, and then are no JSON.
LINE_MAX = 64 << 20
# How many unreadable lines of a file are told: a file of another kind has hundreds of them.
TOLD_MAX = 10
NAMES_MAX = 5


class _Named(Protocol):
    @property
    def task_id(self) -> str: ...


Line = TypeVar("Line", bound=msgspec.Struct)
NamedLine = TypeVar("NamedLine", bound=_Named)
_Made = TypeVar("_Made")
Skipped: TypeAlias = Callable[[str], None]


class UnreadableDataset(AssayError):
    """A file that is not of the expected kind; the message names file and line."""


class SeededTask(Struct, frozen=True):
    """One programming task. A seed is the tuple of positional arguments.

    `seeds` are those that recorded measurements were made with; `tested_seeds` are given if the
    task's tests pass others. `signature` is the part of the requested header behind the name.
    """

    task_id: str
    entry_point: str
    reference: str
    seeds: tuple[tuple[Value, ...], ...]
    signature: str | None = None
    description: str | None = None
    tested_seeds: tuple[tuple[Value, ...], ...] | None = None


class RecordedMeasurement(Struct, frozen=True):
    """The quantities that the source experiment measured on a task; None where it failed."""

    task_id: str
    incoherence: float | None
    error: float | None


class _TaskLine(msgspec.Struct):
    task_id: str
    entry_point: str
    reference: str
    seed_inputs: list[str]
    seed_inputs_from_tests: list[str] | None = None
    signature: str | None = None
    description: str | None = None


class _SamplesLine(msgspec.Struct):
    task_id: str
    samples: list[str]


class _RecordedLine(msgspec.Struct):
    task_id: str
    incoherence: float | None
    error: float | None
    failed: str | None = None


def read_tasks(path: Path, skipped: Skipped | None = None) -> tuple[SeededTask, ...]:
    """Tasks in the file's order, of several with one name the first. Raises UnreadableDataset.

    `skipped`, here and below, is told of the lines that cannot be read (the first `TOLD_MAX`, and
    how many more), and of a file that is cut off; the other lines are read all the same. Without
    `skipped`, such a line is an error.
    """
    tasks = each_made(path, _TaskLine, _task, skipped)
    return tuple(first_of_each(tasks).values())


def read_samples(path: Path, skipped: Skipped | None = None) -> dict[str, tuple[str, ...]]:
    """Program texts in recorded order, by task. Raises UnreadableDataset."""
    lines = first_of_each(entries(path, _SamplesLine, skipped))
    return {name: tuple(entry.samples) for name, entry in lines.items()}


def read_recorded(path: Path, skipped: Skipped | None = None) -> dict[str, RecordedMeasurement]:
    """Recorded measurements by task. Raises UnreadableDataset."""
    lines = first_of_each(entries(path, _RecordedLine, skipped))
    return {name: _recorded(entry) for name, entry in lines.items()}


def first_of_each(lines: Iterable[NamedLine]) -> dict[str, NamedLine]:
    """The lines by task, in order; of several lines of one task the first counts."""
    found: dict[str, NamedLine] = {}
    for entry in lines:
        found.setdefault(entry.task_id, entry)
    return found


def each_made(
    path: Path,
    kind: type[Line],
    make: Callable[[str, Line], _Made],
    skipped: Skipped | None,
) -> Iterator[_Made]:
    """The results of `make`, which gets the place and the content of each line. Lines for which it
    raises UnreadableDataset are left out, like unreadable ones."""
    with _few_told(path, skipped) as told:
        for number, entry in _numbered(path, kind, skipped, told):
            try:
                yield make(f"{path}:{number}", entry)
            except UnreadableDataset as problem:
                if told is None:
                    raise
                told(str(problem))


def entries(path: Path, kind: type[Line], skipped: Skipped | None = None) -> Iterator[Line]:
    """The lines of a file. Unknown fields are ignored. Raises UnreadableDataset."""
    with _few_told(path, skipped) as told:
        for _number, entry in _numbered(path, kind, skipped, told):
            yield entry


def tell_without_samples(
    names: Iterable[str], samples: Mapping[str, Sized], skipped: Skipped | None
) -> None:
    """Tell which tasks have no samples. This says nothing about the tasks: they are not counted."""
    missing = [name for name in names if not samples.get(name)]
    if missing and skipped is not None:
        skipped(f"{count(len(missing), 'task')} without samples: {listed(missing, NAMES_MAX)}")


def arguments_in(text: str) -> tuple[Value, ...]:
    """The positional arguments that the text of a tuple or list holds.

    Raises ValueError, or TypeError for arguments that cannot be passed on, such as an ellipsis.
    """
    found = literal_in(text)
    if not isinstance(found, tuple | list):
        raise NotLiteral(f"it is of type {type(found).__name__}")
    arguments = tuple(cast("Sequence[Value]", found))
    encode([arguments])
    return arguments


@contextmanager
def _few_told(path: Path, skipped: Skipped | None) -> Generator[Skipped | None]:
    """`skipped` for one file: it is told only of the first lines and of the number of others."""
    if skipped is None:
        yield None
        return
    left_out = 0

    def told(problem: str) -> None:
        nonlocal left_out
        left_out += 1
        if left_out <= TOLD_MAX:
            skipped(problem)

    yield told
    if left_out > TOLD_MAX:
        skipped(f"{path}: {count(left_out - TOLD_MAX, 'more line')}")


def _numbered(
    path: Path, kind: type[Line], skipped: Skipped | None, told: Skipped | None
) -> Iterator[tuple[int, Line]]:
    """The lines with their numbers, from 1 on. `skipped` is told where the file is cut off, and
    `told` of lines that cannot be read."""
    decode = msgspec.json.Decoder(kind).decode
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while line := file.readline(LINE_MAX):
                number += 1
                written = line.removeprefix(BOM_UTF8) if number == 1 else line
                if written.isspace():
                    continue
                try:
                    entry = decode(written)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    problem = f"{path}:{number}: {error}; docs/evaluation.md says what a line holds"
                    if told is None:
                        raise UnreadableDataset(problem) from None
                    told(problem)
                else:
                    yield number, entry
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        if skipped is None or number == 0:
            raise UnreadableDataset(f"{path}: {reason}; give the path of a data file") from None
        skipped(f"{path}: cut off after line {number} ({reason})")


def digest_of(path: Path) -> str:
    """A digest of what a file holds. Raises UnreadableDataset."""
    if path.exists() and not path.is_file():
        # A pipe gives its content only once, and that has been read already.
        raise UnreadableDataset(f"{path} is not a regular file; write what it holds into one")
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UnreadableDataset(f"{path}: {error.strerror}; give the path of a data file") from None


def _task(where: str, entry: _TaskLine) -> SeededTask:
    written = entry.seed_inputs_from_tests
    try:
        seeds = tuple(map(arguments_in, entry.seed_inputs))
        tested = tuple(map(arguments_in, written)) if written else None
    except (ValueError, TypeError) as error:
        raise UnreadableDataset(
            f"{where}: a seed is not a literal of arguments ({error}); write it as a tuple"
        ) from None
    return SeededTask(
        task_id=entry.task_id,
        entry_point=entry.entry_point,
        reference=entry.reference,
        seeds=seeds,
        signature=entry.signature,
        description=entry.description,
        tested_seeds=tested,
    )


def _recorded(entry: _RecordedLine) -> RecordedMeasurement:
    if entry.failed is not None:
        return RecordedMeasurement(entry.task_id, None, None)
    return RecordedMeasurement(entry.task_id, entry.incoherence, entry.error)
