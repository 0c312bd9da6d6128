"""Asks before a check that would send more requests than the user wants to be sent unasked.

No check waits for the answer: one that is agreed to is requested again. The question stays open
until it is answered, even if the client no longer shows it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import PurePath

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.status import Outlook, Supplied
from assay_engine.words import count
from assay_lsp.background import Spawn
from assay_lsp.check_request import CheckRequest
from assay_lsp.documents import TextDocument, key
from assay_lsp.notices import Notices
from assay_lsp.placing import Identity
from assay_lsp.questions import Answer, Questions
from assay_lsp.report_index import ReportIndex

log = logging.getLogger(__name__)


class _Question(Struct, frozen=True):
    """A question about a request with its names."""

    request: CheckRequest
    outlook: Outlook
    supplied: Supplied

    @property
    def what(self) -> str:
        functions = count(self.outlook.functions, "function")
        return f"{functions} of {PurePath(self.request.document.path).name}"

    @property
    def cost(self) -> str:
        return f"about {count(self.outlook.requests, 'request')}"

    @property
    def brief(self) -> str:
        return f"check {self.what}? {self.cost.capitalize()}"


class Affording:
    """Touched on the server's loop only. `agreed` gets a request that may now be granted, and
    `changed` is called when another question is open than before."""

    def __init__(
        self,
        questions: Questions,
        report_index: ReportIndex,
        notices: Notices,
        agreed: Callable[[CheckRequest], None],
        changed: Callable[[], None],
        spawn: Spawn,
    ) -> None:
        self._questions = questions
        self._report_index = report_index
        self._notices = notices
        self._agreed = agreed
        self._changed = changed
        self._spawn = spawn
        # By document: the question that has no answer yet, about the newest request.
        self._open: dict[str, _Question] = {}
        # The functions that a save need not ask about again.
        self._declined: dict[str, set[Identity]] = {}

    @property
    def open_question(self) -> str | None:
        """The first question that waits for an answer, in a few words."""
        return next((each.brief for each in self._open.values()), None)

    def undeclined(self, document: TextDocument, names: frozenset[str]) -> frozenset[str]:
        """The names without those of functions that the user did not want checked as they are."""
        declined = self._declined.get(key(document.uri), set())
        return names - {
            name for name, digest in self._identities(document) if (name, digest) in declined
        }

    def ask(self, request: CheckRequest, outlook: Outlook, supplied: Supplied) -> None:
        """Ask about a request with its names. If a question about its document is open, the answer
        will be taken for this request; it is put once more if the user has demanded the check."""
        where = key(request.document.uri)
        is_open = where in self._open
        self._open[where] = _Question(request, outlook, supplied)
        if request.demanded or not is_open:
            self._spawn(self._put(where, modal=request.demanded))
        self._changed()

    def ask_again(self) -> bool:
        """Put every open question once more; False if there is none."""
        for where in self._open:
            self._spawn(self._put(where, modal=True))
        return bool(self._open)

    def forget(self, uri: str) -> None:
        """Ask nothing more about a document that is closed."""
        self._declined.pop(key(uri), None)
        if self._open.pop(key(uri), None) is not None:
            self._changed()

    async def _put(self, where: str, *, modal: bool) -> None:
        put = self._open[where]
        message = f"Assay: check {put.what}?"
        detail = (
            f"That may take up to {put.cost} to {put.supplied.model}"
            f"{f' at {put.supplied.host}' if put.supplied.host else ''}."
        )
        try:
            answer = await self._questions.ask(
                message, (Answer.CHECK, Answer.NOT_NOW), detail=detail, modal=modal
            )
        except Exception as refusal:
            # Not every client can ask.
            log.info("the client does not ask the user: %s", refusal)
            answer = None
            self._notices.warn(
                f"{put.what} were not checked: that may take {put.cost}. Check single functions, "
                "or raise `askAbove`."
            )
        # The same question may have been put twice: a yes counts in any case.
        asked = self._open.pop(where, None)
        request, identities = (asked or put).request, self._identities(put.request.document)
        if answer is Answer.CHECK:
            self._declined.pop(where, None)
            self._agreed(replace(request, demanded=True, told=put.outlook.requests))
        elif asked is not None:
            self._declined.setdefault(where, set()).update(
                each for each in identities if request.names is None or each[0] in request.names
            )
        self._changed()

    def _identities(self, document: TextDocument) -> list[Identity]:
        return [
            row.place.identity for row in self._report_index.rows(document.uri) if row.place.digest
        ]
