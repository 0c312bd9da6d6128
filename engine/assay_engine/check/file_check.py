"""The check of a file: its functions on trial side by side, with reports in file order.

What is known of the functions of a text without a trial. Nothing here sends or runs anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from itertools import compress

from msgspec.structs import replace

from assay_engine.check.model_supply import ModelSupply
from assay_engine.check.opinion import opinion_digest, wanted
from assay_engine.check.trials import Trials
from assay_engine.check_unit import CheckUnit, OtherVersion
from assay_engine.config.settings import JudgeMode
from assay_engine.dependencies.modules import Modules
from assay_engine.dependencies.readable import placed_among, with_files
from assay_engine.single_flight import Tell
from assay_engine.specification.supportable import unsupported
from assay_engine.types import (
    Listener,
    ProblemKind,
    Progress,
    Report,
    SourceText,
    Tier,
    Unit,
)
from assay_sandbox import Place

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
        self._total = self._judged = 0
        self._counted: list[asyncio.Task[Report]] = []

    async def reports(
        self,
        source: SourceText,
        only: Callable[[Unit], bool] | None,
        *,
        again: bool,
        begun: Callable[[], None] | None,
        earlier: OtherVersion | None = None,
    ) -> AsyncGenerator[Report, None]:
        subjects = await self._subjects(source, only, earlier)
        # Nothing is to be done for the others, and questions do not count them either.
        documented = [bool(each.specification.docstring.strip()) for each, _ in subjects]
        self._total = sum(documented)
        tasks: list[asyncio.Task[Report]] = []
        slots = asyncio.Semaphore(UNITS_AT_ONCE)
        shares = [self._trials.join(subject, self._stage_of(subject)) for subject, _ in subjects]
        try:
            if begun is not None:
                begun()
            await self._trials.learn_imports([subject for subject, _ in subjects])
            tasks += [
                asyncio.create_task(
                    self._trials.answer(share, workspace, slots, again=again, tier=self._tier)
                )
                for share, (_, workspace) in zip(shares, subjects, strict=True)
            ]
            self._counted = [*compress(tasks, documented)]
            for task in tasks:
                yield await task
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.gather(*(share.let_go() for share in shares))

    async def refusals(self, source: SourceText) -> list[ProblemKind | None]:
        """Why each function of the text cannot be tried, as far as that shows without running it;
        None for those that can."""
        subjects = [subject for subject, _ in await self._subjects(source, None)]
        await self._trials.learn_imports(subjects)
        return [await self._trials.refusal(subject) for subject in subjects]

    async def opinions(
        self, source: SourceText, reports: Sequence[Report], judge: JudgeMode
    ) -> AsyncGenerator[Report, None]:
        if judge is JudgeMode.OFF:
            return
        given = {(report.qualname, report.text_digest): report for report in reports}
        due: list[tuple[CheckUnit, Report]] = []
        for subject, _ in await self._subjects(source, None):
            report = given.get((subject.specification.unit.qualname, subject.text_digest))
            if report is not None and report.judged is None and wanted(report, judge):
                due.append((subject, report))
        self._total = len(due)
        await self._trials.learn_imports([subject for subject, _ in due])
        for subject, report in due:
            # One after another: each already has as many requests under way as the settings allow.
            yield await self._trials.opinion(subject, report, self._stage_of(subject), self._tier)
            self._judged += 1

    async def compared(
        self, source: SourceText, other: OtherVersion, only: Callable[[Unit], bool] | None
    ) -> AsyncGenerator[Report, None]:
        subjects = [subject for subject, _ in await self._subjects(source, only)]
        others = [subject for subject, _ in await self._subjects(other.source, lambda _: True)]
        by_name = {each.specification.unit.qualname: each.specification for each in others}
        self._total = len(subjects)
        await self._trials.learn_imports([*subjects, *others])
        for subject in subjects:
            name = other.qualname or subject.specification.unit.qualname
            yield await self._trials.compared(
                subject, by_name.get(name), other.called, self._stage_of(subject)
            )
            self._judged += 1

    async def _subjects(
        self,
        source: SourceText,
        only: Callable[[Unit], bool] | None,
        earlier: OtherVersion | None = None,
    ) -> list[tuple[CheckUnit, Modules]]:
        # The model's name is part of what a report is filed under, so find the model first.
        await self._supply.find()
        self._supply.try_again()
        # Reading a workspace's modules may take seconds. Use a thread, so that no editor waits.
        return await asyncio.to_thread(self._found, source, only, earlier)

    def _found(
        self,
        source: SourceText,
        only: Callable[[Unit], bool] | None,
        earlier: OtherVersion | None,
    ) -> list[tuple[CheckUnit, Modules]]:
        """The functions to be tried. All see the project in the same state."""
        subjects = self._trials.subjects(source, only, self._tier, earlier)
        places = [subject.specification.place for subject, _ in subjects]
        place = next(filter(None, places), None)
        if place is None:
            return subjects
        listed = with_files(place, subjects[0][1].root, source.text)
        return [(_among(listed, subject), workspace) for subject, workspace in subjects]

    def _stage_of(self, subject: CheckUnit) -> Tell:
        """A function that tells the listener which stage this unit has reached."""

        def stage(name: str) -> None:
            if self._listen is not None:
                qualname = subject.specification.unit.qualname
                done = self._judged + sum(task.done() for task in self._counted)
                self._listen(Progress(done, self._total, qualname, name))

        return stage


def _among(listed: Place, subject: CheckUnit) -> CheckUnit:
    """The function, and its earlier version, at their place with the files that are there."""
    earlier = subject.earlier
    if earlier is not None:
        former = placed_among(earlier.specification, listed)
        earlier = replace(earlier, specification=former)
    own = placed_among(subject.specification, listed)
    return replace(subject, specification=own, earlier=earlier)


def recalled(
    trials: Trials, source: SourceText, only: Callable[[Unit], bool] | None
) -> tuple[Report, ...]:
    """The stored reports of unchanged units, each from the most thorough check of the unit."""
    found: list[Report] = []
    for subject, _ in trials.subjects(source, only, Tier.STANDARD):
        of_each = [trials.filed_under(subject, tier) for tier in reversed(Tier)]
        of_each += [replace(each, earlier=None) for each in of_each]
        stored = (trials.remembered(each, only_shown=True) for each in of_each)
        known = next(filter(None, stored), None)
        found += [] if known is None else [known]
    return tuple(sorted(found, key=lambda report: report.line))


def outdated(trials: Trials, source: SourceText, reports: Sequence[Report]) -> tuple[Report, ...]:
    """The reports on functions of this text that a check would no longer give as they are."""
    names = {report.qualname for report in reports}
    current: dict[str, set[str]] = {}
    for subject, _ in trials.subjects(source, lambda unit: unit.qualname in names, Tier.STANDARD):
        for tier in Tier:
            filed = trials.filed_under(subject, tier)
            keys = current.setdefault(subject.specification.unit.qualname, set())
            for each in (filed, replace(filed, earlier=None)):
                keys |= {each.digest, opinion_digest(each)}
    return tuple(
        report
        for report in reports
        if report.digest not in current.get(report.qualname, {report.digest})
        or not trials.rests_on_what_is_there(report)
    )


def asked_about(
    trials: Trials,
    source: SourceText,
    only: Callable[[Unit], bool] | None,
    *,
    again: bool,
    tier: Tier,
) -> int:
    """The number of functions about which a check would ask a model."""
    return sum(
        # Without its earlier version, it has had all replies that it needs.
        (again or trials.remembered(replace(subject, earlier=None)) is None)
        and unsupported(subject.specification, importable=lambda _: True) is None
        for subject, _ in trials.subjects(source, only, tier)
    )
