"""The session: the state from `initialize` to `exit`, and how its parts are put together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import PurePath

from msgspec.structs import replace
from pygls.lsp.server import LanguageServer

from assay_lsp import logs
from assay_lsp.board import Board
from assay_lsp.checks import Checks, Wish
from assay_lsp.client import Client
from assay_lsp.client_settings import ClientSettings
from assay_lsp.consent import Consent
from assay_lsp.documents import Document, Documents, key
from assay_lsp.engine_access import Engine, EngineAccess
from assay_lsp.evidence import EvidenceFolder
from assay_lsp.granting import Granting
from assay_lsp.notices import Notices
from assay_lsp.publishing import Publisher
from assay_lsp.reviewing import Reviewing
from assay_lsp.settings import Settings, Trigger, resolve
from assay_lsp.tasks import Spawn, Tasks
from assay_lsp.watching import Watching

OpenEngine = Callable[[Settings, str | None], Engine]


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
        self._open_engine = open_engine
        self.spawn: Spawn = Tasks().spawn
        # Held while settings change: a save meanwhile is checked with the new ones.
        self._changing = asyncio.Lock()
        # The text that was last checked because of a save, by document.
        self._checked: dict[str, str] = {}
        self.client = client
        self.client_settings = ClientSettings(self._changing, self._take_in, self.spawn)
        self.folders = list(folders)
        self.documents = Documents()
        self.notices = Notices(server.window_show_message)
        self.settings, complaints = resolve(options, None, root=self.root)
        # The settings and root that the engine is opened with.
        self._opened_for = (self.settings, self.root)
        self.engine = EngineAccess(self._opener())
        self.board = Board(Publisher(client, server.text_document_publish_diagnostics))
        self.granting = Granting(
            self.engine,
            self.board,
            Consent(self.engine, server.window_show_message_request_async),
            self.notices,
            bars=server.work_done_progress if client.shows_progress else None,
            root_of=self.root_of,
        )
        self.checks = Checks(self.granting.grant)
        self.evidence = EvidenceFolder()
        self.reviewing = Reviewing(
            self.board,
            self.checks,
            self.granting,
            self.spawn,
            may_run=lambda: self.settings.may_run,
        )
        self.watching = Watching(self)
        # Messages have to wait until the client has its answer to `initialize`.
        self._complaints = [*complaints, *filter(None, [logs.set_up(self.settings, environment)])]

    @property
    def root(self) -> str | None:
        """The first workspace folder: its settings count, and relative paths start there."""
        return self.folders[0] if self.folders else None

    def root_of(self, path: str) -> str | None:
        """The innermost workspace folder that holds a path."""
        around = [folder for folder in self.folders if PurePath(path).is_relative_to(folder)]
        return max(around, key=len, default=None)

    async def ready(self) -> None:
        """Wait for the client's settings; reopen the engine if the project's own have changed."""
        await self.client_settings.known()
        if not await self.engine.is_current():
            # Runs to its end, even if the command that waits for it is cancelled.
            await asyncio.shield(self.spawn(self._renew()))

    async def _renew(self) -> None:
        async with self._changing:
            # If another `_renew` has done this meanwhile, nothing is left to do.
            if not await self.engine.is_current():
                self.notices.forget()
                await self._reopen()

    async def change_folders(self, removed: Collection[str], added: Sequence[str]) -> None:
        """Take in the workspace's folders; another first one means other settings and another
        project."""
        kept = [folder for folder in self.folders if folder not in removed]
        self.folders = [*kept, *(path for path in added if path not in kept)]
        for document, _ in self.board:
            # The editor itself reports the closing of open documents.
            if self.documents.get(document.uri) is None and self._has_left(document, removed):
                self.forget(document.uri)
        async with self._changing:
            await self._take_in()

    def _has_left(self, document: Document, removed: Collection[str]) -> bool:
        """Whether a document lies in a removed folder, and in none that is left."""
        path = PurePath(document.path)
        return any(map(path.is_relative_to, removed)) and self.root_of(document.path) is None

    async def _take_in(self) -> None:
        self.settings, found = resolve(self._options, self.client_settings.section, root=self.root)
        complaints, self._complaints = [*self._complaints, *found], []
        former, self._opened_for = self._opened_for, (self.settings, self.root)
        changed = former != self._opened_for
        if changed:
            self.notices.forget()
            complaints += filter(None, [logs.set_up(self.settings, self._environment)])
        self.notices.warn_once_together(complaints)
        if changed:
            await self._reopen()

    async def _reopen(self) -> None:
        """Go on with another engine: recall what is stored on documents, and repeat the wishes."""
        wished = self.checks.wished
        await self.checks.cancel_all()
        await self.engine.reopen(self._opener())
        for document in self.documents:
            self.spawn(self.recall(document))
        for wish in wished:
            self.spawn(self._request_later(wish))

    async def recall(self, document: Document) -> None:
        """Show what is stored about a document."""
        if self.settings.may_run and document.is_python:
            await self.granting.recall(document)

    def check_saved(self, document: Document) -> None:
        """Check a document because it has been saved, if the settings say so."""
        if self.settings.may_run and self.settings.trigger is Trigger.SAVE and document.is_python:
            self._checked[key(document.uri)] = document.text.content
            patience = self.client_settings.patience
            if patience is None:
                self._request(Wish(document))
            else:
                self.spawn(self._request_answered(Wish(document), patience))

    def was_checked(self, document: Document) -> bool:
        """Whether a save has asked for a check of this very text."""
        return self._checked.get(key(document.uri)) == document.text.content

    def forget(self, uri: str) -> None:
        """Show nothing more about a document that is closed or whose file is gone."""
        self.documents.close(uri)
        self.checks.cancel(uri)
        self.board.close(uri)
        self.watching.forget(uri)
        self._checked.pop(key(uri), None)

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

    def check_demanded(self, wish: Wish) -> None:
        """Check because the user demanded it; the command has made sure that checks may run."""
        self._request(wish)

    def stop(self, seconds: float) -> None:
        """Close the engine; blocks, but not for longer than `seconds`."""
        self.watching.stop()
        self.evidence.remove()
        self.engine.stop(seconds)

    def _request(self, wish: Wish) -> None:
        if self._changing.locked():
            # A check started now would lose its engine.
            self.spawn(self._request_later(wish))
        elif not self.checks.request(wish):
            self.notices.warn_once(["too many files wait to be checked; later ones are left out."])

    async def _request_answered(self, wish: Wish, patience: asyncio.Task[None]) -> None:
        """Ask for a check once the client has sent its settings, or takes too long to."""
        await asyncio.wait([patience])
        await self._request_later(wish)

    async def _request_later(self, wish: Wish) -> None:
        """Ask for a check once the settings are known, if they allow it and nobody has saved or
        closed the document meanwhile."""
        await self.client_settings.known()
        document = wish.document
        if not wish.demanded:
            if self.was_checked(document):
                self.check_saved(document)
        elif self.settings.may_run:
            newest = self.documents.get(document.uri) or document
            self._request(replace(wish, document=newest))

    def _opener(self) -> Callable[[], Engine]:
        settings, root = self.settings, self.root
        return lambda: self._open_engine(settings, root)
