"""Trials: each function is tried once for all checks that want its report."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import date
from typing import TypeAlias
from weakref import WeakValueDictionary

from msgspec import Struct
from msgspec.structs import replace

from assay_engine import digest
from assay_engine.check.changes import last_commit
from assay_engine.check.context import CheckContext
from assay_engine.check.model_supply import ModelSupply, usable_for
from assay_engine.check.opinion import with_opinion
from assay_engine.check.pipeline import check_unit
from assay_engine.check.report_cache import (
    can_be_placed,
    placed,
    remember,
    remembered,
    rested_on,
    rests_on_what_is_there,
)
from assay_engine.check.versions import compared_with
from assay_engine.check.worklist import filed, worklist
from assay_engine.check_unit import CheckUnit, OtherVersion
from assay_engine.compare.executor import (
    FIRST_SURROUNDINGS,
    OTHER_SURROUNDINGS,
    Executor,
    limits_of,
)
from assay_engine.compare.loading import KnownImports, Loads
from assay_engine.compare.verdict import abstained
from assay_engine.config.configuration import EngineOptions
from assay_engine.config.interpreter import ChosenInterpreter, identity_of
from assay_engine.config.settings import JudgeMode, Settings
from assay_engine.dependencies.modules import Modules
from assay_engine.messages.confinement import failure_in_full, notice_of
from assay_engine.models import Usable, on_trial
from assay_engine.sampling.prompting import shown_of
from assay_engine.single_flight import SingleFlight, Tell, Waiter
from assay_engine.specification.supportable import unsupported
from assay_engine.store import Leases, Store
from assay_engine.types import (
    Problem,
    ProblemKind,
    Reply,
    Report,
    SourceText,
    Specification,
    Tier,
    Unit,
    Usage,
)
from assay_sandbox import Sandbox, SandboxError, Surroundings

_ELSEWHERE = "being checked in another window or terminal"

# A report, with the digest of the file that it was made in.
Tried: TypeAlias = tuple[Report, str]


class Share(Struct, frozen=True):
    """One check's share in what is under way for a function as the check begins: the function's
    trial, if there is one in the very same state, and requests that its own trial may want, too."""

    subject: CheckUnit
    stage: Tell
    trial: Waiter[Tried] | None
    requests: tuple[Waiter[Reply], ...]

    async def let_go(self) -> None:
        """End what nobody else waits for. May be called again."""
        holds = (*filter(None, [self.trial]), *self.requests)
        await asyncio.gather(*(hold.let_go() for hold in holds))


class Trials:
    """Puts functions on trial in two sandboxes of its own, unless their reports are remembered.

    A trial is shared by all that want its report: checks of this process join it (`SingleFlight`),
    other processes wait for it (`Leases`). So are the requests of states of a function that promise
    the same. Use from one thread with a running event loop. The constructor starts nothing.
    """

    def __init__(
        self,
        options: EngineOptions,
        settings: Settings,
        store: Store,
        supply: ModelSupply,
        interpreter: ChosenInterpreter,
        today: Callable[[], date],
        clock: Callable[[], float],
    ) -> None:
        self._options = options
        self._settings = settings
        self._store = store
        self._supply = supply
        self._interpreter = identity_of(interpreter)
        self._today = today
        self._under_way = SingleFlight[Tried]()
        self._leases = Leases(store, clock)
        # The key is a digest of what the model is shown of a function. States of a function that
        # promise the same make the same requests.
        self._requests: WeakValueDictionary[str, SingleFlight[Reply]] = WeakValueDictionary()
        self._imports = KnownImports()
        self._loads = Loads()
        self._sandboxes = (
            _sandbox(settings, interpreter, FIRST_SURROUNDINGS),
            _sandbox(settings, interpreter, OTHER_SURROUNDINGS),
        )

    @property
    def sandbox(self) -> Sandbox:
        return self._sandboxes[0]

    @property
    def confinement_notice(self) -> str | None:
        """A sentence for the user if programs could be confined better. Starts nothing."""
        return notice_of(self._sandboxes, unconfined=self._settings.execution.unconfined)

    @property
    def judges(self) -> bool:
        """Whether a judge may add an opinion to a report."""
        return self._settings.judge is not JudgeMode.OFF

    def close(self) -> None:
        for sandbox in self._sandboxes:
            sandbox.close()

    def subjects(
        self,
        source: SourceText,
        only: Callable[[Unit], bool] | None,
        tier: Tier,
        earlier: OtherVersion | None = None,
    ) -> list[tuple[CheckUnit, Modules]]:
        """The functions of a text to be tried, each with where it finds the workspace's modules."""
        shown = self._settings.sampling.neighbours
        if earlier is None and self._options.beside_commit:
            earlier = last_commit(source, self._options.environment)
        return worklist(source, tier, self._rests_on, only, neighbours=shown, earlier=earlier)

    def filed_under(self, subject: CheckUnit, tier: Tier) -> CheckUnit:
        """The same function, filed as a check of that tier would file it."""
        specification, earlier = subject.specification, subject.earlier
        return filed(subject.source, specification, tier, self._rests_on, earlier)

    def remembered(self, subject: CheckUnit, *, only_shown: bool = False) -> Report | None:
        """The stored report, with the judge's opinion if that is wanted and stored."""
        return remembered(self._store, subject, judged=self.judges, only_shown=only_shown)

    def join(self, subject: CheckUnit, stage: Tell) -> Share:
        """Keep going, for a check that begins, all that is under way and serves it."""
        trial = self._under_way.join(_state_of(subject), stage)
        return Share(subject, stage, trial, self._requests_for(subject).join_all())

    async def answer(
        self,
        share: Share,
        workspace: Modules,
        slots: asyncio.Semaphore,
        *,
        again: bool,
        tier: Tier,
    ) -> Report:
        """The report of the trial that is shared; without one, the remembered report, or, if there
        is none or `again`, that of a trial that takes one of the check's `slots`. That trial may
        have been begun by another check, too.
        """
        subject = share.subject
        # To record replies, the model has to be asked, even if the cache answers.
        again = again or self._options.record is not None
        report = None if share.trial is None else await _placed_result(share.trial, subject)
        if report is None:
            async with slots:
                report = None if again else self.remembered(subject)
                # A trial that another check began may give a report that does not fit this place.
                # A trial begun here always fits.
                while report is None:
                    trial = self._under_way.hold(
                        _state_of(subject),
                        lambda tell: self._try(subject, workspace, tell, again=again, tier=tier),
                        share.stage,
                    )
                    try:
                        report = await _placed_result(trial, subject)
                    finally:
                        await trial.let_go()
        await share.let_go()
        return report

    async def _try(
        self, subject: CheckUnit, workspace: Modules, stage: Tell, *, again: bool, tier: Tier
    ) -> Tried:
        """Try the function, unless another process is at the same: then its report serves."""
        on_trial.set(subject.specification.unit.qualname)
        made_in = digest.of_file(subject.source.text)
        async with self._leases.held(subject.digest, lambda: stage(_ELSEWHERE)):
            known = None if again else self.remembered(subject)
            if known is not None:
                return known, made_in
            context = await self._context(
                stage,
                tier,
                usable=usable_for(subject.specification),
                requests=self._requests_for(subject),
            )
            try:
                reports = await check_unit(context, subject, workspace)
            except SandboxError as failure:
                report = replace(subject.report(abstained()), problems=(_no_sandbox(failure),))
            else:
                report = reports[-1]
                resting = self._loads.rests_on(subject.specification)
                if report.verdict.status.is_untried and unsupported(
                    subject.specification, importable=lambda _: True
                ):
                    resting = {}
                # It holds without its earlier version, too: after the next commit there is none.
                alone = replace(reports[0], digest=subject.key)
                for each in {each.digest: each for each in (alone, *reports)}.values():
                    remember(self._store, each, made_in, resting)
            return report, made_in

    async def opinion(self, subject: CheckUnit, report: Report, stage: Tell, tier: Tier) -> Report:
        """The report with what the judge says."""
        on_trial.set(subject.specification.unit.qualname)
        # These requests are not shared: the judge is asked other things about another state of the
        # function. Every stored reply serves: the jury are the check's very replies.
        context = await self._context(stage, tier, spent=report.cost.paid)
        try:
            judged = await with_opinion(context, self._supply.kept(), subject, report)
        except SandboxError as failure:
            return replace(report, problems=(*report.problems, _no_sandbox(failure)))
        # The opinion is about that report, and is void when it is.
        made_in, resting = (
            digest.of_file(subject.source.text),
            rested_on(self._store, report.digest),
        )
        remember(self._store, judged, made_in, resting)
        return judged

    async def compared(
        self, subject: CheckUnit, other: Specification | None, called: str, stage: Tell
    ) -> Report:
        """The report on a function beside its other version. Sends nothing, stores nothing."""
        context = await self._context(stage, Tier.STANDARD)
        try:
            return await compared_with(context, self._supply.kept(), subject, other, called)
        except SandboxError as failure:
            return replace(subject.report(abstained()), problems=(_no_sandbox(failure),))

    def rests_on_what_is_there(self, report: Report) -> bool:
        """Whether the files that a stored report rests on are as they were; true of any other."""
        return rests_on_what_is_there(self._store, report.digest)

    async def refusal(self, subject: CheckUnit) -> ProblemKind | None:
        """Why the function cannot be tried, as far as that shows without running it."""
        specification = subject.specification
        problem = unsupported(specification, importable=self._imports.__contains__)
        if problem is None:
            found = await self._loads.loaded(self._executor(), specification)
            problem = found if isinstance(found, Problem) else None
        return None if problem is None else problem.kind

    async def learn_imports(self, subjects: Sequence[CheckUnit]) -> None:
        """Find out which imports of the functions exist, before any function is tried, and forget
        which modules did not load."""
        self._loads.try_again()
        specifications = [subject.specification for subject in subjects]
        await self._imports.learn(self._executor(), specifications)

    @property
    def _rests_on(self) -> tuple[str, ...]:
        return (repr(self._settings.before_judging), *self._interpreter, self._supply.name)

    async def _context(
        self,
        stage: Tell,
        tier: Tier,
        *,
        usable: Usable | None = None,
        requests: SingleFlight[Reply] | None = None,
        spent: Usage | None = None,
    ) -> CheckContext:
        settings = _with_room(self._settings, tier)
        model = await self._supply.session(
            settings, self._today, usable=usable, requests=requests, spent=spent
        )
        return CheckContext(
            model,
            self._supply.problem,
            self._executor(),
            self._settings,
            self._imports.__contains__,
            stage,
            tier,
            self._loads,
        )

    def _requests_for(self, subject: CheckUnit) -> SingleFlight[Reply]:
        shown = digest.of_parts(shown_of(subject.specification))
        return self._requests.setdefault(shown, SingleFlight[Reply]())

    def _executor(self) -> Executor:
        first, second = self._sandboxes
        return Executor(first, second, limits_of(self._settings.execution))


def _state_of(subject: CheckUnit) -> str:
    """The function's digest, and the state of the project around it."""
    place = subject.specification.place
    return subject.digest if place is None else f"{subject.digest} {place.state}"


async def _placed_result(trial: Waiter[Tried], subject: CheckUnit) -> Report | None:
    """The report of a trial, at the place of `subject`; None if it does not fit that place."""
    report, made_in = await trial.result()
    return placed(report, subject) if can_be_placed(report, made_in, subject.source) else None


def _no_sandbox(failure: SandboxError) -> Problem:
    return Problem(ProblemKind.SANDBOX_UNAVAILABLE, failure_in_full(failure))


def _with_room(settings: Settings, tier: Tier) -> Settings:
    """The settings, with the cost that triangulation may have added to the check's budget."""
    if tier is Tier.STANDARD:
        return settings
    budget, thorough = settings.budget, settings.thorough
    wider = replace(
        budget,
        requests_per_check=budget.requests_per_check + thorough.requests,
        tokens_per_check=budget.tokens_per_check + thorough.tokens,
    )
    return replace(settings, budget=wider)


def _sandbox(
    settings: Settings, interpreter: ChosenInterpreter, surroundings: Surroundings
) -> Sandbox:
    return Sandbox(
        interpreter.program,
        virtual_environment=interpreter.virtual_environment,
        surroundings=surroundings,
        unconfined=settings.execution.unconfined,
    )
