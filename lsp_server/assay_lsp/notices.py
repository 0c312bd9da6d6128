"""Messages to the user: each one once, unless they ask again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lsprotocol import types

from assay_engine.types import ProblemKind, Report

# Problems that keep every function from being checked, not just one: worth a message.
_STOPPING = {
    ProblemKind.MODEL_UNAVAILABLE,
    ProblemKind.NO_CONSENT,
    ProblemKind.OFFLINE,
    ProblemKind.BUDGET_SPENT,
    ProblemKind.SANDBOX_UNAVAILABLE,
    ProblemKind.INTERNAL,
}


class Notices:
    """Remembers which messages have been shown in this session."""

    def __init__(self, show: Callable[[types.ShowMessageParams], None]) -> None:
        self._show = show
        self._said: set[str] = set()

    def inform(self, message: str) -> None:
        """Answer a command that has nothing else to show."""
        self._say(types.MessageType.Info, message)

    def warn(self, message: str) -> None:
        self._say(types.MessageType.Warning, message)

    def fail(self, message: str) -> None:
        self._say(types.MessageType.Error, message)

    def warn_once(self, messages: Iterable[str]) -> None:
        for message in self._unsaid(messages):
            self.warn(message)

    def warn_once_together(self, messages: Iterable[str]) -> None:
        """As `warn_once`, but in one message: users do not read many."""
        if unsaid := self._unsaid(messages):
            self.warn(" ".join(unsaid))

    def stopping_problems(self, reports: Sequence[Report], *, demanded: bool) -> str | None:
        """Warn of problems that keep functions from being checked at all, once per kind. Returns
        the first."""
        first: str | None = None
        seen: set[str] = set()
        for report in reports:
            for problem in report.problems:
                if problem.kind in _STOPPING and problem.kind not in seen:
                    seen.add(problem.kind)
                    first = first or problem.message
                    if demanded or problem.kind not in self._said:
                        self.warn(problem.message)
        self._said |= seen
        return first

    def forget(self) -> None:
        """Repeat messages after a change of settings: a problem that remains is worth a warning."""
        self._said.clear()

    def _unsaid(self, messages: Iterable[str]) -> list[str]:
        unsaid = [each for each in dict.fromkeys(messages) if each not in self._said]
        self._said.update(unsaid)
        return unsaid

    def _say(self, kind: types.MessageType, message: str) -> None:
        self._show(types.ShowMessageParams(kind, f"Assay: {message}"))
