"""The check of a file: its functions on trial side by side, with reports in file order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from itertools import chain
from typing import Any

from assay_engine.filing import Filing
from assay_engine.reading.modules import Modules
from assay_engine.settings import JudgeMode
from assay_engine.supply import ModelSupply
from assay_engine.trial.opinion import wanted
from assay_engine.trial.trials import Trial, Trials, placed_result
from assay_engine.types import Listener, Progress, Reply, Report, SourceText, Tier, Unit
from assay_engine.underway import Hold, Tell

# How many units are on trial at once: while one waits for the model, another runs.
UNITS_AT_ONCE = 2


class FileCheck:
    """The state of one check of a file, or of one judging of its reports. See `Engine.check`."""

    def __init__(
        self, supply: ModelSupply, trials: Trials, tier: Tier, listen: Listener | None
    ) -> None:
        self._supply = supply
        self._trials = trials
        self._tier = tier
        self._listen = listen
        self._total = self._finished = 0

    async def reports(
        self,
        source: SourceText,
        only: Callable[[Unit], bool] | None,
        *,
        again: bool,
        begun: Callable[[], None] | None,
    ) -> AsyncGenerator[Report, None]:
        filings = await self._filings(source, only)
        self._total = len(filings)
        slots = asyncio.Semaphore(UNITS_AT_ONCE)

        async def one(
            filing: Filing,
            workspace: Modules,
            joined: Trial | None,
            requests: Sequence[Hold[Reply]],
        ) -> Report:
            report = None if joined is None else await placed_result(joined, filing)
            if report is None:
                async with slots:
                    stage = self._stage_of(filing)
                    report = await self._trials.answer(filing, workspace, stage, again, self._tier)
            await _let_go(requests)
            self._finished += 1
            return report

        joined = [self._trials.join(filing, self._stage_of(filing)) for filing, _ in filings]
        requests = [self._trials.join_requests(filing) for filing, _ in filings]
        tasks: list[asyncio.Task[Report]] = []
        try:
            if begun is not None:
                begun()
            await self._trials.learn_imports([filing for filing, _ in filings])
            tasks += [
                asyncio.create_task(one(*filing, hold, kept))
                for filing, hold, kept in zip(filings, joined, requests, strict=True)
            ]
            for task in tasks:
                yield await task
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await _let_go([*filter(None, joined), *chain.from_iterable(requests)])

    async def opinions(
        self, source: SourceText, reports: Sequence[Report], judge: JudgeMode
    ) -> AsyncGenerator[Report, None]:
        if judge is JudgeMode.OFF:
            return
        given = {(report.qualname, report.text_digest): report for report in reports}
        due: list[tuple[Filing, Report]] = []
        for filing, _ in await self._filings(source, None):
            report = given.get((filing.specification.unit.qualname, filing.text_digest))
            if report is not None and report.judged is None and wanted(report, judge):
                due.append((filing, report))
        self._total = len(due)
        await self._trials.learn_imports([filing for filing, _ in due])
        for filing, report in due:
            # One after another: each already has as many requests under way as the settings allow.
            yield await self._trials.opinion(filing, report, self._stage_of(filing), self._tier)
            self._finished += 1

    async def _filings(
        self, source: SourceText, only: Callable[[Unit], bool] | None
    ) -> list[tuple[Filing, Modules]]:
        # The model's name is part of what a report is filed under, so find the model first.
        await self._supply.find()
        self._supply.try_again()
        # Reading a workspace's modules may take seconds. Use a thread, so that no editor waits.
        return await asyncio.to_thread(self._trials.filings, source, only, self._tier)

    def _stage_of(self, filing: Filing) -> Tell:
        """A function that tells the listener which stage this unit has reached."""

        def stage(name: str) -> None:
            if self._listen is not None:
                qualname = filing.specification.unit.qualname
                self._listen(Progress(self._finished, self._total, qualname, name))

        return stage


async def _let_go(holds: Sequence[Hold[Any]]) -> None:
    await asyncio.gather(*(hold.let_go() for hold in holds))
