"""Reads recorded samples and generated tests, and the tests that decide which samples are right."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from assay_bench.datasets import (
    Skipped,
    UnreadableDataset,
    each_made,
    entries,
    first_of_each,
    tell_without_samples,
)
from assay_engine.syntax.expressions import NotLiteral, literal
from assay_engine.syntax.parsing import parse, parse_expression
from assay_engine.syntax.text import last_function
from assay_sandbox import Call, encode

# The places where the authors cut a generated assertion off.
_STOP = re.compile(r"\n(?:class|def|#|if|print)")
# The assertions used of one generation, as by the authors: a generation that repeats itself tells
# nothing more.
ASSERTIONS_PER_GENERATION = 5
# The function that tests of the truth define.
_CHECK = "check"


class GeneratedTask(Struct, frozen=True):
    """`assertions` are distinct statements, in the order in which they were generated first."""

    task_id: str
    entry_point: str
    samples: tuple[str, ...]
    assertions: tuple[str, ...]
    truth: str


class _GeneratedLine(msgspec.Struct):
    task_id: str
    entry_point: str
    samples: list[str]
    generated_tests: list[str]


class _TruthLine(msgspec.Struct):
    task_id: str
    entry_point: str
    tests: str


def read_generated(
    tasks: Path, samples: Path, skipped: Skipped | None = None
) -> tuple[GeneratedTask, ...]:
    """The tasks that have samples, in the order of the first file. Raises UnreadableDataset.

    `tests` of a task defines ``check(candidate)``.
    """
    truths = first_of_each(each_made(tasks, _TruthLine, _checking, skipped))
    generated = first_of_each(entries(samples, _GeneratedLine, skipped))
    drawn = {name: line.samples for name, line in generated.items()}
    tell_without_samples(truths, drawn, skipped)
    return tuple(
        GeneratedTask(
            task_id=name,
            entry_point=generated[name].entry_point,
            samples=tuple(generated[name].samples),
            assertions=assertions(generated[name].generated_tests, truth.entry_point),
            truth=truth.tests,
        )
        for name, truth in truths.items()
        if drawn.get(name)
    )


def assertions(generated: Sequence[str], entry_point: str) -> tuple[str, ...]:
    """The assertions that parse, in continuations of a prompt that ends in ``assert``."""
    found = (text for each in generated for text in _in_one(each, entry_point))
    return tuple(dict.fromkeys(found))


def calls_in(texts: Sequence[str], entry_point: str) -> tuple[Call, ...]:
    """The distinct calls of the function with literals in assertions."""
    found: dict[str, Call] = {}
    for text in texts:
        tree = parse(text)
        for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
            match node:
                case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                    if name == entry_point:
                        found.setdefault(ast.dump(node), Call(tuple(_literals(arguments))))
                case _:
                    pass
    return tuple(call for call in found.values() if call.args)


def _checking(where: str, entry: _TruthLine) -> _TruthLine:
    """The line, checked to define the function: without it, every sample would be wrong."""
    tree = parse(entry.tests)
    if not isinstance(tree, ast.Module) or last_function(tree.body, _CHECK) is None:
        raise UnreadableDataset(
            f"{where}: the tests of {entry.task_id} define no function {_CHECK}(candidate); "
            "docs/evaluation.md says what a line holds"
        )
    return entry


def _literals(arguments: Sequence[ast.expr]) -> Iterator[object]:
    try:
        values = [literal(each) for each in arguments]
        encode(values)  # a TypeError for values that cannot be passed on, such as an ellipsis
    except (NotLiteral, TypeError):
        return
    yield from values


def _in_one(generated: str, entry_point: str) -> Iterator[str]:
    parts = (_STOP.split(part, maxsplit=1)[0].strip() for part in generated.split("assert "))
    kept = (part for part in parts if entry_point in part and _is_assertable(part))
    for count, part in enumerate(kept):
        if count == ASSERTIONS_PER_GENERATION:
            return
        yield f"assert {part}"


def _is_assertable(text: str) -> bool:
    """Whether the text may follow ``assert``: an expression, with or without a message."""
    return parse_expression(text) is not None and isinstance(parse(f"assert {text}"), ast.Module)
