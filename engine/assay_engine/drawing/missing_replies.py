"""Explains why replies did not come, in one sentence per kind of reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from assay_engine.drawing.prompting import CANDIDATE
from assay_engine.errors import (
    BudgetSpent,
    ModelError,
    ModelUnavailable,
    ReplyMissing,
    ReplyUnusable,
)
from assay_engine.types import Problem, ProblemKind

_KINDS: tuple[tuple[type[ModelError], ProblemKind], ...] = (
    (ModelUnavailable, ProblemKind.MODEL_UNAVAILABLE),
    (ReplyUnusable, ProblemKind.REPLY_UNUSABLE),
    (BudgetSpent, ProblemKind.BUDGET_SPENT),
    (ReplyMissing, ProblemKind.OFFLINE),
)
# The kinds whose messages differ only in numbers (of the sample, or of what is spent by then) where
# the reason is the same.
_NUMBERED = (ProblemKind.BUDGET_SPENT, ProblemKind.OFFLINE)
_NUMBERS = re.compile(r"\d[\d,]*")


class MissingReplies(Struct, frozen=True):
    """The samples of a prompt for which no reply came.

    Of `asked` samples of the prompt named `prompt`, `replied` came. `failures` are in the order of
    the samples. Some samples may neither have come nor failed. If `gave_up`, the model is down, and
    nothing is known of these; otherwise they had not come when the time was up.
    """

    prompt: str
    asked: int
    replied: int
    failures: tuple[ModelError, ...]
    gave_up: bool

    def problems(self, deadline_seconds: float) -> tuple[Problem, ...]:
        counted = self._without_consequences()
        problems = [
            self._problem(kind, failures)
            for kind in ProblemKind
            if (failures := [each for each in counted if _kind_of(each) is kind])
        ]
        if self._unknown and not self.gave_up:
            late = (
                f"{self._unknown} of {self.asked} replies had not come after "
                f"{deadline_seconds:g} s; raise draw_seconds, lower the concurrency or choose a "
                "faster model."
            )
            problems.append(Problem(ProblemKind.DEADLINE, late))
        return tuple(problems)

    @property
    def _unknown(self) -> int:
        return self.asked - self.replied - len(self.failures)

    @property
    def _given_up(self) -> int:
        return self._unknown if self.gave_up else 0

    def _without_consequences(self) -> list[ModelError]:
        """The failures without those that only follow from unusable replies.

        After an unusable reply the model is asked no more, and further requests are refused for the
        same reason.
        """
        unusable = {str(each) for each in self.failures if isinstance(each, ReplyUnusable)}
        return [each for each in self.failures if _was_sent(each) or str(each) not in unusable]

    def _problem(self, kind: ProblemKind, failures: Sequence[ModelError]) -> Problem:
        """The problem for all failures of one kind; the most frequent message speaks for them."""
        messages = Counter(map(str, failures))
        message, _ = messages.most_common(1)[0]
        failed = len(failures)
        first = failures[0]
        if isinstance(first, ReplyMissing) and first.advice:
            return Problem(kind, self._not_at_hand(first, failed))
        # The numbers in it are those of the prompt or of the moment.
        cause = _NUMBERS.sub("", message)
        if self.asked == 1:
            return Problem(kind, message, cause, mention=first.mention)
        reasons = {_NUMBERS.sub("", each) for each in messages} if kind in _NUMBERED else messages
        said = f"most often: {message}" if len(reasons) > 1 else message
        was_sent = any(map(_was_sent, failures))
        extent = (
            f"{failed} of {self.asked} requests {'failed' if was_sent else 'could not be sent'}"
        )
        if kind is ProblemKind.REPLY_UNUSABLE:
            extent = self._unusable(failed)
        elif failed + self._given_up == self.asked:
            # Nothing came: the cause says more than the numbers.
            left = f" and {self._given_up} more were given up" if self._given_up else ""
            mention = ""
            if kind is ProblemKind.MODEL_UNAVAILABLE:
                seen = next(each.seen for each in failures if str(each) == message)
                mention = f"{'no reply' if was_sent else 'not asked'}, because {seen}"
            return Problem(kind, f"{said} ({extent}{left}.)", cause, said, mention)
        return Problem(kind, f"{extent}: {said}", cause, mention=extent)

    def _unusable(self, failed: int) -> str:
        refused = len(self.failures) - len(self._without_consequences())
        unasked = refused + self._given_up
        of_all = "" if failed + unasked == self.asked else f" of {self.asked - unasked}"
        others = " and no more were asked for" if unasked else ""
        are = "reply is" if failed == 1 and not of_all else "replies are"
        return f"{failed}{of_all} {are} unusable{others}"

    def _not_at_hand(self, miss: ReplyMissing, failed: int) -> str:
        """The message for replies that are missing offline.

        The function is likely to be another one only where there is no candidate at all.
        """
        if self.prompt == CANDIDATE and failed == self.asked:
            return str(miss)
        are = "is" if failed == 1 else "are"
        to = f"replies to the prompt `{self.prompt}`"
        return f"{failed} of {self.asked} {to} {are} missing; {miss.advice}."


def _was_sent(failure: ModelError) -> bool:
    """Whether the request was sent, now or when the transcript was recorded."""
    return failure.sent or isinstance(failure, ReplyUnusable)


def _kind_of(error: ModelError) -> ProblemKind:
    families = (kind for family, kind in _KINDS if isinstance(error, family))
    return next(families, ProblemKind.INTERNAL)
