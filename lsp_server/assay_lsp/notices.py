"""Messages to the user, each one once unless they ask again, and questions, with buttons."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from enum import StrEnum
from typing import Any, cast

from lsprotocol import types

from assay_engine.advice import Advice
from assay_engine.types import ProblemKind, Report
from assay_engine.words import text_alone
from assay_lsp.lifetime import spawn

# For clients that show questions, and what checks came to, in a way of their own: docs/protocol.md.
METHOD = "assay/ask"
OUTCOME = "assay/outcome"


class Answer(StrEnum):
    """What a button says; its name in the protocol is the member's."""

    YES = "Yes"
    NO = "No"
    CHECK = "Check"
    NOT_NOW = "Not now"
    TRY_AGAIN = "Try Again"
    # The client itself does what these say.
    SET_UP_MODEL = "Set Up a Model"
    TRUST = "Trust"
    RAISE_LIMIT = "Raise the Limit"

    @property
    def id(self) -> str:
        first, *rest = self.name.split("_")
        return first.lower() + "".join(word.capitalize() for word in rest)


_OF_THE_CLIENT = frozenset({Answer.SET_UP_MODEL, Answer.TRUST, Answer.RAISE_LIMIT})

Ask = Callable[[types.ShowMessageRequestParams], Awaitable[types.MessageActionItem | None]]
# Sends a request of this server's own.
Send = Callable[[str, object], Awaitable[Any]]


class Questions:
    """Touched on the server's loop only."""

    def __init__(self, ask: Ask, send: Send, asks: Collection[str] | None) -> None:
        """`asks` are the answers that the client can act upon, by id; None: it does not know
        `assay/ask`, and `ask` is the protocol's own question."""
        self._ask = ask
        self._send = send
        self._asks = asks

    def offered(self, *answers: Answer) -> tuple[Answer, ...]:
        """Those of the buttons that a message to this client can have."""
        if self._asks is None:
            return ()
        asks = self._asks
        return tuple(each for each in answers if each not in _OF_THE_CLIENT or each.id in asks)

    async def ask(
        self,
        message: str,
        answers: Collection[Answer],
        *,
        detail: str = "",
        modal: bool = False,
        kind: types.MessageType = types.MessageType.Info,
    ) -> Answer | None:
        """The user's answer; None if the question was dismissed. `modal`: the user has just asked
        for something that depends on the answer. Raises if the client cannot ask."""
        if self._asks is None:
            together = " ".join(filter(None, (message, detail)))
            items = [types.MessageActionItem(each) for each in answers]
            chosen = await self._ask(types.ShowMessageRequestParams(kind, together, items))
            return next((each for each in answers if chosen and chosen.title == each), None)
        found = await self._send(
            METHOD,
            {
                "type": kind.value,
                "message": text_alone(message),
                "detail": text_alone(detail),
                "modal": modal,
                "answers": [{"id": each.id, "title": each.value} for each in answers],
            },
        )
        identifier = cast("object", getattr(found, "id", None))
        return next((each for each in answers if each.id == identifier), None)


log = logging.getLogger(__name__)

# Problems that keep every function from being checked, not just one: worth a message.
_STOPPING = {
    ProblemKind.MODEL_UNAVAILABLE,
    ProblemKind.NO_CONSENT,
    ProblemKind.OFFLINE,
    ProblemKind.BUDGET_SPENT,
    ProblemKind.SANDBOX_UNAVAILABLE,
    ProblemKind.INTERNAL,
}
# What helps, the likeliest first.
_HELP = {
    ProblemKind.MODEL_UNAVAILABLE: (Answer.TRY_AGAIN, Answer.SET_UP_MODEL),
    ProblemKind.NO_CONSENT: (Answer.TRY_AGAIN, Answer.SET_UP_MODEL),
    ProblemKind.BUDGET_SPENT: (Answer.RAISE_LIMIT,),
    ProblemKind.SANDBOX_UNAVAILABLE: (Answer.TRY_AGAIN,),
    ProblemKind.INTERNAL: (Answer.TRY_AGAIN,),
}


def is_stopped(report: Report) -> bool:
    """Whether a report says only that something kept every function from being checked."""
    stopped = any(problem.kind in _STOPPING for problem in report.problems)
    return stopped and not report.verdict.status.is_verdict


class Notices:
    """Remembers which messages have been shown in this session."""

    def __init__(
        self,
        show: Callable[[types.ShowMessageParams], None],
        questions: Questions,
        notify: Callable[[str, object], None] | None = None,
    ) -> None:
        """`notify` sends an own notification; None: the client takes no outcomes."""
        self._show = show
        self._notify = notify
        self._questions = questions
        self._said: set[str] = set()

    def inform(self, message: str, *help: Answer) -> None:
        """Answer a command that has nothing else to show. The client acts upon the `help`."""
        self._say(types.MessageType.Info, message, help)

    def conclude(self, message: str, cost: str) -> None:
        """Tell what a check came to that the user has asked for, and, once more, what it cost."""
        if self._notify is None:
            self.inform(message)
        else:
            self._notify(OUTCOME, {"message": message, "cost": cost})

    def warn(self, message: str, *help: Answer, again: Callable[[], None] | None = None) -> None:
        """`again` is called if the user chooses to try again."""
        self._say(types.MessageType.Warning, message, help, again)

    def fail(self, message: str, *help: Answer, again: Callable[[], None] | None = None) -> None:
        self._say(types.MessageType.Error, message, help, again)

    def warn_once(self, messages: Iterable[str]) -> None:
        for message in self._unsaid(messages):
            self.warn(message)

    def warn_once_together(self, messages: Iterable[str]) -> None:
        """As `warn_once`, but in one message: users do not read many."""
        if unsaid := self._unsaid(messages):
            self.warn(" ".join(unsaid))

    def stopping_problems(
        self,
        reports: Sequence[Report],
        *,
        demanded: bool,
        has_model: bool,
        again: Callable[[], None],
    ) -> str | None:
        """Warn of problems that keep functions from being checked at all, once per kind. Returns
        the first. `again` is called if the user chooses to try again."""
        first: str | None = None
        seen: set[str] = set()
        for report in reports:
            for problem in report.problems:
                if problem.kind in _STOPPING and problem.kind not in seen:
                    seen.add(problem.kind)
                    first = first or problem.brief or problem.message
                    if not demanded and problem.kind in self._said:
                        continue
                    message, help = problem.brief or problem.message, _HELP.get(problem.kind, ())
                    if problem.kind is ProblemKind.MODEL_UNAVAILABLE and not has_model:
                        help = (Answer.SET_UP_MODEL,)
                        if self._questions.offered(*help):
                            # The button does what the sentence says how to do elsewhere.
                            message = message.replace(Advice.CONFIGURE.in_editors, "").strip()
                    self.warn(message, *help, again=again)
        self._said |= seen
        return first

    def forget(self) -> None:
        """Repeat messages after a change of settings: a problem that remains is worth a warning."""
        self._said.clear()

    def _unsaid(self, messages: Iterable[str]) -> list[str]:
        unsaid = [each for each in dict.fromkeys(messages) if each not in self._said]
        self._said.update(unsaid)
        return unsaid

    def _say(
        self,
        kind: types.MessageType,
        message: str,
        help: Collection[Answer] = (),
        again: Callable[[], None] | None = None,
    ) -> None:
        if kind is not types.MessageType.Info:
            # A message fades, and the log is where one looks afterwards.
            log.warning("%s", message)
        message = f"Assay: {message}"
        known = [each for each in help if again is not None or each is not Answer.TRY_AGAIN]
        offered = self._questions.offered(*known)

        async def offer() -> None:
            try:
                answer = await self._questions.ask(message, offered, kind=kind)
            except Exception as refusal:
                log.info("the client does not ask the user: %s", refusal)
                self._show(types.ShowMessageParams(kind, message))
                return
            if answer is Answer.TRY_AGAIN and again is not None:
                again()

        if offered:
            spawn(offer())
        else:
            self._show(types.ShowMessageParams(kind, message))
