"""Grants a wish: consent where a model is needed, the check with its progress, and its outcome."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import PurePath
from typing import TypeVar

from assay_engine.errors import AssayError
from assay_engine.reading.units import find_units
from assay_engine.types import Progress, Report, SourceText
from assay_engine.words import count
from assay_lsp.board import Board
from assay_lsp.checks import Wish
from assay_lsp.consent import Consent
from assay_lsp.documents import Document
from assay_lsp.engine_access import EngineAccess
from assay_lsp.notices import Notices
from assay_lsp.placing import Known
from assay_lsp.progress import Bars, ProgressBar

log = logging.getLogger(__name__)

_Result = TypeVar("_Result")


class Granting:
    """The one place where checks meet the engine, and where its failures are caught."""

    def __init__(
        self,
        engine: EngineAccess,
        board: Board,
        consent: Consent,
        notices: Notices,
        *,
        bars: Bars | None,
        root_of: Callable[[str], str | None],
    ) -> None:
        self._engine = engine
        self._board = board
        self._consent = consent
        self._notices = notices
        self._bars = bars
        self._root_of = root_of

    async def grant(self, wish: Wish, begun: Callable[[], None], stop: Callable[[], None]) -> None:
        """Grant a wish. Ends normally unless it is cancelled.

        `begun` is called when this check needs nothing more from a check of a former text, and
        `stop` when the user cancels it.
        """
        reports = await self._unless_it_fails(
            self._granted(wish, begun, stop),
            "a check of %s failed",
            wish.document,
            demanded=wish.demanded,
            shown="the check failed; the server's log says more.",
        )
        if reports is None:
            return
        self._notices.stopping_problems(reports, demanded=wish.demanded)
        if wish.demanded and not reports:
            _, faults = await asyncio.to_thread(find_units, wish.document.text.content)
            nothing = "there is no function with a docstring to check here."
            self._notices.inform(faults[0].message if faults else nothing)

    async def recall(self, document: Document) -> None:
        """Show what is stored about a document, unless it is left out; no model, no run."""
        work = self._recalled(document)
        reports = await self._unless_it_fails(work, "cannot recall reports on %s", document)
        if reports is not None:
            self._board.learn(document.uri, reports, demanded=False)

    async def review(self, document: Document, reports: Sequence[Report]) -> None:
        """Take back reports shown of a document that no longer hold."""
        work = self._outdated(document, reports)
        outdated = await self._unless_it_fails(work, "cannot review reports on %s", document)
        if outdated is not None:
            self._board.forget(document.uri, outdated)

    async def outdated(self, document: Document, reports: Sequence[Report]) -> frozenset[str]:
        """The digests of reports on functions that use something that has changed since their
        check; of all reports, if that cannot be told."""
        try:
            found = await self._outdated(document, reports)
        except AssayError as error:
            self._tell_failure(str(error), demanded=True)
            found = reports
        return frozenset(report.digest for report in found)

    async def _unless_it_fails(
        self,
        work: Awaitable[_Result],
        what: str,
        document: Document,
        *,
        demanded: bool = False,
        shown: str | None = None,
    ) -> _Result | None:
        """The result of the work; None if it fails, which is reported here. An unforeseen error is
        logged as `what`, with the document's URI, and the user sees `shown`, if given."""
        try:
            return await work
        except AssayError as error:
            self._tell_failure(str(error), demanded=demanded)
        except Exception:
            log.exception(what, document.uri)
            if shown is not None:
                self._notices.fail(shown)
        return None

    async def _granted(
        self, wish: Wish, begun: Callable[[], None], stop: Callable[[], None]
    ) -> list[Report] | None:
        """The reports of the check; None for a document that is left out."""
        if not wish.demanded and await self._is_left_out(wish.document):
            return None
        # The first condition is rare and quickly known; the second looks at every function.
        if await self._engine.pending_consent() and await self._needs_model(wish):
            await self._consent.settle(demanded=wish.demanded)
        self._notices.warn_once(await self._engine.notices())
        reports = await self._check(wish, begun, stop)
        # For notices that the check gave rise to: the confinement is not known before.
        self._notices.warn_once(await self._engine.notices())
        return reports

    async def _recalled(self, document: Document) -> Sequence[Report] | None:
        """The stored reports; None for a document that is left out."""
        if await self._is_left_out(document):
            return None
        return await self._engine.recall(self._source(document))

    async def _outdated(self, document: Document, reports: Sequence[Report]) -> Sequence[Report]:
        return await self._engine.outdated(self._source(document), reports)

    async def _is_left_out(self, document: Document) -> bool:
        """Whether the project excludes the document; a text in no folder belongs to no project."""
        return document.is_file and await self._engine.excludes(document.path)

    async def _needs_model(self, wish: Wish) -> bool:
        source = self._source(wish.document)
        return await self._engine.needs_model(source, wish.names, again=wish.again, tier=wish.tier)

    async def _check(
        self, wish: Wish, begun: Callable[[], None], stop: Callable[[], None]
    ) -> list[Report]:
        reports: list[Report] = []
        name = PurePath(wish.document.path).name
        async with ProgressBar(self._bars, f"Assay: {name}", stop) as bar:

            def on_report(report: Report) -> None:
                reports.append(report)
                bar.advance()
                self._board.learn(wish.document.uri, [report], demanded=wish.demanded)

            def on_opinion(report: Report) -> None:
                reports[:] = [each for each in reports if each.qualname != report.qualname]
                reports.append(report)
                self._board.learn(wish.document.uri, [report], demanded=wish.demanded)

            def on_progress(step: Progress) -> None:
                bar.step(step)

            await self._engine.check(
                self._source(wish.document),
                wish.names,
                again=wish.again,
                tier=wish.tier,
                on_report=on_report,
                on_opinion=on_opinion,
                on_progress=on_progress,
                on_begun=begun,
            )
            bar.conclude(_conclusion(Known(each, wish.demanded) for each in reports))
        return reports

    def _source(self, document: Document) -> SourceText:
        return SourceText(document.path, document.text.content, self._root_of(document.path))

    def _tell_failure(self, message: str, *, demanded: bool) -> None:
        if demanded:
            self._notices.warn(message)
        else:
            self._notices.warn_once([message])


def _conclusion(reports: Iterable[Known]) -> str:
    """The number of functions checked, and of findings shown of them, in words."""
    shown = [len([*known.findings]) for known in reports]
    return f"{count(len(shown), 'function')}, {count(sum(shown), 'finding')}"
