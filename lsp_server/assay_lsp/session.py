"""The session: the state from `initialize` to `exit`, and how its parts are put together."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import cast

import msgspec
from pygls.lsp.server import LanguageServer

from assay_engine.errors import AssayError
from assay_engine.files.source_files import UnreadableFile
from assay_lsp import logs, standing
from assay_lsp.asking import CheckRequest, Consent, CostQuestions
from assay_lsp.check_service import CheckService
from assay_lsp.checks import Checks
from assay_lsp.client import Client, ClientSettings, offers
from assay_lsp.documents import Documents, Notebooks, TextDocument, read_document
from assay_lsp.engine_access import EngineAccess
from assay_lsp.folders import Folders, OpenEngine
from assay_lsp.lifetime import EvidenceFolder, spawn
from assay_lsp.notices import Notices, Questions
from assay_lsp.progress import Ongoing
from assay_lsp.protocol import Protocol
from assay_lsp.publishing import Publisher, Refreshing
from assay_lsp.report_index import ReportIndex
from assay_lsp.settings import ServerSettings, resolve
from assay_lsp.standing import ServerState, Telling
from assay_lsp.watching import Watching

# How many files are looked up when a folder is opened, each of which takes about 0.2 s.
RECALLED_MAX = 30


class Session:
    """The server's state. Touched on the server's loop only."""

    def __init__(
        self,
        server: LanguageServer,
        client: Client,
        *,
        options: object,
        folders: Sequence[str],
        environment: Mapping[str, str],
        open_engine: OpenEngine,
    ) -> None:
        self._options = options
        self._environment = environment
        self.client = client
        self.client_settings = ClientSettings(self._take_in)
        send = cast("Protocol", server.protocol).ask
        self.questions = Questions(server.window_show_message_request_async, send, client.asks)
        models = offers(client, send)
        self.folders = Folders(folders, self._resolved, open_engine, models)
        self.documents = Documents()
        self.notebooks = Notebooks(self.documents)
        notify = server.protocol.notify if client.wants_outcomes else None
        self.notices = Notices(server.window_show_message, self.questions, notify)
        complaints = self.folders.resolve()
        self._logged_for = self.settings
        logs.RequestLines(server.window_log_message, asyncio.get_running_loop(), environment)
        self._lenses = Refreshing(
            lambda: server.workspace_code_lens_refresh_async(None),
            works=client.refreshes_lenses,
        )
        pulled = Refreshing(
            lambda: server.workspace_diagnostic_refresh_async(None),
            works=client.pulls_diagnostics,
        )
        self.publisher = Publisher(client, server.text_document_publish_diagnostics, pulled.due)
        self.report_index = ReportIndex(self.publisher, self._changed)
        self.ongoing = Ongoing(asyncio.get_running_loop().time, self._changed)
        self.consent = Consent(self.questions, self._consented)
        self.cost_questions = CostQuestions(
            self.questions,
            self.report_index,
            self.notices,
            self._agreed,
            self._changed,
        )
        self.check_service = CheckService(
            self.folders,
            self.notebooks,
            self.report_index,
            self.consent,
            self.cost_questions,
            self.notices,
            self.ongoing,
            self._agreed,
            server.work_done_progress if client.shows_progress else None,
        )
        self.checks = Checks(
            self.check_service,
            self.folders,
            self.documents,
            self.client_settings,
            self.notices,
        )
        self.evidence = EvidenceFolder()
        self.watching = Watching(self)
        self._telling = Telling(
            self.standing,
            lambda found: server.protocol.notify(standing.METHOD, msgspec.to_builtins(found)),
        )
        # Messages have to wait until the client has its answer to `initialize`.
        self._complaints = [*complaints, *filter(None, [logs.set_up(self.settings, environment)])]
        # The folders whose stored findings are shown.
        self._recalled: set[str] = set()

    @property
    def settings(self) -> ServerSettings:
        """The settings of the first workspace folder."""
        return self.folders.settings

    @property
    def engine(self) -> EngineAccess:
        """The engine for the Python document that the client mentioned last."""
        for document in reversed([*self.documents]):
            if document.is_python:
                return self.folders.engine_of(document.path)
        return self.folders.engine_at(self.folders.root)

    async def ready(self) -> None:
        """Wait for the client's settings; reopen engines whose project's own have changed."""
        await self.client_settings.known()
        if await self.folders.outdated():
            # Runs to its end, even if the command that waits for it is cancelled.
            await asyncio.shield(spawn(self._renew()))

    async def _renew(self) -> None:
        async with self.client_settings.changing:
            # If another `_renew` has done this meanwhile, nothing is left to do.
            if outdated := await self.folders.outdated():
                self.notices.forget()
                await self._reopen(outdated)
                self._recall_workspace()

    def change_folders(self, removed: Collection[str], added: Sequence[str]) -> None:
        """Take in the workspace's folders; other ones have other settings, which are read next."""
        self.folders.change(removed, added)
        self.folders.resolve()
        for document, _ in self.report_index:
            # The editor itself reports the closing of open documents.
            path = PurePath(document.path)
            has_left = any(map(path.is_relative_to, removed)) and (
                self.folders.root_of(document.path) is None
            )
            if has_left and self.documents.get(document.uri) is None:
                self.forget(document.uri)

    def _resolved(self, root: str | None) -> tuple[ServerSettings, tuple[str, ...]]:
        return resolve(self._options, self.client_settings.section_of(root), root=root)

    async def _take_in(self) -> None:
        complaints, self._complaints = [*self._complaints, *self.folders.resolve()], []
        resettled = self.folders.resettled
        if self.settings != self._logged_for:
            self._logged_for = self.settings
            complaints += filter(None, [logs.set_up(self.settings, self._environment)])
            self.notices.forget()
        self.notices.warn_once_together(complaints)
        if resettled:
            await self._reopen(resettled)
        self._recall_workspace()
        # Whether there are lenses at all is a setting.
        self._lenses.due()
        self._changed()

    async def _reopen(self, roots: Collection[str | None]) -> None:
        """Go on with other engines: recall what is stored on documents, and repeat the requests."""
        unfinished = self.checks.unfinished
        await self.checks.cancel_all()
        await self.folders.reopen(roots)
        for document in self.report_index.documents:
            spawn(self.recall(document))
        self._recalled -= {*roots}
        self.checks.repeat(unfinished)

    def _recall_workspace(self) -> None:
        """Show what is stored about files of the workspace that nobody has opened, in the
        background. Nothing is run or sent, and only files that the store names are read."""

        async def recall(root: str) -> None:
            with suppress(AssayError):
                for path in await self.folders.engine_at(root).files_with_findings(RECALLED_MAX):
                    await self._recall_file(Path(path).as_uri())

        for root in self.folders.paths:
            if self.folders.settings_of(root).may_run and root not in self._recalled:
                self._recalled.add(root)
                spawn(recall(root))

    async def _recall_file(self, uri: str) -> None:
        """Show what is stored about a file that is not open, if something was found in it."""
        if self.report_index.document(uri) is not None:
            return
        with suppress(UnreadableFile):
            document = await asyncio.to_thread(read_document, uri)
            reports = await self.check_service.stored(document)
            found = any(report.findings for report in reports)
            if found and self.report_index.document(uri) is None:
                self.report_index.open(document)
                self.report_index.learn(uri, reports, demanded=False)
                self.watching.opened(document)

    async def opened(self, document: TextDocument) -> None:
        """Show what is stored about a document, and make up for a check that was cut short."""
        await self.recall(document)
        if document.is_python and self.folders.settings_of(document.path).may_run:
            request = await self.check_service.wanted(document)
            is_open = self.documents.get(document.uri) is document
            if request is not None and (is_open or self.notebooks.cells(document.uri)):
                self.checks.request(request)

    async def recall(self, document: TextDocument) -> None:
        """Show what is stored about a document. This runs and sends nothing."""
        if document.is_python:
            await self.check_service.recall(document)
            self._changed()

    def close(self, uri: str) -> None:
        """Show of a document that is closed only what is stored about its file."""
        document = self.documents.get(uri)
        self.forget(uri)
        if document is not None and document.is_file and document.is_python:
            settings = self.folders.settings_of(document.path)
            if settings.may_run and self.folders.root_of(document.path) is not None:
                spawn(self._recall_file(uri))

    def forget(self, uri: str) -> None:
        """Show nothing more about a document that is closed or whose file is gone."""
        self.documents.close(uri)
        self.checks.forget(uri)
        self.report_index.close(uri)
        self.watching.forget(uri)
        self.cost_questions.forget(uri)

    def lose(self, uri: str) -> None:
        """Forget a document of which a change could not be read: findings shown and places to edit
        may have moved."""
        document = self.documents.get(uri)
        if document is not None:
            self.forget(uri)
            self.documents.lose(document)
            self.notices.warn(
                f"a change of {PurePath(document.path).name} that the editor sent cannot be read. "
                "Close the file and open it again."
            )

    def stop(self, seconds: float) -> None:
        """Close the engines; blocks, but not for longer than `seconds`."""
        self.watching.stop()
        self.evidence.remove()
        self.folders.stop(seconds)

    async def standing(self) -> ServerState:
        """Where the server stands, for the document that the client mentioned last."""
        problem, supplied = self.check_service.problem, None
        if self.settings.may_run:
            try:
                supplied = await self.engine.supplied()
            except AssayError as failure:
                problem = str(failure)
        return standing.standing(
            may_run=self.settings.may_run,
            advance=self.ongoing.advance,
            problem=problem,
            supplied=supplied,
            tally=self.report_index.tally(),
            refusals=self.report_index.refusals(),
            question=self.cost_questions.open_question,
        )

    def _changed(self) -> None:
        """Something that a client may show is another now."""
        if self.settings.code_lens:
            self._lenses.due()
        if self.client.wants_status:
            self._telling.due()

    def _agreed(self, request: CheckRequest) -> None:
        """Check because the user has said so."""
        self.checks.demand(request)

    def _consented(self) -> None:
        """Check what was not checked before the user had said yes."""
        self.checks.repeat(self.check_service.take_without_consent())
