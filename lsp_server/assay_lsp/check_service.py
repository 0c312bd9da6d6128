"""Answers a request for a check: what it is about, may cost, how far it is, and its outcome."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import PurePath

from msgspec.structs import replace

from assay_engine.errors import AssayError
from assay_engine.files.git import GitUnusable
from assay_engine.messages.at_a_glance import checked_line, refusal_of, spent_line
from assay_engine.syntax.units import find_units
from assay_engine.types import ProblemKind, Progress, Report, SourceText, Wanted
from assay_engine.words import text_alone
from assay_lsp.asking import CheckRequest, Consent, CostQuestions
from assay_lsp.documents import Notebooks, TextDocument, key
from assay_lsp.engine_access import EngineAccess
from assay_lsp.folders import Folders
from assay_lsp.notices import Answer, Notices
from assay_lsp.progress import Bars, EditorProgressBar, Ongoing
from assay_lsp.report_index import ReportIndex

log = logging.getLogger(__name__)


class CheckService:
    """The one place where checks meet the engine, and where its failures are caught."""

    def __init__(
        self,
        folders: Folders,
        notebooks: Notebooks,
        report_index: ReportIndex,
        consent: Consent,
        cost_questions: CostQuestions,
        notices: Notices,
        ongoing: Ongoing,
        demand: Callable[[CheckRequest], None],
        bars: Bars | None,
    ) -> None:
        self._folders = folders
        self._notebooks = notebooks
        self._report_index = report_index
        self._consent = consent
        self._cost_questions = cost_questions
        self._notices = notices
        self._ongoing = ongoing
        # Asks for a check once more, because the user has said so.
        self._demand = demand
        self._bars = bars
        # By document: the last request that was not granted since the user had not said yes, with
        # the names of all functions that this left unchecked.
        self._without_consent: dict[str, CheckRequest] = {}
        # What keeps every check from being done, as the last one found it.
        self.problem: str | None = None

    async def grant(
        self, request: CheckRequest, begun: Callable[[], None], stop: Callable[[], None]
    ) -> None:
        """Grant a request. Ends normally unless it is cancelled.

        `begun` is called when this check needs nothing more from a check of a former text, and
        `stop` when the user cancels it.
        """
        document, engine = request.document, self._engine(request.document)
        with self._failures_told(
            "a check of %s failed",
            document,
            demanded=request.demanded,
            shown="the check failed; the server's log says more.",
            again=lambda: self._try_again(request),
        ):
            narrowed = await self._narrowed(request)
            if narrowed is None or not await self._may_cost(narrowed):
                return
            self._notices.warn_once(await engine.notices())
            wanted = Wanted(narrowed.names, narrowed.demanded, narrowed.again, narrowed.tier)
            await engine.note_wanted(self._source(document), wanted)
            try:
                reports = await self._check(narrowed, begun, stop)
            except Exception:
                # It will be told. Only what was cut short is made up for.
                await self.give_up(document)
                raise
            await self.give_up(document)
            # For notices that the check gave rise to: the confinement is not known before.
            self._notices.warn_once(await engine.notices())
            await self._conclude(request, reports)

    def take_without_consent(self) -> tuple[CheckRequest, ...]:
        """The requests that can be granted after all, once the user has said yes."""
        requests, self._without_consent = tuple(self._without_consent.values()), {}
        return requests

    def show_stopped(self, document: TextDocument) -> None:
        """Show that the user has cancelled the check of a document that is under way."""
        for names in self._ongoing.names_of(document.uri):
            for uri in self._notebooks.shown_in(document.uri):
                self._report_index.cancel(uri, names)

    async def give_up(self, document: TextDocument) -> None:
        """Note that no check of a document is to be made up for."""
        await self._engine(document).note_wanted(self._source(document), None)

    async def wanted(self, document: TextDocument) -> CheckRequest | None:
        """The check of a document that was wanted when a server ended before it."""
        found = None
        with self._failures_told("cannot look up what was wanted of %s", document):
            found = await self._engine(document).wanted(self._source(document))
        if found is None:
            return None
        return CheckRequest(
            document, found.names, demanded=found.demanded, again=found.again, tier=found.tier
        )

    async def recall(self, document: TextDocument) -> None:
        """Show what is stored about a document; no model, no run."""
        self._learn(document, await self.stored(document), demanded=False)

    async def stored(self, document: TextDocument) -> tuple[Report, ...]:
        """The stored reports that hold for a document; none if it is left out."""
        with self._failures_told("cannot recall reports on %s", document):
            if not await self._is_left_out(document):
                return await self._engine(document).recall(self._source(document))
        return ()

    async def review(self, document: TextDocument, reports: Sequence[Report]) -> None:
        """Take back reports shown of a document that no longer hold, and show what does: after a
        commit, the function's former version is another one, and an undo brings back what was."""
        with self._failures_told("cannot review reports on %s", document):
            outdated = await self._engine(document).outdated(self._source(document), reports)
            self._report_index.forget(document.uri, outdated)
            if outdated or self._report_index.has_lost(document.uri):
                await self.recall(document)

    async def outdated(self, document: TextDocument, reports: Sequence[Report]) -> frozenset[str]:
        """The digests of reports on functions that use something that has changed since their
        check; of all reports, if that cannot be told."""
        try:
            found = await self._engine(document).outdated(self._source(document), reports)
        except AssayError as error:
            self._tell_failure(str(error), demanded=True)
            found = reports
        return frozenset(report.digest for report in found)

    @contextmanager
    def _failures_told(
        self,
        what: str,
        document: TextDocument,
        *,
        demanded: bool = False,
        shown: str | None = None,
        again: Callable[[], None] | None = None,
    ) -> Generator[None]:
        """Report here what fails, and go on behind the block. An unforeseen error is logged as
        `what`, with the document's URI, and the user sees `shown`, if given. `again` is called if
        the user chooses to try again."""
        try:
            yield
        except AssayError as error:
            self._tell_failure(str(error), demanded=demanded, again=again)
        except Exception:
            log.exception(what, document.uri)
            if shown is not None:
                self._notices.fail(shown, Answer.TRY_AGAIN, again=again)

    async def _narrowed(self, request: CheckRequest) -> CheckRequest | None:
        """The request for what is really to be checked; None for a document that is left out, and
        where nothing has changed."""
        if not request.demanded and await self._is_left_out(request.document):
            return None
        engine, source, names = (
            self._engine(request.document),
            self._source(request.document),
            request.names,
        )
        try:
            if request.changed:
                names = self._cost_questions.undeclined(
                    request.document, await engine.changed(source)
                )
            if request.earlier is not None and names != frozenset():
                if (await asyncio.to_thread(find_units, source.text))[1]:
                    # Somebody is typing, perhaps what others use. That is saved, too.
                    return None
                settled = await engine.settled(source, request.earlier)
                names = settled if names is None else names & settled
        except AssayError as failure:
            if not isinstance(failure.__cause__, GitUnusable):
                raise
            self._notices.warn_once([f"{failure} Until then a save checks nothing; commands do."])
            return None
        return (
            replace(request, names=names, changed=False, earlier=None)
            if names != frozenset()
            else None
        )

    async def _may_cost(self, request: CheckRequest) -> bool:
        """Whether the check may send what it needs to. If not, the user is being asked."""
        engine, source = self._engine(request.document), self._source(request.document)
        outlook = await engine.outlook(
            source, request.names, again=request.again, tier=request.tier
        )
        if not outlook.functions:
            return True
        if await engine.pending_consent():
            await self._consent.settle(engine, demanded=request.demanded)
        allowed = max(self._folders.settings_of(request.document.path).ask_above, request.told)
        if outlook.requests <= allowed:
            return True
        supplied = await engine.supplied()
        if supplied.model is None or supplied.waits:
            # Nothing can be sent: the reports will say why.
            return True
        self._cost_questions.ask(request, outlook, supplied)
        return False

    async def _is_left_out(self, document: TextDocument) -> bool:
        """Whether the project excludes the document; a text in no folder belongs to no project."""
        return document.is_file and await self._engine(document).excludes(document.path)

    async def _check(
        self, request: CheckRequest, begun: Callable[[], None], stop: Callable[[], None]
    ) -> list[Report]:
        reports: dict[str, Report] = {}
        uri, name = request.document.uri, PurePath(request.document.path).name
        with self._ongoing.check(uri, request.names) as advance:
            async with EditorProgressBar(self._bars, f"Assay: {text_alone(name)}", stop) as bar:

                def learn(report: Report) -> None:
                    reports[report.qualname] = report
                    self._learn(request.document, [report], demanded=request.demanded)

                def on_report(report: Report) -> None:
                    learn(report)
                    if refusal_of(report) is not ProblemKind.NO_DOCSTRING:
                        bar.advance()
                        advance(None)

                def on_progress(step: Progress) -> None:
                    bar.step(step)
                    advance(step)

                await self._engine(request.document).check(
                    self._source(request.document),
                    request.names,
                    again=request.again,
                    tier=request.tier,
                    on_report=on_report,
                    on_opinion=learn,
                    on_progress=on_progress,
                    on_begun=begun,
                )
                bar.conclude(checked_line([*reports.values()]))
        return [*reports.values()]

    async def _conclude(self, request: CheckRequest, reports: Sequence[Report]) -> None:
        """Tell what came of a check as a whole, and why it may have come to nothing."""
        kinds = {problem.kind for report in reports for problem in report.problems}
        # Only where no model could be asked does it matter whether there is one.
        has_model = (
            ProblemKind.MODEL_UNAVAILABLE not in kinds
            or (await self._engine(request.document).supplied()).model is not None
        )
        stopping = self._notices.stopping_problems(
            reports,
            demanded=request.demanded,
            has_model=has_model,
            again=lambda: self._try_again(request),
        )
        self.problem = stopping or (None if reports else self.problem)
        without = {
            report.qualname
            for report in reports
            if any(problem.kind is ProblemKind.NO_CONSENT for problem in report.problems)
        }
        if without:
            where = key(request.document.uri)
            before = self._without_consent.get(where)
            names = frozenset(without | ((before and before.names) or frozenset()))
            self._without_consent[where] = replace(request, names=names)
        if not request.demanded or stopping:
            return
        _, faults = await asyncio.to_thread(find_units, request.document.text.content)
        if faults:
            # What stands elsewhere in the file was checked all the same.
            self._notices.warn(faults[0].message)
        if reports:
            self._notices.conclude(checked_line(reports), spent_line(reports))
        elif not faults:
            self._notices.inform("there is no function with a docstring to check here.")

    def _learn(self, document: TextDocument, reports: Sequence[Report], *, demanded: bool) -> None:
        for uri in self._notebooks.shown_in(document.uri):
            self._report_index.learn(uri, reports, demanded=demanded)

    def _engine(self, document: TextDocument) -> EngineAccess:
        return self._folders.engine_of(document.path)

    def _source(self, document: TextDocument) -> SourceText:
        document = self._notebooks.checked_with(document)
        return SourceText(
            document.path, document.text.content, self._folders.root_of(document.path)
        )

    def _try_again(self, request: CheckRequest) -> None:
        self._demand(replace(request, demanded=True))

    def _tell_failure(
        self, message: str, *, demanded: bool, again: Callable[[], None] | None = None
    ) -> None:
        if demanded:
            self._notices.warn(message, Answer.TRY_AGAIN, again=again)
        else:
            self._notices.warn_once([message])
