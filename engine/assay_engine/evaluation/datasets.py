"""Tasks, recorded samples and recorded measurements, read from JSON Lines files.

The formats are described in docs/evaluation.md. Files may be compressed (`.gz`). Everything in them
is foreign: seeds are read as literals and program texts only ever go to the sandbox.
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from assay_engine.errors import AssayError
from assay_sandbox import Value

# Longer ones are cut, and then are no JSON.
MAXIMUM_LINE = 64 << 20

Line = TypeVar("Line", bound=msgspec.Struct)


class UnreadableDataset(AssayError):
    """A file that is not what it was given as; the message names file and line."""


@dataclass(frozen=True, slots=True)
class Task:
    """One programming task. A seed is the tuple of positional arguments."""

    task_id: str
    entry_point: str
    reference: str
    seeds: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the source experiment measured on a task; None where it failed."""

    task_id: str
    incoherence: float | None
    error: float | None


class _TaskLine(msgspec.Struct):
    task_id: str
    entry_point: str
    reference: str
    seed_inputs: list[str]


class _SamplesLine(msgspec.Struct):
    task_id: str
    samples: list[str]


class _RecordedLine(msgspec.Struct):
    task_id: str
    incoherence: float | None
    error: float | None
    failed: str | None = None


def read_tasks(path: Path) -> tuple[Task, ...]:
    """Tasks in the file's order. Raises UnreadableDataset."""
    return tuple(_task(path, number, entry) for number, entry in entries(path, _TaskLine))


def read_samples(path: Path) -> dict[str, tuple[str, ...]]:
    """Program texts in recorded order, by task. Raises UnreadableDataset."""
    return {entry.task_id: tuple(entry.samples) for _, entry in entries(path, _SamplesLine)}


def read_recorded(path: Path) -> dict[str, Recorded]:
    """Recorded measurements by task. Raises UnreadableDataset."""
    return {entry.task_id: _recorded(entry) for _, entry in entries(path, _RecordedLine)}


def entries(path: Path, kind: type[Line]) -> Iterator[tuple[int, Line]]:
    """Lines, numbered from 1. Unknown fields are passed over. Raises UnreadableDataset."""
    decode = msgspec.json.Decoder(kind).decode
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while line := file.readline(MAXIMUM_LINE):
                number += 1
                yield number, decode(line)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnreadableDataset(f"{path}: {reason}; give the path of a data file") from None
    except msgspec.DecodeError as error:
        raise UnreadableDataset(
            f"{path}:{number}: {error}; docs/evaluation.md says what a line holds"
        ) from None


def digest_of(path: Path) -> str:
    """What a file holds, in one word. Raises UnreadableDataset."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UnreadableDataset(f"{path}: {error.strerror}; give the path of a data file") from None


def _task(path: Path, number: int, entry: _TaskLine) -> Task:
    try:
        # A seed may also be recorded as a list: its items are then the arguments.
        seeds = tuple(tuple(ast.literal_eval(text)) for text in entry.seed_inputs)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise UnreadableDataset(
            f"{path}:{number}: a seed is no literal of arguments ({error}); write it as a tuple"
        ) from None
    return Task(entry.task_id, entry.entry_point, entry.reference, seeds)


def _recorded(entry: _RecordedLine) -> Recorded:
    if entry.failed is not None:
        return Recorded(entry.task_id, None, None)
    return Recorded(entry.task_id, entry.incoherence, entry.error)
