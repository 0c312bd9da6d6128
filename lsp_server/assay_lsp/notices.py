"""Messages to the user: each one once, unless they ask again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Sequence

from lsprotocol import types

from assay_engine.advice import Advice
from assay_engine.types import Problem, ProblemKind, Report, Status
from assay_lsp.background import Spawn
from assay_lsp.questions import Answer, Questions

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
    is_open = report.verdict.status in (Status.ABSTAINED, Status.UNSUPPORTED)
    return is_open and any(problem.kind in _STOPPING for problem in report.problems)


class Notices:
    """Remembers which messages have been shown in this session."""

    def __init__(
        self,
        show: Callable[[types.ShowMessageParams], None],
        questions: Questions,
        spawn: Spawn,
    ) -> None:
        self._show = show
        self._questions = questions
        self._spawn = spawn
        self._said: set[str] = set()

    def inform(self, message: str, *help: Answer) -> None:
        """Answer a command that has nothing else to show. The client acts upon the `help`."""
        self._say(types.MessageType.Info, message, help)

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
                    if demanded or problem.kind not in self._said:
                        self._warn_of(problem, has_model=has_model, again=again)
        self._said |= seen
        return first

    def forget(self) -> None:
        """Repeat messages after a change of settings: a problem that remains is worth a warning."""
        self._said.clear()

    def _unsaid(self, messages: Iterable[str]) -> list[str]:
        unsaid = [each for each in dict.fromkeys(messages) if each not in self._said]
        self._said.update(unsaid)
        return unsaid

    def _warn_of(self, problem: Problem, *, has_model: bool, again: Callable[[], None]) -> None:
        message, help = problem.brief or problem.message, _HELP.get(problem.kind, ())
        if problem.kind is ProblemKind.MODEL_UNAVAILABLE and not has_model:
            help = (Answer.SET_UP_MODEL,)
            if self._questions.offered(*help):
                # The button does what the sentence says how to do elsewhere.
                message = message.replace(Advice.CONFIGURE.in_editors, "").strip()
        self.warn(message, *help, again=again)

    def _say(
        self,
        kind: types.MessageType,
        message: str,
        help: Collection[Answer] = (),
        again: Callable[[], None] | None = None,
    ) -> None:
        known = [each for each in help if again is not None or each is not Answer.TRY_AGAIN]
        if offered := self._questions.offered(*known):
            self._spawn(self._offer(kind, f"Assay: {message}", offered, again))
        else:
            self._show(types.ShowMessageParams(kind, f"Assay: {message}"))

    async def _offer(
        self,
        kind: types.MessageType,
        message: str,
        offered: Collection[Answer],
        again: Callable[[], None] | None,
    ) -> None:
        try:
            answer = await self._questions.ask(message, offered, kind=kind)
        except Exception as refusal:
            log.info("the client does not ask the user: %s", refusal)
            self._show(types.ShowMessageParams(kind, message))
            return
        if answer is Answer.TRY_AGAIN and again is not None:
            again()
