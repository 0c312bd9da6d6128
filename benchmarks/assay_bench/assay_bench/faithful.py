"""Faithful mode: measures a task the way the source experiments measured it.

This mode uses their inputs (`mutations`, kept if the reference takes them), their calls
(`worker/loaded_task`), their equality (`worker/likeness`) and their budget. docs/evaluation.md
lists what could not be reproduced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

from msgspec import Struct

from assay_bench.datasets import SeededTask
from assay_bench.incoherence import draw_pairs, hoeffding_interval
from assay_bench.measurement import Intervals, Measurement, MeasurementBudget
from assay_bench.mutations import mutated
from assay_bench.programs import serving
from assay_sandbox import (
    Call,
    Limits,
    LoadFailed,
    Observation,
    Program,
    Raised,
    Returned,
    Sandbox,
    Value,
)

# An input slot gets 100 tries. They are made in rounds, since the first few settle most slots.
TRIES_BY_ROUND = (1, 2, 4, 8, 16, 32, 37)
# The experiments had no limit of memory; a machine has one.
MEMORY_BYTES = 4 << 30
REFERENCE = -1

# The address of an object in a message, which differs in every run.
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")

_WORKER = "assay_bench.worker"


class MutatedInput(Struct, frozen=True):
    """The arguments; the number of the seed if they are an unmutated one; and whether the reference
    alters them."""

    arguments: tuple[Value, ...]
    seed: int | None = None
    altered: bool = False


class _Stopped(Exception):
    """The quantity cannot be measured; the experiments would have dropped the task."""


def measure(
    sandbox: Sandbox, task: SeededTask, samples: Sequence[str], budget: MeasurementBudget
) -> Measurement:
    """Measure incoherence first, then error, each on inputs of its own.

    Never raises because of what a program does, but raises SandboxError if the sandbox fails.
    """
    return _Measuring(sandbox, task, tuple(samples[: budget.candidates]), budget).result()


class _Measuring:
    def __init__(
        self,
        sandbox: Sandbox,
        task: SeededTask,
        samples: tuple[str, ...],
        budget: MeasurementBudget,
    ) -> None:
        self._sandbox = sandbox
        self._task = task
        self._samples = samples
        self._budget = budget
        self._calls = 0

    def result(self) -> Measurement:
        incoherence: float | None = None
        error: float | None = None
        problem: str | None = None
        stage = "incoherence"
        try:
            incoherence = self._incoherence()
            stage = "error"
            error = self._error()
        except _Stopped as reason:
            problem = f"{stage}: {reason}"
        return Measurement(
            self._task.task_id,
            len(self._samples),
            incoherence,
            error,
            problem,
            self._calls,
            intervals=self._intervals(incoherence, error),
        )

    def _intervals(self, incoherence: float | None, error: float | None) -> Intervals | None:
        """The intervals of quantities that were drawn. With one sample there is no pair to draw."""
        if incoherence is None or error is None or len(self._samples) < 2:
            return None
        trials = self._budget.inputs
        return Intervals(hoeffding_interval(incoherence, trials), hoeffding_interval(error, trials))

    def _incoherence(self) -> float:
        if not self._samples:
            raise _Stopped("there are no samples")
        if len(self._samples) < 2:
            return 0.0
        random = self._random("incoherence")
        inputs = self._inputs(random)
        return self._share(draw_pairs(len(self._samples), len(inputs), random), inputs)

    def _error(self) -> float:
        random = self._random("error")
        inputs = self._inputs(random)
        drawn = (random.randrange(len(self._samples)) for _ in inputs)
        return self._share(tuple((number, REFERENCE) for number in drawn), inputs)

    def _random(self, quantity: str) -> Random:
        return Random(f"{self._budget.seed} {self._task.task_id} {quantity}")

    def _inputs(self, random: Random) -> tuple[MutatedInput, ...]:
        """As many inputs as the budget says: accepted mutants, or else unmutated seeds."""
        if not self._task.seeds:
            raise _Stopped("there are no seeds")
        chosen: list[MutatedInput | None] = [None] * self._budget.inputs
        for tries in TRIES_BY_ROUND:
            slots = [slot for slot, given in enumerate(chosen) if given is None]
            if not slots:
                break
            tried = [(slot, self._mutant(random)) for slot in slots for _ in range(tries)]
            for (slot, arguments), seen in zip(
                tried, self._filtered([arguments for _slot, arguments in tried]), strict=True
            ):
                if chosen[slot] is None and seen.value == "true":
                    chosen[slot] = MutatedInput(arguments, altered=seen.args_after is not None)
        seeds = self._task.seeds
        fallbacks = (random.randrange(len(seeds)) for _ in chosen)
        return tuple(
            given or MutatedInput(seeds[number], number)
            for given, number in zip(chosen, fallbacks, strict=True)
        )

    def _mutant(self, random: Random) -> tuple[Value, ...]:
        seed = random.choice(self._task.seeds)
        try:
            return tuple(mutated(argument, random) for argument in seed)
        except TypeError as error:
            raise _Stopped(f"a mutation cannot be made ({error})") from None

    def _filtered(self, tried: Sequence[tuple[Value, ...]]) -> tuple[Returned, ...]:
        self._calls += len(tried)
        calls = [Call((list(arguments),)) for arguments in tried]
        return self._run("accepts", 0, calls)

    def _share(self, pairs: Sequence[tuple[int, int]], inputs: Sequence[MutatedInput]) -> float:
        """The share of inputs on which the two programs of the input's pair differ."""
        calls = [
            Call((*pair, list(given.arguments), given.seed, given.altered))
            for pair, given in zip(pairs, inputs, strict=True)
        ]
        self._calls += 2 * len(calls) + sum(given.altered for given in inputs)
        seen = self._run("differ", len(self._samples), calls)
        return sum(entry.value == "true" for entry in seen) / len(seen)

    def _run(self, method: str, candidates: int, calls: Sequence[Call]) -> tuple[Returned, ...]:
        program = _loaded_task(self._task, self._samples[:candidates], method)
        returned: list[Returned] = []
        for seen in self._sandbox.run(program, calls, _limits(self._budget)):
            if not isinstance(seen, Returned) or seen.value not in ("true", "false"):
                raise _Stopped(_reason(seen))
            returned.append(seen)
        return tuple(returned)


def _loaded_task(task: SeededTask, samples: Sequence[str], method: str) -> Program:
    folder = Path(__file__).with_name("worker")
    source = (
        f"from {_WORKER}.loaded_task import LoadedTask\n"
        f"loaded = LoadedTask({task.entry_point!r}, {len(samples)})\n"
    )
    modules = {
        f"{_WORKER}.{name}": (folder / f"{name}.py").read_text("utf-8")
        for name in ("likeness", "loaded_task")
    }
    modules |= {"assay_reference": task.reference}
    modules |= {f"assay_candidate_{n}": sample for n, sample in enumerate(samples)}
    return Program(serving(modules) + source, f"loaded.{method}")


def _limits(budget: MeasurementBudget) -> Limits:
    """One bound on the whole batch and none on a call, as in the experiments.

    A call and a load need some bound, but one that the batch reaches first. Otherwise, on a busy
    machine, the reason that is given would be now the one, now the other.
    """
    never_reached = 2 * budget.seconds
    return Limits(
        call_seconds=never_reached,
        load_seconds=never_reached,
        total_seconds=budget.seconds,
        timeouts_before_giving_up=1,
        memory_bytes=MEMORY_BYTES,
    )


def _reason(seen: Observation) -> str:
    match seen:
        case Raised():
            return f"{seen.type_name}: {_ADDRESS.sub('0x...', seen.message)}"
        case LoadFailed():
            return f"loading: {seen.type_name}: {seen.message}"
        case _:
            return type(seen).__name__
