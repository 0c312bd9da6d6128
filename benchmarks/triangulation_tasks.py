"""Which tasks triangulation is measured on, by a rule that knows nothing of triangulation.

Every MBPP+ task with enough recorded samples has a kind and a standing:

- kind, from the header and the expected outputs of MBPP+: *predicate* (all outputs are truth
  values), *union* (None beside something else), *inexact* (MBPP's own tests compare sets, so that
  the order is free), *stream* (one list to a list of as many elements, and no element has two
  results in all tests), *one-to-one* (no output twice), *many-to-one* (the rest).
- standing, of its samples: *outvoted* (the largest class is wrong though some sample is right),
  *all wrong*, *all right*, *mixed* (the largest class is right).

Tasks are ordered by a digest of seed and name. All places ask in turn for an outvoted
task, one that is all wrong, and one that is all right; a place takes the first such task of its
kind among the first `SCANNED_MAX`, or of the next standing if there is none.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay_bench.generating.mutated import mutations
from assay_engine.compare.executor import Executor
from assay_engine.compare.same_values import same_value
from assay_engine.compare.votes import acceptance
from assay_engine.methods.triangulation.formulas.values import key
from assay_engine.methods.triangulation.samples import Forward
from assay_engine.specification.specification import specify
from assay_engine.syntax.units import find_units
from assay_engine.types import Specification
from assay_engine.values.carried import value_of
from assay_sandbox import Call, Program, Returned, Value
from benchmarks.data import rows_of

SAMPLES = 20
TESTS_MAX = 40
SCANNED_MAX = 24
INPUTS = 60
QUOTAS = {
    "one-to-one": 2,
    "many-to-one": 3,
    "inexact": 2,
    "stream": 2,
    "union": 2,
    "predicate": 2,
}
STANDINGS = ("outvoted", "all wrong", "all right", "mixed")
ROTATING = 3
_TYPING = ("Any", "Dict", "List", "Optional", "Set", "Tuple", "Union")


@dataclass(frozen=True)
class Task:
    name: str
    kind: str
    order_is_free: bool
    specification: Specification
    samples: tuple[str, ...]
    seeds: tuple[tuple[Value, ...], ...]
    tests: tuple[tuple[tuple[Value, ...], Value], ...]


@dataclass(frozen=True)
class Judged:
    """A task's distinct samples, and by each whether it is right."""

    task: Task
    standing: str
    forwards: tuple[Forward, ...]
    truth: tuple[bool, ...]


@dataclass(frozen=True)
class Ready:
    """A task that can be triangulated. `truth` tells by distinct program whether it is right."""

    task: Task
    standing: str
    forwards: tuple[Forward, ...]
    inputs: tuple[tuple[Value, ...], ...]
    truth: tuple[bool, ...]

    @property
    def is_solvable(self) -> bool:
        return any(self.truth)

    @property
    def share_right(self) -> float:
        weights = [each.weight for each in self.forwards]
        return sum(w for w, right in zip(weights, self.truth, strict=True) if right) / sum(weights)


def all_tasks(data: Path, samples: str, seed: int) -> list[Task]:
    """Tasks with enough samples, in the order of the seed."""
    plain = {row["task_id"]: row for row in rows_of(data / "tasks/mbpp.jsonl.gz")}
    drawn = {
        row["task_id"]: row["samples"] for row in rows_of(data / f"samples/{samples}.jsonl.gz")
    }
    found: list[Task] = []
    for row in rows_of(data / "tasks/mbppplus.jsonl.gz"):
        name = row["task_id"]
        if name in plain and len(drawn.get(name, ())) >= SAMPLES:
            task = _task(row, plain[name], drawn[name][:SAMPLES])
            if task is not None:
                found.append(task)
    return sorted(found, key=lambda task: hashlib.sha256(f"{seed} {task.name}".encode()).digest())


async def chosen(tasks: Sequence[Task], executor: Executor) -> list[Ready]:
    """The tasks to measure on. Runs samples of many tasks, which takes minutes."""
    taken: list[Judged] = []
    place = 0
    for kind, quota in QUOTAS.items():
        ordered = [task for task in tasks if task.kind == kind][:SCANNED_MAX]
        scanned: list[Judged] = []
        for _ in range(quota):
            asked = [STANDINGS[(place + turn) % ROTATING] for turn in range(ROTATING)]
            place += 1
            found = await _first([*asked, *STANDINGS[ROTATING:]], ordered, scanned, taken, executor)
            if found is not None:
                taken.append(found)
    return [await made_ready(each, executor) for each in taken]


async def named(tasks: Sequence[Task], names: Sequence[str], executor: Executor) -> list[Ready]:
    """These tasks, in the order of their names."""
    by_name = {task.name: task for task in tasks}
    return [await made_ready(await _judged(by_name[each], executor), executor) for each in names]


async def _first(
    standings: Sequence[str],
    ordered: Sequence[Task],
    scanned: list[Judged],
    taken: Sequence[Judged],
    executor: Executor,
) -> Judged | None:
    """The first task of the first standing that any has; scans no further than it must."""
    for standing in standings:
        while True:
            fits = [each for each in scanned if each.standing == standing and each not in taken]
            if fits:
                return fits[0]
            if len(scanned) == len(ordered):
                break
            scanned.append(await _judged(ordered[len(scanned)], executor))
    return None


async def _judged(task: Task, executor: Executor) -> Judged:
    """Runs a task's samples on its tests."""
    entry = task.specification.unit.name
    weights = Counter(task.samples)
    forwards = tuple(Forward(Program(source, entry), weight) for source, weight in weights.items())
    rows = await executor.run(
        [each.program for each in forwards], [Call(arguments) for arguments, _ in task.tests]
    )
    truth = tuple(
        all(
            isinstance(seen, Returned)
            and _is_right(value_of(seen.value), expected, order_is_free=task.order_is_free)
            for seen, (_, expected) in zip(row, task.tests, strict=True)
        )
        for row in rows
    )
    classes: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        classes.setdefault(json.dumps(list(map(_fingerprint, row))), []).append(index)
    largest = max(classes.values(), key=lambda group: sum(forwards[i].weight for i in group))
    if all(truth):
        standing = "all right"
    elif not any(truth):
        standing = "all wrong"
    else:
        standing = "mixed" if truth[largest[0]] else "outvoted"
    return Judged(task, standing, forwards, truth)


async def made_ready(judged: Judged, executor: Executor) -> Ready:
    """With inputs that the samples accept by consensus: seeds, and mutants of them."""
    task = judged.task
    seeds = [Call(seed) for seed in task.seeds]
    calls = [*seeds, *mutations(seeds, INPUTS, 0)]
    rows = await executor.run([each.program for each in judged.forwards], calls)
    weights = [each.weight for each in judged.forwards]
    inputs = tuple(
        call.args
        for position, call in enumerate(calls)
        if acceptance([row[position] for row in rows], weights, ()).by_majority
    )
    return Ready(task, judged.standing, judged.forwards, inputs, judged.truth)


def _task(row: dict[str, Any], plain: dict[str, Any], samples: list[str]) -> Task | None:
    header = row["signature"].rstrip(":")
    imports = ", ".join(name for name in _TYPING if f"{name}[" in header or name == "Any" in header)
    quoted = plain["description"].strip().replace("\\", "\\\\").replace('"""', "'''")
    quoted = quoted[0].upper() + quoted[1:]
    text = f'{header}:\n    """{quoted}"""\n    return None\n'
    if imports:
        text = f"from typing import {imports}\n\n\n{text}"
    units = [unit for unit in find_units(text)[0] if unit.qualname == row["entry_point"]]
    tests = tuple((_literal(each["inputs"]), _literal(each["output"])) for each in row["tests"])
    if not units or not tests:
        return None
    free = "assert set(" in plain["tests"]
    seeds = plain.get("seed_inputs_from_tests", plain["seed_inputs"])
    return Task(
        row["task_id"],
        "inexact" if free else _kind(tests),
        free,
        specify(text, units[0]),
        tuple(samples),
        tuple(map(_literal, seeds)),
        tests[:TESTS_MAX],
    )


def _kind(tests: Sequence[tuple[tuple[Value, ...], Value]]) -> str:
    outputs = [output for _, output in tests]
    if all(isinstance(output, bool) for output in outputs):
        return "predicate"
    if any(output is None for output in outputs):
        return "union"
    if _maps_elements(tests):
        return "stream"
    by_output: dict[str, set[str]] = {}
    for arguments, output in tests:
        by_output.setdefault(key(output), set()).add(key(arguments))
    return "one-to-one" if all(len(each) == 1 for each in by_output.values()) else "many-to-one"


def _maps_elements(tests: Sequence[tuple[tuple[Value, ...], Value]]) -> bool:
    results: dict[str, str] = {}
    for arguments, output in tests:
        whole = arguments[0] if len(arguments) == 1 else None
        if not isinstance(whole, list) or not isinstance(output, list) or len(whole) != len(output):
            return False
        for element, result in zip(whole, output, strict=True):
            if results.setdefault(key(element), key(result)) != key(result):
                return False
    return any(isinstance(arguments[0], list) and arguments[0] for arguments, _ in tests)


def _is_right(value: Value, expected: Value, *, order_is_free: bool) -> bool:
    if order_is_free and isinstance(value, list | tuple | set | frozenset):
        return set(map(key, value)) == set(map(key, expected))
    return same_value(value, expected)


def _fingerprint(seen: object) -> str:
    return seen.value if isinstance(seen, Returned) else type(seen).__name__


def _literal(text: str) -> Any:
    return set() if text == "set()" else ast.literal_eval(text)
