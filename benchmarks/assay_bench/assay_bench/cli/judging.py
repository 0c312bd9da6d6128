"""Carries out `assay bench judge`: picks samples, has judges work on them, writes the results."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from assay_bench.cli.common import nothing_joins, setting_of, skipped
from assay_bench.cli.progress import progress
from assay_bench.datasets import UnreadableDataset, digest_of, read_samples
from assay_bench.judges.metrics import best_threshold
from assay_bench.judges.picking import Picked, pick
from assay_bench.judges.rows import (
    JUDGEMENTS_FILE,
    PICKED_FILE,
    JudgedRow,
    JudgeQuestion,
)
from assay_bench.judges.running import (
    Case,
    Court,
    SharedModel,
    case_of,
    in_order,
    judge_all,
)
from assay_bench.judges.tables import BY_SCORE, judge_summary, judge_table_lines
from assay_bench.judges.tasks import DescribedTask, read_described, read_tests
from assay_bench.results import ResultsFolder, Setting
from assay_engine.cli.output import COULD_NOT_RUN, DONE, complain, say
from assay_engine.compare.executor import open_executor
from assay_engine.config.configuration import options_from, settings_for
from assay_engine.config.endpoints import endpoints_from
from assay_engine.config.settings import Sampling
from assay_engine.errors import ConfigurationError
from assay_engine.methods.trails.values import JudgeSettings
from assay_engine.models import (
    LearntDialect,
    OpenAIModel,
    PanelMember,
    Recorder,
    ReplayModel,
    Session,
)
from assay_engine.store import Store, open_store
from assay_sandbox import Call, Limits, Observation, Program, Sandbox

REPLIES_FILE = "replies.db"
# Tests come by the hundred, and their time limits must not decide which samples are right.
TEST_LIMITS = Limits(call_seconds=3.0, total_seconds=60.0)
# A draw waits for its request's retries, too.
REQUESTS_PER_DRAW = 4


class JudgeOptions(Struct, frozen=True):
    tasks_file: Path
    samples_file: Path
    truth: Path | None
    judges: tuple[str, ...]
    pick: int
    reruns: int
    candidates: int
    scenarios: int
    steps: int
    inputs_per_scenario: int
    disputed: int
    hoare_steps: int
    threshold: float
    calibrated_on: Path | None
    seed: int
    replay: Path | None
    record: Path | None
    request_seconds: float
    concurrency: int
    interpreter: Path | None
    out: Path


async def judged(options: JudgeOptions) -> int:
    """The exit code: 0 if every judge could work on every sample, 2 otherwise."""
    tasks = read_described(options.tasks_file, skipped)
    samples = read_samples(options.samples_file, skipped)
    threshold = _threshold(options)
    folder = ResultsFolder(options.out)
    # The question includes the name of the model, and so names the source of the replies.
    base = _asked(options)
    with open_executor(Limits(), options.interpreter) as executor:
        question = _question(options, base.model.name, setting_of(executor.first))
        folder.refuse_other(question)
        picked = await asyncio.to_thread(_picked, options, folder, tasks, samples, executor.first)
        # Only now, so that the folder stays free for a run that asks for fewer samples, if too few
        # are found.
        folder.claim(question)
        folder.write_lines(PICKED_FILE, picked)
        cases = [
            case_of(each, tasks[each.task_id], samples[each.task_id], candidates=options.candidates)
            for each in picked
        ]
        with open_store(options.out / REPLIES_FILE) as store:
            court = Court(
                SharedModel(_remembering(base, options, store)),
                executor,
                _settings(options, threshold),
                options.hoare_steps,
                Sampling(draw_seconds=options.request_seconds * REQUESTS_PER_DRAW),
                asyncio.Semaphore(options.concurrency),
            )
            rows = await _rows(court, cases, options)
    folder.write_lines(JUDGEMENTS_FILE, rows)
    summary = judge_summary(rows, options.judges, threshold)
    folder.summarise(summary)
    for line in judge_table_lines(summary):
        say(line)
    return _told_of(rows)


async def _rows(
    court: Court, cases: Sequence[Case], options: JudgeOptions
) -> tuple[JudgedRow, ...]:
    rows: list[JudgedRow] = []
    with progress(len(cases) * len(options.judges) * options.reruns) as advance:
        async for row in judge_all(court, cases, options.judges, options.reruns):
            rows.append(row)
            advance(f"{row.task_id} {row.judge}")
    return in_order(rows, cases, options.judges)


def _told_of(rows: Sequence[JudgedRow]) -> int:
    """Tell each problem once; return the exit code."""
    failed = [row for row in rows if row.problem is not None]
    for problem in sorted({row.problem or "" for row in failed}):
        count = sum(row.problem == problem for row in failed)
        complain(f"{count} of {len(rows)} judgements: {problem}")
    if failed:
        complain("the same command asks again for what is missing")
    return COULD_NOT_RUN if failed else DONE


def _picked(
    options: JudgeOptions,
    folder: ResultsFolder,
    tasks: dict[str, DescribedTask],
    samples: dict[str, tuple[str, ...]],
    runner: Sandbox,
) -> tuple[Picked, ...]:
    """The samples to judge. They are picked once per folder, since that runs all their tests."""
    if known := folder.lines(PICKED_FILE, Picked):
        return tuple(known)
    names = {name: task.specification.unit.name for name, task in tasks.items()}
    if not any(samples.get(name) for name in names):
        raise nothing_joins(options.samples_file, options.tasks_file)
    truth = options.truth or options.tasks_file
    tests = read_tests(truth, skipped)
    if not any(tests.get(name) for name in names):
        raise UnreadableDataset(
            f"{truth} has no inputs and outputs for the tasks of {options.tasks_file}; "
            "give a file that has some with --truth"
        )

    def run(task_id: str, source: str, calls: Sequence[Call]) -> tuple[Observation, ...]:
        program = Program(tasks[task_id].run_as(source), names[task_id])
        return runner.run_many([program], calls, TEST_LIMITS)[0]

    found = pick(
        options.pick,
        tests,
        samples,
        names,
        run,
        first=options.candidates,
        seed=options.seed,
    )
    if len(found) < options.pick:
        right = sum(each.right for each in found)
        raise ConfigurationError(
            f"Only {right} right and {len(found) - right} wrong samples were found; "
            "lower --pick or give other --samples."
        )
    return found


def _threshold(options: JudgeOptions) -> float:
    """The threshold as given, or the best threshold for the judgements of another run."""
    if options.calibrated_on is None:
        return options.threshold
    rows = ResultsFolder(options.calibrated_on).lines(JUDGEMENTS_FILE, JudgedRow)
    if not rows:
        raise ConfigurationError(
            f"There are no judgements in {options.calibrated_on}; give the --out of another run."
        )
    scored = [
        (row.score, row.right) for row in rows if row.judge == BY_SCORE and row.score is not None
    ]
    return best_threshold(scored, options.threshold)


def _settings(options: JudgeOptions, threshold: float) -> JudgeSettings:
    return JudgeSettings(
        scenarios=options.scenarios,
        steps=options.steps,
        inputs_per_scenario=options.inputs_per_scenario,
        disputed=options.disputed,
        threshold=threshold,
    )


def _asked(options: JudgeOptions) -> PanelMember:
    if options.replay:
        return PanelMember(ReplayModel(options.replay))
    endpoints = endpoints_from(os.environ, settings_for(options_from(os.environ)).endpoint)
    if not endpoints:
        raise ConfigurationError(
            "No model is configured. Set ASSAY_BASE_URL and ASSAY_MODEL, or give --replay."
        )
    # One judge is measured at a time.
    endpoint = endpoints[0]
    learnt = LearntDialect(endpoint)
    sampling = Sampling(request_seconds=options.request_seconds)
    return PanelMember(OpenAIModel(endpoint, sampling, learnt), learnt)


def _remembering(base: PanelMember, options: JudgeOptions, store: Store) -> Session:
    """The model, which is not asked again for replies that earlier runs of the folder had."""
    return Session(
        [base],
        store=None if options.replay else store,
        recorder=Recorder(options.record, base.model.name, prompts=False)
        if options.record
        else None,
    )


def _question(options: JudgeOptions, model: str, setting: Setting) -> JudgeQuestion:
    return JudgeQuestion(
        tasks=digest_of(options.tasks_file),
        samples=digest_of(options.samples_file),
        truth=digest_of(options.truth or options.tasks_file),
        model=model,
        pick=options.pick,
        candidates=options.candidates,
        seed=options.seed,
        scenarios=options.scenarios,
        steps=options.steps,
        inputs_per_scenario=options.inputs_per_scenario,
        disputed=options.disputed,
        hoare_steps=options.hoare_steps,
        interpreter=None if options.interpreter is None else str(options.interpreter),
        setting=setting,
    )
