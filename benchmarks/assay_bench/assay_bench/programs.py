"""A task's samples as programs to run, and the calls to run them on. Nothing here knows an oracle.

This module uses a task's entry point, its signature and description, and its seed inputs: the
arguments that the task's tests pass. It never uses the results that the tests expect, nor the
reference, except to make a program of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from assay_bench.datasets import SeededTask
from assay_bench.digests import module_digest
from assay_bench.generating.constants import constants_of
from assay_bench.generating.mutated import mutations
from assay_bench.promised import promised
from assay_bench.records import Records
from assay_engine.types import Specification
from assay_engine.values.carried import call_key
from assay_sandbox import Call, Program, Value


def serving(modules: Mapping[str, str]) -> str:
    """The head of a program that can import these modules, by dotted name, from memory."""
    return _SERVING.format(modules=dict(modules))


_SERVING = """
import sys
from importlib.machinery import ModuleSpec

class _Serving:
    modules = {modules!r}
    packages = {{name.rsplit(".", n)[0] for name in modules for n in range(1, name.count(".") + 1)}}

    def find_spec(self, name, path=None, target=None):
        if name in self.modules or name in self.packages:
            return ModuleSpec(name, self, origin=f"<{{name}}>", is_package=name in self.packages)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        exec(compile(self.modules.get(name, ""), f"<{{name}}>", "exec"), vars(module))

sys.meta_path.insert(0, _Serving())
"""


class Samples(Struct, frozen=True):
    """The distinct programs in the order they were first drawn, and each sample's program."""

    programs: tuple[Program, ...]
    drawn: tuple[int, ...]

    def first(self, count: int) -> Samples:
        """The first `count` samples."""
        drawn = self.drawn[:count]
        return Samples(self.programs[: max(drawn, default=-1) + 1], drawn)


def samples_of(task: SeededTask, texts: Sequence[str]) -> Samples:
    """The samples of the task. Texts that no run can tell apart are one program."""
    numbers: dict[str, int] = {}
    programs: list[Program] = []
    drawn: list[int] = []
    for text in texts:
        digest = module_digest(text)
        if digest not in numbers:
            numbers[digest] = len(programs)
            programs.append(Program(text, task.entry_point))
        drawn.append(numbers[digest])
    return Samples(tuple(programs), tuple(drawn))


def reference_of(task: SeededTask) -> Program:
    return Program(task.reference, task.entry_point)


def seeds_of(task: SeededTask) -> tuple[tuple[Value, ...], ...]:
    """The arguments that the tests pass, as they are written in the tests."""
    return task.seeds if task.tested_seeds is None else task.tested_seeds


def constants_for(task: SeededTask, samples: Samples) -> tuple[Value, ...]:
    """The constants in the samples and in the description."""
    return constants_of([program.source for program in samples.programs], task.description or "")


class TaskAdmission:
    """Decides which inputs a task admits. No argument is empty where no seed has an empty one, and
    records are as long as in the seeds.

    Nearly every function is undefined on some inputs, and on such inputs first.
    """

    def __init__(self, task: SeededTask) -> None:
        seeds = [Call(arguments) for arguments in seeds_of(task)]
        specification = _specification(task)
        self._emptied = {at for seed in seeds for at in _emptied(seed)}
        given = () if specification is None else specification.given_parameters
        self._records = Records(given, seeds)

    def admits(self, call: Call) -> bool:
        return _emptied(call) <= self._emptied and self._records.keep(call)


def calls_of(
    task: SeededTask, count: int, seed: int, constants: Sequence[Value] = ()
) -> tuple[Call, ...]:
    """At most `count` distinct calls: the task's seeds, then admitted mutants of them.

    There are fewer than `count` if no more are found, and none without seeds.
    """
    seeds = [Call(arguments) for arguments in seeds_of(task)]
    made = filter(TaskAdmission(task).admits, mutations(seeds, count, seed, constants))
    distinct = {call_key(call): call for call in (*seeds, *made)}
    return tuple(distinct.values())[:count]


def documented_of(task: SeededTask) -> tuple[str, ...]:
    """The exceptions that the description announces."""
    specification = _specification(task)
    return () if specification is None else specification.documented_exceptions


def _specification(task: SeededTask) -> Specification | None:
    """The specification; None if the file has no signature, or one that is no Python."""
    if task.signature is None:
        return None
    return promised(task.entry_point, task.signature, task.description or "")


def _emptied(call: Call) -> set[int]:
    """The positions of empty arguments."""
    return {at for at, value in enumerate(call.args) if _is_empty(value)}


def _is_empty(value: Value) -> bool:
    return isinstance(value, str | bytes | list | tuple | set | frozenset | dict) and not value
