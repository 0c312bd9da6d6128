"""The checks that are asked for: when each begins, and all that ends one.

A save asks for one, and so do a command, and an engine or a consent that is new. There is one check
per document at a time, and the newest text wins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.syntax.units import find_units
from assay_lsp.asking import CheckRequest
from assay_lsp.check_service import CheckService
from assay_lsp.client import ClientSettings
from assay_lsp.documents import Documents, TextDocument, key
from assay_lsp.folders import Folders
from assay_lsp.lifetime import spawn
from assay_lsp.notices import Notices
from assay_lsp.settings import Trigger

# A second check goes on while the first waits for a slow model; the engine spreads each by itself.
RUNNING_MAX = 2
# How long a function has to be left alone before a save that nobody made checks it.
REST_SECONDS = 4.0
# Files that may wait. A user who saves more at once has replaced a tree, not edited it.
WAITING_MAX = 64


class _Run(Struct):
    request: CheckRequest
    task: asyncio.Task[None]
    # The check of a former text, which may not end before this one has begun.
    former: asyncio.Task[None] | None = None
    begun: bool = False

    @property
    def ending(self) -> bool:
        return self.task.cancelling() > 0

    def hand_over(self) -> asyncio.Task[None]:
        """The check that has the trials under way, and that the next one takes over."""
        if self.begun or self.former is None:
            return self.task
        # It has taken nothing over yet: all trials are still with the check before it.
        self.task.cancel()
        return self.former

    def end_former(self) -> None:
        if self.former is not None:
            self.former.cancel()
            self.former = None


class Checks:
    """Grants requests, in order. Touched on the server's loop only."""

    def __init__(
        self,
        check_service: CheckService,
        folders: Folders,
        documents: Documents,
        client_settings: ClientSettings,
        notices: Notices,
    ) -> None:
        self._check_service = check_service
        self._folders = folders
        self._documents = documents
        self._client_settings = client_settings
        self._notices = notices
        # The text that was last to be checked because of a save, by document.
        self._saved: dict[str, str] = {}
        # The documents that the editor is about to save by itself.
        self._unattended: set[str] = set()
        self._waiting: list[CheckRequest] = []
        # What has rested while its document was checked, and waits for the end of that.
        self._rested: dict[str, CheckRequest] = {}
        self._running: dict[str, _Run] = {}
        # All tasks that have not ended, including those of former texts.
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def running(self) -> int:
        return len(self._running)

    @property
    def unfinished(self) -> tuple[CheckRequest, ...]:
        """The requests that run or wait, except for cancelled ones."""
        runs = (run.request for run in self._running.values() if not run.ending)
        return (*runs, *self._waiting)

    # ---------------------------------------------------------------------------------- asking

    def save(self, document: TextDocument, *, unattended: bool = False) -> None:
        """Check a document because it has been saved, if the settings say so. If the editor has
        saved it by itself, what the user has left alone since is checked in a while."""
        settings = self._folders.settings_of(document.path)
        if settings.may_run and settings.trigger is not Trigger.MANUAL and document.is_python:
            self._saved[key(document.uri)] = document.text.content
            request = CheckRequest(document, changed=settings.trigger is Trigger.CHANGED)
            if unattended or key(document.uri) in self._unattended:
                spawn(self._rest(request))
            else:
                self.request(request, self._client_settings.patience)

    def will_save(self, uri: str, *, unattended: bool) -> None:
        """Note whether the editor is about to save a document by itself."""
        if unattended:
            self._unattended.add(key(uri))
        else:
            self._unattended.discard(key(uri))

    def has_saved(self, uri: str) -> bool:
        """Note that the editor has saved a document; returns whether it did so by itself. What is
        written to the file from now on has not been written by the editor."""
        unattended = key(uri) in self._unattended
        self._unattended.discard(key(uri))
        return unattended

    async def _rest(self, request: CheckRequest) -> None:
        """Ask for the check of what is still in the state that was saved. What has changed since
        is left to the save of that."""
        # In slices: what the editor has sent while the machine stood still is read in between.
        for _ in range(8):
            await asyncio.sleep(REST_SECONDS / 8)
        where, saved = key(request.document.uri), request.document.text.content
        request, run = replace(request, earlier=saved), self._running.get(where)
        alike = run is not None and await asyncio.to_thread(
            _asks_alike, run.request.document.text.content, saved
        )
        if alike and where in self._running:
            # A check now would end the trials of what is being typed, and lose replies that are
            # paid and would do. The newest save's request stands for those before it.
            self._rested[where] = request
        else:
            self._rested.pop(where, None)
            self._go_on(request)

    def _go_on(self, rested: CheckRequest) -> None:
        newest = self._documents.get(rested.document.uri)
        if newest is not None and self._folders.settings_of(newest.path).may_run:
            self.request(replace(rested, document=newest))

    def was_saved(self, document: TextDocument) -> bool:
        """Whether a save has asked for a check of this very text."""
        return self._saved.get(key(document.uri)) == document.text.content

    def demand(self, request: CheckRequest) -> None:
        """Check because the user demanded it; the command has made sure that checks may run."""
        newest = self._documents.get(request.document.uri) or request.document
        self.request(replace(request, document=newest))

    def repeat(self, requests: Iterable[CheckRequest]) -> None:
        """Ask once more for checks that something has kept from their end."""
        for request in requests:
            spawn(self._request_later(request, None))

    def request(self, request: CheckRequest, patience: asyncio.Task[None] | None = None) -> None:
        """Have the request granted on the newest text, after `patience` if that is given.

        A check of an older text of the same document is handed over to one of the newest: trials of
        unchanged functions continue, and the others end.
        """
        document = request.document
        if patience is not None or self._client_settings.changing.locked():
            # A check started now would lose its engine, or do what the client's settings forbid.
            spawn(self._request_later(request, patience))
            return
        self._waiting = [
            replace(each, document=document) if each.about(document) else each
            for each in self._waiting
        ]
        run = self._running.get(key(document.uri))
        if run is not None and not run.ending:
            if run.request.document.text.content != document.text.content:
                run = self._start(replace(run.request, document=document), run.hand_over())
            if run.request.covers(request):
                return
        if not any(each.about(document) and each.covers(request) for each in self._waiting):
            if len(self._waiting) < WAITING_MAX:
                self._waiting.append(request)
            else:
                self._notices.warn_once(
                    ["too many files wait to be checked; later ones are left out."]
                )
        self._start_next()

    async def _request_later(
        self, request: CheckRequest, patience: asyncio.Task[None] | None
    ) -> None:
        """Ask for a check once the settings are known, if they allow it and nobody has saved or
        closed the document meanwhile."""
        if patience is not None:
            await asyncio.wait([patience])
        await self._client_settings.known()
        if not request.demanded:
            if self.was_saved(request.document):
                self.save(request.document)
        elif self._folders.settings_of(request.document.path).may_run:
            self.demand(request)

    def _start_next(self) -> None:
        for request in tuple(self._waiting):
            if len(self._running) < RUNNING_MAX and key(request.document.uri) not in self._running:
                self._waiting.remove(request)
                self._start(request, None)

    def _start(self, request: CheckRequest, former: asyncio.Task[None] | None) -> _Run:
        def begun() -> None:
            run.begun = True
            run.end_former()

        stop = partial(self.stop, request.document)
        task = asyncio.create_task(self._check_service.grant(request, begun, stop))
        run = _Run(request, task, former)
        self._running[key(request.document.uri)] = run
        self._tasks.add(task)
        # Not a `finally` inside the task: one cancelled before its first step has none.
        task.add_done_callback(lambda _: self._ended(run))
        return run

    def _ended(self, run: _Run) -> None:
        self._tasks.discard(run.task)
        where = key(run.request.document.uri)
        if self._running.get(where) is run:
            run.end_former()
            del self._running[where]
            if (rested := self._rested.pop(where, None)) is not None:
                self._go_on(rested)
        self._start_next()

    # ---------------------------------------------------------------------------------- ending

    def cancel(self, uri: str) -> None:
        """End the check of a document, and forget the requests that wait for it."""
        self._waiting = [each for each in self._waiting if key(each.document.uri) != key(uri)]
        if run := self._running.get(key(uri)):
            run.task.cancel()
            run.end_former()

    def forget(self, uri: str) -> None:
        """End the check of a document that is closed or whose file is gone."""
        self.cancel(uri)
        self._saved.pop(key(uri), None)
        self._rested.pop(key(uri), None)
        self._unattended.discard(key(uri))

    async def cancel_all(self) -> int:
        """End every check; when all have ended, return how many there were."""
        count = self.waiting + self.running
        self._waiting.clear()
        self._rested.clear()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return count

    def stop(self, document: TextDocument) -> None:
        """End the check of a document because the user wants that: it is not to be made up for."""
        self._give_up(document)
        self.cancel(document.uri)

    async def stop_all(self) -> int:
        """End every check because the user wants that; returns how many there were."""
        for request in self.unfinished:
            self._give_up(request.document)
        return await self.cancel_all()

    def _give_up(self, document: TextDocument) -> None:
        self._check_service.show_stopped(document)
        spawn(self._check_service.give_up(document))


def _asks_alike(one: str, other: str) -> bool:
    """Whether the functions of a text are in the other one, too, with the same docstrings."""
    now = {unit.qualname: unit.docstring for unit in find_units(other)[0]}
    return all(now.get(unit.qualname) == unit.docstring for unit in find_units(one)[0])
