"""The engine, which the server and the command line use. It tries units and remembers reports."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from datetime import UTC, date, datetime
from itertools import zip_longest
from pathlib import Path
from time import monotonic
from typing import Self

import platformdirs
from msgspec.structs import replace

from assay_engine.check.changes import (
    LAST_COMMIT,
    changed_since_commit,
    committed_text,
    note_wanted,
    noted_wanted,
    settled,
)
from assay_engine.check.file_check import FileCheck, asked_about, outdated, recalled
from assay_engine.check.model_supply import Look, ModelSupply
from assay_engine.check.report_cache import files_with_findings
from assay_engine.check.trials import Trials
from assay_engine.check_unit import OtherVersion
from assay_engine.config.configuration import EngineOptions, settings_for
from assay_engine.config.interpreter import ChosenInterpreter, choose_interpreter, identity_of
from assay_engine.config.provenance import may_have_come_along, users_home
from assay_engine.errors import ConfigurationError, StoreError
from assay_engine.messages.confinement import confinement_of
from assay_engine.models import (
    Day,
    LocalServer,
    Probe,
    consents,
    find_local_servers,
    has_consent,
    probe,
)
from assay_engine.status import (
    EngineStatus,
    ModelStatus,
    Outlook,
    Supplied,
    endpoint_problem,
    spent_today,
)
from assay_engine.store import Store, memory_store, open_named_store, open_store
from assay_engine.syntax.ignoring import is_left_out
from assay_engine.types import (
    Listener,
    Model,
    ProblemKind,
    Report,
    SourceText,
    Tier,
    Unit,
    Wanted,
)


class Engine:
    """The engine: one per process, used from one thread with a running event loop.

    Opening it starts nothing.
    """

    def __init__(
        self,
        options: EngineOptions,
        store: Store,
        store_problem: str | None,
        today: Callable[[], date],
        clock: Callable[[], float],
        look: Look,
    ) -> None:
        self._options = options
        self._resolved = settings_for(options)
        self._settings = self._resolved.settings
        self._store = store
        self._consents = memory_store() if self.store_came_along else store
        self._interpreter = self._chosen()
        self._identity = identity_of(self._interpreter)
        self._store_problem = store_problem
        self._today = today
        self._supply = ModelSupply(options, self._resolved, store, self._consents, clock, look)
        self._trials = Trials(
            options, self._settings, store, self._supply, self._interpreter, today, clock
        )

    @classmethod
    def open(
        cls,
        options: EngineOptions,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
        clock: Callable[[], float] = monotonic,
        look: Look = find_local_servers,
    ) -> Self:
        """Open an engine. Raises `ConfigurationError`.

        If the store cannot be used, a store in memory takes its place.
        """
        if options.replay:
            return cls(options, memory_store(), None, today, clock, look)
        try:
            if options.store_path:
                store = open_named_store(Path(options.store_path))
            else:
                store = open_store(Path(platformdirs.user_cache_dir("assay"), "assay.db"))
        except StoreError as failure:
            return cls(options, memory_store(), str(failure), today, clock, look)
        return cls(options, store, None, today, clock, look)

    def close(self) -> None:
        self._trials.close()
        with suppress(StoreError):
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ----------------------------------------------------------------------------------------

    def check(
        self,
        source: SourceText,
        *,
        only: Callable[[Unit], bool] | None = None,
        listen: Listener | None = None,
        again: bool = False,
        tier: Tier = Tier.STANDARD,
        begun: Callable[[], None] | None = None,
        earlier: OtherVersion | None = None,
    ) -> AsyncGenerator[Report, None]:
        """One report per selected unit, in file order. Unchanged units answer from the store.

        If another check has a unit on trial in the same state, the unit is not tried twice: both
        checks wait for one trial, which goes on as long as either check waits. If only the unit's
        body differs, the requests under way go on until this trial has taken the replies that it
        wants. `begun` is called when this check has joined everything under way: a check of a
        former text may end from then on.

        `again` tries units anew although their reports are stored, with the model's stored replies
        as far as these are usable. Closing the iterator, or cancelling the task that drives it,
        ends requests and kills children.

        `earlier` is a former state of the text. A function that was otherwise there runs in that
        state, too, on the same inputs, and its findings say what is new; no request is made for it.
        """
        return self._file_check(tier, listen).reports(
            source, only, again=again, begun=begun, earlier=earlier
        )

    def judge(
        self,
        source: SourceText,
        reports: Sequence[Report],
        *,
        listen: Listener | None = None,
        tier: Tier = Tier.STANDARD,
    ) -> AsyncGenerator[Report, None]:
        """The reports for which a judge's opinion is wanted, with that opinion, in file order.

        `reports` are those that `check` gave for this very text; reports on other text are passed
        over. Closing the iterator, or cancelling the task that drives it, ends requests and kills
        children.
        """
        return self._file_check(tier, listen).opinions(source, reports, self._settings.judge)

    def compare(
        self,
        source: SourceText,
        other: OtherVersion,
        *,
        only: Callable[[Unit], bool] | None = None,
        listen: Listener | None = None,
    ) -> AsyncGenerator[Report, None]:
        """One report per selected unit on whether it does what its other version does, in file
        order. Asks no model; inputs that one has proposed before are among those that are run."""
        return self._file_check(Tier.STANDARD, listen).compared(source, other, only)

    async def compare_with_commit(self, source: SourceText, name: str) -> Report:
        """The report on whether the function of that name does what it did in the last commit.
        Raises `GitUnusable`, and LookupError if there is no such function."""
        environment = self._options.environment
        text = await asyncio.to_thread(committed_text, source, environment)
        former = OtherVersion(replace(source, text=text or ""), LAST_COMMIT)
        reports = self.compare(source, former, only=lambda unit: unit.qualname == name)
        async with aclosing(reports):
            async for report in reports:
                return report
        raise LookupError(f"no {name} in this text")

    @property
    def is_current(self) -> bool:
        """Whether an engine opened now, with the same options, would have the same set-up.

        Settings and interpreter may change: files are written, and environments made, while an
        editor is open.
        """
        try:
            settings, interpreter = settings_for(self._options), self._chosen()
        except ConfigurationError:
            return False
        same = (settings, interpreter) == (self._resolved, self._interpreter)
        return same and identity_of(interpreter) == self._identity

    @property
    def judges(self) -> bool:
        """Whether `judge` may add opinions to the reports of `check`."""
        return self._trials.judges

    async def refusals(self, source: SourceText) -> list[ProblemKind | None]:
        """Why each function of the text cannot be tried, as far as that shows without running it;
        None for those that can. Loads the module confined, and sends nothing."""
        return await self._file_check(Tier.STANDARD, None).refusals(source)

    def recall(
        self, source: SourceText, *, only: Callable[[Unit], bool] | None = None
    ) -> tuple[Report, ...]:
        """The stored reports of unchanged units, each from the most thorough check of the unit.

        Sends nothing, runs nothing.
        """
        return recalled(self._trials, source, only)

    def files_with_findings(self, most: int) -> tuple[str, ...]:
        """At most so many files of the project that stored reports have found something in, those
        that were checked last first. Whether that still holds, `recall` says."""
        root = self._options.root
        return () if root is None else files_with_findings(self._store, Path(root), most)

    async def outdated(self, source: SourceText, reports: Sequence[Report]) -> tuple[Report, ...]:
        """The reports on functions of this text that a check would no longer give as they are.

        For example, a function that such a function calls has changed since. Sends nothing, runs
        nothing.
        """
        # The model's name is part of what a report is filed under, so find the model first.
        await self._supply.find()
        return outdated(self._trials, source, reports)

    @property
    def notices(self) -> tuple[str, ...]:
        """Things worth knowing before a check, one sentence each.

        They tell what is wrong with the store, without which nothing is remembered; that the
        project's interpreter is left aside; which of the project's settings are left aside; and
        that programs are not confined as well as they could be. The last is not known before the
        first program has run.
        """
        return (*self._other_notices, *filter(None, [self._trials.confinement_notice]))

    def outlook(
        self,
        source: SourceText,
        *,
        only: Callable[[Unit], bool] | None = None,
        again: bool = False,
        tier: Tier = Tier.STANDARD,
    ) -> Outlook:
        """What `check` would ask a model for, without a look at the replies that are stored.

        It asks for nothing about functions that answer from the store, or that cannot be checked.
        Sends nothing, runs nothing.
        """
        if self._options.replay or self._options.offline:
            return Outlook(0, 0)
        asked = asked_about(self._trials, source, only, again=again, tier=tier)
        return Outlook(asked, asked * self.requests_of_one(tier))

    def requests_of_one(self, tier: Tier) -> int:
        """About how many requests the check of one function may send at most."""
        return self._settings.requests_of_one(thorough=tier is Tier.THOROUGH)

    async def changed(self, source: SourceText) -> frozenset[str]:
        """The names of the functions to be checked that are new or changed since the last commit.

        Without a commit that has the file, these are all. Nothing that the repository configures is
        run. Raises `GitUnusable`.
        """
        environment = self._options.environment
        return await asyncio.to_thread(changed_since_commit, source, environment)

    async def settled(self, source: SourceText, earlier: str) -> frozenset[str]:
        """The names of the functions to be checked that are as they were in an earlier text, and
        whose docstring is finished. Nothing that the repository configures is run. Raises
        `GitUnusable`.
        """
        environment = self._options.environment
        return await asyncio.to_thread(settled, source, earlier, environment)

    async def excludes(self, path: str) -> bool:
        """Whether a file is left out of checks, unless somebody asks for it by name.

        The file's own project may leave it out, or the project that is open. Raises
        `ConfigurationError`.
        """
        return await asyncio.to_thread(is_left_out, Path(path), self._options.root)

    @property
    def store_problem(self) -> str | None:
        """What is wrong with the store, without which nothing is remembered; None if nothing is."""
        return self._store_problem or self._store.notice

    @property
    def interpreter(self) -> ChosenInterpreter:
        """The Python interpreter that programs run under, and one that was left aside."""
        return self._interpreter

    @property
    def store_came_along(self) -> bool:
        """Whether the store, at a place that nobody has named, may have come with the project.

        What it holds of consents then counts for nothing.
        """
        where = Path(self._store.where)
        if self._options.store_path or not where.is_absolute():
            return False
        return may_have_come_along(where, self._options.root)

    async def pending_consent(self) -> tuple[LocalServer, ...]:
        """Local servers that were found, and on which the user has not decided yet.

        There are none if a model is configured.
        """
        return await self._supply.pending()

    def model_at(self, server: LocalServer) -> str:
        """The model that would be used at a server; empty if it lacks the one asked for."""
        return self._supply.model_at(server)

    def consents(self) -> tuple[str, ...]:
        """The addresses that the user has agreed to: base URLs, and interpreters as file URIs."""
        return consents(self._consents)

    def give_consent(self, address: str, yes: bool) -> None:
        """Remember a yes for good, and a no as long as this engine lives.

        A yes to an interpreter that was left aside takes effect with the next engine.
        """
        self._supply.answer(address, yes)

    def reconsider(self) -> None:
        """Forget every no."""
        self._supply.reconsider()

    def withdraw_consent(self, address: str) -> None:
        """Forget a yes. From the next request on, nothing is sent to that address."""
        self._supply.withdraw(address)

    async def supplied(self) -> Supplied:
        """What a check would ask now. Looks for model servers on this machine, if none is known."""
        spent = spent_today(self._store, self._settings.budget, self._today)
        return await self._supply.supplied(spent)

    def note_wanted(self, source: SourceText, wanted: Wanted | None) -> None:
        """Remember that a check is wanted, should this process end before it; None: it is done."""
        note_wanted(self._store, source, wanted)

    def wanted(self, source: SourceText) -> Wanted | None:
        """The check of this very text that a process wanted that has ended since."""
        return noted_wanted(self._store, source)

    async def probe(self) -> tuple[Probe, ...]:
        """What one tiny request to each model shows; none if there is no endpoint to ask.

        What was learnt of the models before is not used, but learnt anew.
        """
        await self._supply.find()
        asked = () if self._options.offline else self._supply.endpoints
        probes = (probe(each, self._settings, self._store, self._today) for each in asked)
        return tuple(await asyncio.gather(*probes))

    async def status(self, seconds: float = math.inf) -> EngineStatus:
        """Find out the status.

        Starts the sandbox if it is not running, and waits at most `seconds` for it.
        """
        models = await self._supply.find()
        problem = self._supply.problem
        # Each of the two may take seconds.
        confinement, statuses = await asyncio.gather(
            asyncio.to_thread(
                confinement_of, self._trials.sandbox, self._interpreter.name, seconds
            ),
            self._model_statuses(models),
        )
        return EngineStatus(
            interpreter=str(self._interpreter.name),
            models=statuses,
            model_problem=problem.message if problem else None,
            confinement=confinement.name,
            confinement_limits=confinement.limits,
            canaries=confinement.canaries,
            canary_seconds=confinement.seconds,
            passed_over=confinement.passed_over,
            confinement_problem=confinement.problem,
            remedies=confinement.remedies,
            store=self._store.where,
            notices=self._other_notices,
            today=spent_today(self._store, self._settings.budget, self._today) or Day(),
            budget=self._settings.budget,
        )

    # ----------------------------------------------------------------------------------------

    async def _model_statuses(self, models: Sequence[Model]) -> tuple[ModelStatus, ...]:
        problems = await asyncio.gather(*map(endpoint_problem, models))
        # The model of a transcript has no endpoint.
        return tuple(
            ModelStatus(model.name, problem=why)
            if each is None
            else ModelStatus(
                model.name, each.address or None, each.is_local, bool(each.command), why
            )
            for model, each, why in zip_longest(models, self._supply.endpoints, problems)
        )

    @property
    def _other_notices(self) -> tuple[str, ...]:
        """All notices except the one on confinement, about which the status says more."""
        found = (self.store_problem, self._interpreter.notice)
        return (*filter(None, found), *self._resolved.notices)

    def _file_check(self, tier: Tier, listen: Listener | None) -> FileCheck:
        return FileCheck(self._supply, self._trials, tier, listen)

    def _chosen(self) -> ChosenInterpreter:
        options = self._options
        return choose_interpreter(
            options.interpreter, options.environment, options.root, users_home(), self._may_run
        )

    def _may_run(self, program: Path) -> bool:
        """Whether the user allows an interpreter that the project names to run unconfined."""
        return self._options.trusted or has_consent(self._consents, program.as_uri())
