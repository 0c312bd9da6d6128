"""Runs judges over picked samples, everything at once that does not depend on something else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_bench.digests import module_digest
from assay_bench.generating.mutated import mutations
from assay_bench.judges.baselines import (
    BY_ASSERTIONS,
    BY_OUTPUTS,
    judge_by_codet,
    judge_by_hoare,
    judge_by_trails,
    judge_by_zero_shot,
)
from assay_bench.judges.picking import Picked
from assay_bench.judges.rows import JudgedRow, failed_row, row_of
from assay_bench.judges.tasks import DescribedTask
from assay_engine.compare.executor import Executor
from assay_engine.compare.materialising import is_carried, materialised
from assay_engine.config.settings import Sampling
from assay_engine.inputs.proposed import example_calls
from assay_engine.methods.trails.assay_judge import judge_by_assay
from assay_engine.methods.trails.values import Judgement, JudgeSettings, Jury
from assay_engine.sampling.asking import Asking
from assay_engine.types import Input, Model, Origin, Prompt, Reply, Specification

# The judges that look at one sample at a time, and CodeT's selection among a task's samples.
SINGLE_JUDGES = ("trails", "assay", "zero-shot", "hoare")
JUDGES = (*SINGLE_JUDGES, BY_ASSERTIONS, BY_OUTPUTS)
# How many calls a jury is run on beside those that the description shows.
MUTANTS = 80


class Case(Struct, frozen=True):
    """A sample to judge: its task, its text, and the other samples of the task as candidates."""

    picked: Picked
    task: DescribedTask
    source: str
    jury: Jury


class Court(Struct, frozen=True):
    """The resources of judges. `slots` bounds the requests under way, over all judges."""

    model: Model
    executor: Executor
    settings: JudgeSettings
    hoare_steps: int
    sampling: Sampling
    slots: asyncio.Semaphore


class SharedModel:
    """Asks once for a reply that several judges want, at the same time or one after the other."""

    def __init__(self, inner: Model) -> None:
        self._inner = inner
        self._asked: dict[tuple[Prompt, int], asyncio.Task[Reply]] = {}

    @property
    def name(self) -> str:
        return self._inner.name

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        key = (prompt, sample)
        if key not in self._asked:
            self._asked[key] = asyncio.create_task(self._inner.reply(prompt, sample))
        # One judge's deadline must not take the reply away from the others.
        return await asyncio.shield(self._asked[key])


def case_of(
    picked: Picked, task: DescribedTask, samples: Sequence[str], *, candidates: int
) -> Case:
    """The case of a picked sample. Its jury are the first `candidates` samples except the one on
    trial; equal samples are one juror with their weight."""
    sources: dict[str, str] = {}
    weights: dict[str, int] = {}
    for index, source in enumerate(samples[:candidates]):
        if index != picked.sample:
            digest = module_digest(source)
            sources.setdefault(digest, task.run_as(source))
            weights[digest] = weights.get(digest, 0) + 1
    return Case(
        picked,
        task,
        samples[picked.sample],
        Jury(tuple(sources.values()), tuple(weights[digest] for digest in sources)),
    )


async def judge_all(
    court: Court, cases: Sequence[Case], judges: Sequence[str], reruns: int
) -> AsyncIterator[JudgedRow]:
    """Yield a row for every case, judge and rerun, as they come. A failure is a row, too."""
    tasks = [
        asyncio.create_task(_judged(court, case, judge, rerun))
        for case in cases
        for judge in judges
        for rerun in range(reruns)
    ]
    try:
        for done in asyncio.as_completed(tasks):
            yield await done
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _judged(court: Court, case: Case, judge: str, rerun: int) -> JudgedRow:
    try:
        return row_of(case.picked, await _judgement(court, case, judge, rerun), rerun)
    except Exception as error:  # ours: everything else is in the judgement; the others go on
        return failed_row(case.picked, judge, rerun, f"{type(error).__name__}: {error}")


async def _inputs(executor: Executor, specification: Specification) -> tuple[Input, ...]:
    """What a jury is run on: the calls that the description shows, and mutants of them.

    A check takes those that a model proposes, which recorded samples do not have.
    """
    shown = await materialised(executor, specification, example_calls(specification))
    calls = (*shown, *mutations(shown, MUTANTS, 0))
    return tuple(Input(call, Origin.PROPOSED) for call in calls if is_carried(call))


async def _judgement(court: Court, case: Case, judge: str, rerun: int) -> Judgement:
    asking = Asking(court.model, court.sampling, rerun=rerun, slots=court.slots)
    specification, settings = case.task.of(case.source), court.settings
    match judge:
        case "trails":
            return await judge_by_trails(asking, court.executor, specification, settings)
        case "assay":
            jury = replace(case.jury, inputs=await _inputs(court.executor, specification))
            return await judge_by_assay(asking, court.executor, specification, jury, settings)
        case "zero-shot":
            return await judge_by_zero_shot(asking, specification, case.source, settings)
        case "hoare":
            return await judge_by_hoare(
                asking, specification, case.source, settings, steps=court.hoare_steps
            )
        case _ if judge in (BY_ASSERTIONS, BY_OUTPUTS):
            return await judge_by_codet(
                asking,
                court.executor,
                specification,
                case.jury,
                settings,
                asserted=judge == BY_ASSERTIONS,
            )
        case _:
            raise ValueError(f"no judge is called {judge}; there are {', '.join(JUDGES)}")


def in_order(
    rows: Sequence[JudgedRow], cases: Sequence[Case], judges: Sequence[str]
) -> tuple[JudgedRow, ...]:
    """The rows by case, judge and rerun: the same order whatever came first."""
    places: Mapping[str, int] = {case.picked.task_id: n for n, case in enumerate(cases)}
    return tuple(
        sorted(rows, key=lambda row: (places[row.task_id], judges.index(row.judge), row.rerun))
    )
