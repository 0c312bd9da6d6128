"""Measures one task in the requested mode."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from assay_bench import adaptive, faithful, oracleless
from assay_bench.datasets import SeededTask
from assay_bench.measurement import Measurement, MeasurementBudget, Mode
from assay_engine.compare.executor import FIRST_SURROUNDINGS, OTHER_SURROUNDINGS, Executor
from assay_sandbox import Limits, Sandbox

CALL_SECONDS = 1.0
LOAD_SECONDS = 10.0


class SandboxPair(Struct, frozen=True):
    """Two sandboxes of one process, which differ in hash and random seeds; neither is started."""

    first: Sandbox
    second: Sandbox


def sandbox_pair(interpreter: Path | None) -> SandboxPair:
    return SandboxPair(
        Sandbox(interpreter, workers=1, surroundings=FIRST_SURROUNDINGS),
        Sandbox(interpreter, workers=1, surroundings=OTHER_SURROUNDINGS),
    )


def measure(
    own: SandboxPair, task: SeededTask, samples: Sequence[str], budget: MeasurementBudget
) -> Measurement:
    """Measure the task. Never raises because of what a program does, but raises SandboxError if the
    sandbox fails."""
    match budget.mode:
        case Mode.FAITHFUL:
            return faithful.measure(own.first, task, samples, budget)
        case Mode.ASSAY:
            return oracleless.measure(executor_of(own, budget), task, samples, budget)
        case Mode.ADAPTIVE:
            return adaptive.measure(executor_of(own, budget), task, samples, budget)


def executor_of(own: SandboxPair, budget: MeasurementBudget) -> Executor:
    limits = Limits(
        call_seconds=CALL_SECONDS, load_seconds=LOAD_SECONDS, total_seconds=budget.seconds
    )
    return Executor(own.first, own.second, limits)
