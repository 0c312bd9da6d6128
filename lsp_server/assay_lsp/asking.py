"""A requested check, and what the user may have to be asked before it: whether a model server found
on this machine may be used, and whether it may send more than `askAbove` requests.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import PurePath
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.status import Outlook, Supplied
from assay_engine.types import Tier
from assay_engine.words import count
from assay_lsp.documents import TextDocument, key
from assay_lsp.engine_access import EngineAccess, Pending
from assay_lsp.lifetime import spawn
from assay_lsp.notices import Answer, Notices, Questions
from assay_lsp.placing import Identity
from assay_lsp.report_index import ReportIndex


class CheckRequest(Struct, frozen=True):
    """A requested check. `names` are qualified names; None means the whole document, or, if only
    what has `changed` is wanted, what is new or changed since the last commit.

    `demanded` distinguishes a command from a save; `again` runs anew even if a result is stored.
    `told` is the number of requests that the user has agreed to. With an `earlier` text, only
    functions count that are as they were there, and whose docstring is finished.
    """

    document: TextDocument
    names: frozenset[str] | None = None
    changed: bool = False
    demanded: bool = False
    again: bool = False
    tier: Tier = Tier.STANDARD
    told: int = 0
    earlier: str | None = None

    def covers(self, other: CheckRequest) -> bool:
        """Whether granting this one grants the other, given the same text."""
        wide_enough = self.names is None or (other.names is not None and other.names <= self.names)
        wide_enough = wide_enough and self.changed <= other.changed
        deep_enough = self.tier is Tier.THOROUGH or other.tier is Tier.STANDARD
        return (
            wide_enough
            and deep_enough
            and self.demanded >= other.demanded
            and self.again >= other.again
            and self.told >= other.told
            and self.earlier in (None, other.earlier)
        )

    def about(self, document: TextDocument) -> bool:
        return key(self.document.uri) == key(document.uri)


log = logging.getLogger(__name__)

# How long checks wait for an answer before they go on without a model. It is counted from the
# question, so that no later check waits again. A later answer still counts.
ANSWER_SECONDS = 120.0


class Consent:
    """Before the user's yes, nothing is sent to a server that was found rather than configured."""

    def __init__(
        self, questions: Questions, given: Callable[[], None], patience: float = ANSWER_SECONDS
    ) -> None:
        """`given` is called when the user has said yes."""
        self._questions = questions
        self._given = given
        self._patience = patience
        self._asked: set[str] = set()
        self._declined: set[str] = set()
        self._asking: asyncio.Task[None] | None = None
        self._patience_ends = 0.0

    async def settle(self, engine: EngineAccess, *, demanded: bool) -> None:
        """Return when nothing is left to ask, or `ANSWER_SECONDS` after an unanswered question.
        `demanded`: the user waits for a check, and is asked again what they dismissed.

        Raises what the engine raises when it cannot be opened.
        """
        now = asyncio.get_running_loop().time()
        # One that the user demands has them asked again: the question may be hidden by now.
        if self._asking is None or self._asking.done() or demanded:
            self._asking = asyncio.create_task(self._ask_about_all(engine, demanded))
            self._patience_ends = now + self._patience
        # Not cancelled with the check that asks: the question is on the user's screen.
        await asyncio.wait([self._asking], timeout=max(0.0, self._patience_ends - now))
        if self._asking.done():
            self._asking.result()

    async def ask_again(self, engine: EngineAccess) -> bool:
        """Ask, even if the question is on the screen, or was answered by no; False if there is no
        server to ask about. Returns before the answer."""
        self._asked.clear()
        self._declined.clear()
        await engine.reconsider()
        if not await engine.pending_consent():
            return False
        self._asking = asyncio.create_task(self._ask_about_all(engine, demanded=True))
        self._patience_ends = asyncio.get_running_loop().time() + self._patience
        return True

    async def _ask_about_all(self, engine: EngineAccess, demanded: bool) -> None:
        for server in await engine.pending_consent():
            url = server.base_url
            if url in self._declined:
                # An engine that was opened since does not know the answer.
                await engine.give_consent(url, False)
                continue
            if url in self._asked and not demanded:
                continue
            self._asked.add(url)
            answer = await self._answer(server, modal=demanded)
            if answer is None:
                continue
            if not answer:
                self._declined.add(url)
            await engine.give_consent(url, answer)
            if answer:
                self._given()
                return

    async def _answer(self, server: Pending, *, modal: bool) -> bool | None:
        """The user's answer, or None if the question was dismissed."""
        model = f" ({server.model})" if server.model else ""
        question = (
            f"Assay: use {server.product} at {urlsplit(server.base_url).netloc}{model} to write "
            "other implementations?"
        )
        detail = (
            "It gets the signatures and docstrings of the functions you check, the definitions "
            "that they use (bodies only from the same file), and what a function in doubt does on "
            "a few inputs."
        )
        try:
            chosen = await self._questions.ask(
                question, (Answer.YES, Answer.NO), detail=detail, modal=modal
            )
        except Exception as refusal:
            # Not every client can ask. The reports say how to consent elsewhere.
            log.info("the client does not ask the user: %s", refusal)
            return None
        return None if chosen is None else chosen is Answer.YES


class _Question(Struct, frozen=True):
    """A question about a request with its names."""

    request: CheckRequest
    outlook: Outlook
    supplied: Supplied

    @property
    def what(self) -> str:
        how = " thoroughly" if self.request.tier is Tier.THOROUGH else ""
        names = self.request.names or ()
        if len(names) == 1:
            return f"{next(iter(names))}{how}"
        functions = count(self.outlook.functions, "function")
        return f"{functions} of {PurePath(self.request.document.path).name}{how}"

    @property
    def cost(self) -> str:
        return f"about {count(self.outlook.requests, 'request')}"

    @property
    def brief(self) -> str:
        return f"check {self.what}? {self.cost.capitalize()}"


class CostQuestions:
    """Touched on the server's loop only. `agreed` gets a request that may now be granted, and
    `changed` is called when another question is open than before."""

    def __init__(
        self,
        questions: Questions,
        report_index: ReportIndex,
        notices: Notices,
        agreed: Callable[[CheckRequest], None],
        changed: Callable[[], None],
    ) -> None:
        self._questions = questions
        self._report_index = report_index
        self._notices = notices
        self._agreed = agreed
        self._changed = changed
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
            spawn(self._put(where, modal=request.demanded))
        self._changed()

    def ask_again(self) -> bool:
        """Put every open question once more; False if there is none."""
        for where in self._open:
            spawn(self._put(where, modal=True))
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
            f"That may take {put.cost} to {put.supplied.model}"
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
                f"not checked: {put.what}. That may take {put.cost}. Check single functions, or "
                "raise `askAbove`."
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
