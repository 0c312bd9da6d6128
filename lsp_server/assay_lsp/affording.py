"""Asks before a check that would send more requests than the user wants to be sent unasked.

No check waits for the answer: one that is agreed to is requested again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import PurePath

from lsprotocol import types
from msgspec.structs import replace

from assay_engine.status import Outlook, Supplied
from assay_engine.words import count
from assay_lsp.background import Spawn
from assay_lsp.check_request import CheckRequest
from assay_lsp.consent import Ask
from assay_lsp.documents import TextDocument, key
from assay_lsp.notices import Notices
from assay_lsp.placing import Identity
from assay_lsp.report_index import ReportIndex

log = logging.getLogger(__name__)

_CHECK, _NOT_NOW = types.MessageActionItem("Check"), types.MessageActionItem("Not now")


class Affording:
    """Touched on the server's loop only. `agreed` gets a request that may now be granted."""

    def __init__(
        self,
        ask: Ask,
        report_index: ReportIndex,
        notices: Notices,
        agreed: Callable[[CheckRequest], None],
        spawn: Spawn,
    ) -> None:
        self._ask = ask
        self._report_index = report_index
        self._notices = notices
        self._agreed = agreed
        self._spawn = spawn
        # By document: the request that the question on the user's screen is about.
        self._open: dict[str, CheckRequest] = {}
        # The functions that a save need not ask about again.
        self._declined: dict[str, set[Identity]] = {}

    def undeclined(self, document: TextDocument, names: frozenset[str]) -> frozenset[str]:
        """The names without those of functions that the user did not want checked as they are."""
        declined = self._declined.get(key(document.uri), set())
        return names - {
            name for name, digest in self._identities(document) if (name, digest) in declined
        }

    def ask(self, request: CheckRequest, outlook: Outlook, supplied: Supplied) -> None:
        """Ask about a request with its names. If a question about its document is on the screen,
        the answer will be taken for this request."""
        where = key(request.document.uri)
        is_open = where in self._open
        self._open[where] = request
        if not is_open:
            self._spawn(self._put(where, outlook, supplied))

    def forget(self, uri: str) -> None:
        self._declined.pop(key(uri), None)

    async def _put(self, where: str, outlook: Outlook, supplied: Supplied) -> None:
        document = self._open[where].document
        name, functions = PurePath(document.path).name, count(outlook.functions, "function")
        requests = f"about {count(outlook.requests, 'request')}"
        question = (
            f"Assay: check {functions} of {name}? That may take up to {requests} to "
            f"{supplied.model} at {supplied.host}."
        )
        try:
            answer = await self._ask(
                types.ShowMessageRequestParams(types.MessageType.Info, question, [_CHECK, _NOT_NOW])
            )
        except Exception as refusal:
            # Not every client can ask.
            log.info("the client does not ask the user: %s", refusal)
            answer = None
            self._notices.warn(
                f"{functions} of {name} were not checked: that may take {requests}. Check single "
                "functions, or raise `askAbove`."
            )
        request = self._open.pop(where)
        if answer is not None and answer.title == _CHECK.title:
            self._declined.pop(where, None)
            self._agreed(replace(request, demanded=True, told=outlook.requests))
        else:
            identities = self._identities(request.document)
            self._declined.setdefault(where, set()).update(
                each for each in identities if request.names is None or each[0] in request.names
            )

    def _identities(self, document: TextDocument) -> list[Identity]:
        return [
            row.place.identity for row in self._report_index.rows(document.uri) if row.place.digest
        ]
