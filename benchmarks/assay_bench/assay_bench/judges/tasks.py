"""Tasks as a judge sees them, and the tests that decide which of their samples are right."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay_bench.datasets import (
    Skipped,
    UnreadableDataset,
    arguments_in,
    each_made,
    first_of_each,
)
from assay_bench.plain_calls import called_plainly
from assay_bench.promised import promised
from assay_engine.syntax.expressions import literal_in
from assay_engine.syntax.parsing import parse
from assay_engine.types import Specification
from assay_sandbox import Call, Value


class DescribedTask(Struct, frozen=True):
    """`specification` is made of signature and description; it has no sample as its program yet."""

    task_id: str
    specification: Specification

    def of(self, source: str) -> Specification:
        """The specification with a sample as its program. What judges are shown does not change."""
        program = self.run_as(source)
        return replace(self.specification, program=program, entry=self.specification.unit.name)

    def run_as(self, source: str) -> str:
        """The text of a sample as it is run, so that calls are like those of the task's tests."""
        return called_plainly(source, self.specification.unit.name)


class ExpectedCall(Struct, frozen=True):
    """Arguments, and the result of a right solution."""

    call: Call
    expected: Value


class _TestedTask(Struct, frozen=True):
    task_id: str
    tests: tuple[ExpectedCall, ...]


class _TaskLine(msgspec.Struct):
    task_id: str
    entry_point: str
    signature: str
    description: str


class _TestLine(msgspec.Struct):
    inputs: str
    output: str


class _TestsLine(msgspec.Struct):
    task_id: str
    entry_point: str
    description: str
    tests: list[_TestLine]


def read_described(path: Path, skipped: Skipped | None = None) -> dict[str, DescribedTask]:
    """The tasks by name, in the file's order. Raises UnreadableDataset; `skipped` as in
    `read_tasks`."""
    return first_of_each(each_made(path, _TaskLine, _described, skipped))


def read_tests(path: Path, skipped: Skipped | None = None) -> dict[str, tuple[ExpectedCall, ...]]:
    """Tests by task. Raises UnreadableDataset; `skipped` as in `read_tasks`.

    Some tasks are left out: those whose description shows, by an assertion of another form than
    ``assert f(…) == value``, that their outputs are not to be compared as they are.
    """
    found = first_of_each(each_made(path, _TestsLine, _tested, skipped))
    return {name: task.tests for name, task in found.items() if task.tests}


def _described(where: str, entry: _TaskLine) -> DescribedTask:
    specification = promised(entry.entry_point, entry.signature, entry.description)
    if specification is None:
        raise UnreadableDataset(
            f"{where}: {entry.signature!r} is not a signature of {entry.entry_point}; "
            "write what follows `def` and the name"
        )
    return DescribedTask(entry.task_id, specification)


def _compared_as_they_are(description: str, name: str) -> bool:
    lines = [line.strip() for line in description.splitlines()]
    asserted = [parse(line) for line in lines if line.startswith("assert ")]
    return all(_is_plain(tree, name) for tree in asserted)


def _is_plain(tree: object, name: str) -> bool:
    match tree:
        case ast.Module(
            body=[
                ast.Assert(
                    test=ast.Compare(
                        left=ast.Call(func=ast.Name(id=called)), ops=[ast.Eq() | ast.Is()]
                    )
                )
            ]
        ):
            return called == name
        case _:
            return False


def _tested(where: str, entry: _TestsLine) -> _TestedTask:
    """The task with its tests, or without any if they cannot be used."""
    if not _compared_as_they_are(entry.description, entry.entry_point):
        return _TestedTask(entry.task_id, ())
    try:
        return _TestedTask(entry.task_id, tuple(map(_test, entry.tests)))
    except (ValueError, TypeError) as error:
        raise UnreadableDataset(
            f"{where}: a test of {entry.task_id} is not a literal ({error})"
        ) from None


def _test(line: _TestLine) -> ExpectedCall:
    return ExpectedCall(Call(arguments_in(line.inputs)), literal_in(line.output))
