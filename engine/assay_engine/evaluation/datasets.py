"""Tasks, recorded samples and recorded measurements, read from JSON Lines files.

The formats are described in docs/evaluation.md. Files may be compressed (`.gz`). Everything in them
is foreign: seeds are read as literals and program texts only ever go to the sandbox.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from assay_engine.errors import AssayError
from assay_engine.syntax.literal import literal_in
from assay_sandbox import Value, encode

# Longer ones are cut, and then are no JSON.
LINE_MAX = 64 << 20


class _Named(Protocol):
    @property
    def task_id(self) -> str: ...


Line = TypeVar("Line", bound=msgspec.Struct)
NamedLine = TypeVar("NamedLine", bound=_Named)
_Made = TypeVar("_Made")
Skipped: TypeAlias = Callable[[str], None]


class UnreadableDataset(AssayError):
    """A file that is not what it was given as; the message names file and line."""


class Task(Struct, frozen=True):
    """One programming task. A seed is the tuple of positional arguments.

    `seeds` are those that recorded measurements were made with; `tested_seeds` are there where the
    task's tests pass others. `signature` is what follows the name in the header asked for.
    """

    task_id: str
    entry_point: str
    reference: str
    seeds: tuple[tuple[Value, ...], ...]
    signature: str | None = None
    description: str | None = None
    tested_seeds: tuple[tuple[Value, ...], ...] | None = None


class RecordedMeasurement(Struct, frozen=True):
    """What the source experiment measured on a task; None where it failed."""

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


def read_tasks(path: Path, skipped: Skipped | None = None) -> tuple[Task, ...]:
    """Tasks in the file's order, of several of one name the first. Raises UnreadableDataset.

    `skipped`, here and below, is told of every line that cannot be read, and of a file that is cut
    off; the others are then read all the same. Without it such a line is an error.
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
    """By task, in order; of several lines of one task the first counts."""
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
    """What is made of each line, told where it stands; those left out that raise UnreadableDataset,
    too."""
    for number, entry in _numbered(path, kind, skipped):
        try:
            yield make(f"{path}:{number}", entry)
        except UnreadableDataset as problem:
            if skipped is None:
                raise
            skipped(str(problem))


def entries(path: Path, kind: type[Line], skipped: Skipped | None = None) -> Iterator[Line]:
    """The lines. Unknown fields are passed over. Raises UnreadableDataset."""
    return (entry for _number, entry in _numbered(path, kind, skipped))


def _numbered(path: Path, kind: type[Line], skipped: Skipped | None) -> Iterator[tuple[int, Line]]:
    """From 1 on."""
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
                    if skipped is None:
                        raise UnreadableDataset(problem) from None
                    skipped(problem)
                else:
                    yield number, entry
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        if skipped is None or number == 0:
            raise UnreadableDataset(f"{path}: {reason}; give the path of a data file") from None
        skipped(f"{path}: cut off after line {number} ({reason})")


def digest_of(path: Path) -> str:
    """What a file holds, in one word. Raises UnreadableDataset."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UnreadableDataset(f"{path}: {error.strerror}; give the path of a data file") from None


def _task(where: str, entry: _TaskLine) -> Task:
    try:
        seeds = _seeds(entry.seed_inputs)
        written = entry.seed_inputs_from_tests
        tested = None if written is None else _seeds(written)
    except (ValueError, TypeError) as error:
        raise UnreadableDataset(
            f"{where}: a seed is no literal of arguments ({error}); write it as a tuple"
        ) from None
    return Task(
        task_id=entry.task_id,
        entry_point=entry.entry_point,
        reference=entry.reference,
        seeds=seeds,
        signature=entry.signature,
        description=entry.description,
        tested_seeds=tested,
    )


def _seeds(texts: Sequence[str]) -> tuple[tuple[Value, ...], ...]:
    # A seed may also be recorded as a list: its items are then the arguments.
    seeds = tuple(tuple(literal_in(text)) for text in texts)
    encode(list(seeds))  # a TypeError for what cannot be passed on, such as an ellipsis
    return seeds


def _recorded(entry: _RecordedLine) -> RecordedMeasurement:
    if entry.failed is not None:
        return RecordedMeasurement(entry.task_id, None, None)
    return RecordedMeasurement(entry.task_id, entry.incoherence, entry.error)
