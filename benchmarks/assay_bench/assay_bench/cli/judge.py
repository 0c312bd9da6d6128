"""`assay bench judge`: judges on recorded samples whose truth is known."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import click

from assay_bench.cli.common import (
    COUNT,
    FILE,
    SECONDS,
    Finite,
    candidates_option,
    interpreter_option,
    out_option,
    resumable,
)
from assay_bench.cli.judging import JudgeOptions, judged
from assay_bench.judges.running import JUDGES, SINGLE_JUDGES
from assay_engine.methods.trails.values import JudgeSettings

_DEFAULTS = JudgeSettings()


def _judge_names(_context: click.Context, _option: click.Parameter, value: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",")))
    unknown = [name for name in names if name not in JUDGES]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(JUDGES)}")
    return names


@click.command()
@click.option("--tasks", "tasks_file", type=FILE, required=True, help="What judges are shown.")
@click.option("--samples", "samples_file", type=FILE, required=True, help="Recorded samples.")
@click.option("--truth", type=FILE, help="Tasks with tests (default: those of --tasks).")
@click.option(
    "--judges",
    default=",".join(SINGLE_JUDGES),
    callback=_judge_names,
    show_default=True,
    help=f"Separated by commas, of {', '.join(JUDGES)}.",
)
@click.option("--pick", type=click.IntRange(min=2), default=24, show_default=True, help="Samples.")
@click.option("--reruns", type=COUNT, default=3, show_default=True)
@candidates_option
@click.option("--scenarios", type=COUNT, default=_DEFAULTS.scenarios, show_default=True)
@click.option(
    "--steps",
    type=click.IntRange(1, 4),
    default=_DEFAULTS.steps,
    show_default=True,
    help="Replies with inputs per scenario, repairs included.",
)
@click.option(
    "--inputs-per-scenario", type=COUNT, default=_DEFAULTS.inputs_per_scenario, show_default=True
)
@click.option(
    "--disputed",
    type=click.IntRange(min=0),
    default=_DEFAULTS.disputed,
    show_default=True,
    help="Inputs on which candidates disagree.",
)
@click.option("--hoare-steps", type=COUNT, default=8, show_default=True)
@click.option("--threshold", type=Finite(0, 1), default=_DEFAULTS.threshold, show_default=True)
@click.option("--calibrated-on", type=FILE, help="A folder of another run to take it from.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--replay", type=FILE, help="Replies by digest of prompt; nothing is sent.")
@click.option("--record", type=FILE, help="Write replies to a file, without their prompts.")
@click.option("--request-seconds", type=SECONDS, default=60.0, show_default=True)
@click.option("--concurrency", type=COUNT, default=8, show_default=True, help="Requests at once.")
@interpreter_option
@out_option
def judge(**options: Any) -> None:
    """Judges on recorded samples, half of them right: MCC, P4, stability, tokens, overlap.

    Needs an endpoint in the environment (ASSAY_BASE_URL, ASSAY_MODEL) or --replay. Sends the tasks'
    texts there and, for zero-shot and hoare, the samples. Exits with 0 if every judge could work
    on every sample, 2 otherwise.
    """
    chosen = JudgeOptions(**options)
    with resumable(chosen.out):
        sys.exit(asyncio.run(judged(chosen)))
