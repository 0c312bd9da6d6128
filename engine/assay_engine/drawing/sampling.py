"""Asks for several samples at once and keeps what comes."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from assay_engine.drawing.prompting import CANDIDATE
from assay_engine.errors import (
    BudgetSpent,
    ModelError,
    ModelUnavailable,
    ReplyMissing,
    ReplyUnusable,
)
from assay_engine.types import Draw, Model, Problem, ProblemKind, Prompt, Reply

# A model that failed this often, after all retries, and never answered, is down: the samples still
# waiting would only fail the same way, later.
FAILURES_TO_GIVE_UP = 3

_KINDS: tuple[tuple[type[ModelError], ProblemKind], ...] = (
    (ModelUnavailable, ProblemKind.MODEL_UNAVAILABLE),
    (ReplyUnusable, ProblemKind.REPLY_UNUSABLE),
    (BudgetSpent, ProblemKind.BUDGET_SPENT),
    (ReplyMissing, ProblemKind.OFFLINE),
)
# Whose messages give the number of the sample, or of what is spent by then, beside one reason.
_NUMBERED = (ProblemKind.BUDGET_SPENT, ProblemKind.OFFLINE)
_NUMBERS = re.compile(r"\d[\d,]*")


async def draw(
    model: Model,
    prompt: Prompt,
    samples: Sequence[int],
    *,
    deadline_seconds: float,
    concurrency: int,
) -> Draw:
    """Ask `model` for `samples`, at most `concurrency` at a time, and keep what has come in time.

    Never raises a `ModelError`: what went wrong is summarised in problems, one per kind. After a
    spent budget, a forbidden request or a transcript's miss the remaining samples are still asked
    for, since these cost nothing to refuse and a cache may hold some of them. Cancelling closes
    all requests.
    """
    slots = asyncio.Semaphore(concurrency)
    return await Drawing(model, prompt, deadline_seconds, slots).more(samples)


async def draw_all(
    model: Model,
    wanted: Sequence[tuple[Prompt, Sequence[int]]],
    *,
    deadline_seconds: float,
    concurrency: int,
) -> tuple[Draw, ...]:
    """Draw samples of several prompts, at most `concurrency` at a time of all of them.

    The requests are made in one order, however long replies take: the first sample of every prompt,
    then the second of every prompt. So what is left of a budget goes to all prompts alike.
    """
    slots = asyncio.Semaphore(concurrency)
    drawings = [Drawing(model, prompt, deadline_seconds, slots) for prompt, _ in wanted]
    unique = [list(dict.fromkeys(samples)) for _, samples in wanted]
    for turn in zip_longest(*unique):
        for drawing, sample in zip(drawings, turn, strict=True):
            if sample is not None:
                drawing.begin(sample)
    try:
        await asyncio.gather(*(drawing.wait() for drawing in drawings))
    finally:
        await asyncio.gather(*(drawing.close() for drawing in drawings))
    return tuple(drawing.result() for drawing in drawings)


class Drawing:
    """Samples of one prompt, in as many rounds as it takes to know enough, by one deadline.

    `slots` bounds requests under way, over all drawings that share it.
    """

    def __init__(
        self, model: Model, prompt: Prompt, deadline_seconds: float, slots: asyncio.Semaphore
    ) -> None:
        self._model = model
        self._prompt = prompt
        self._deadline_seconds = deadline_seconds
        # What happens between rounds takes none of the time.
        self._left = deadline_seconds
        self._slots = slots
        self._tasks: list[asyncio.Task[None]] = []
        self._replies: dict[int, Reply] = {}
        self._failures: dict[int, ModelError] = {}
        self._gave_up = False

    async def more(self, samples: Sequence[int]) -> Draw:
        """Ask for these, too: what has come of all samples so far. As `draw`, raises nothing."""
        for sample in dict.fromkeys(samples):
            self.begin(sample)
        try:
            await self.wait()
        finally:
            await self.close()
        return self.result()

    def begin(self, sample: int) -> None:
        self._tasks.append(asyncio.create_task(self._ask(sample)))

    async def wait(self) -> None:
        """Until all tasks are done, the time is up, or the model is seen to be down."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._left
        pending = {task for task in self._tasks if not task.done()}
        while pending and not self._gave_up and (left := end - loop.time()) > 0:
            done, pending = await asyncio.wait(
                pending, timeout=left, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                task.result()  # anything but a ModelError is a mistake of ours and goes up
            self._gave_up = self._is_down()
        self._left = max(0.0, end - loop.time())
        for task in pending:
            task.cancel()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def result(self) -> Draw:
        asked = len(self._tasks)
        replies = tuple(self._replies[sample] for sample in sorted(self._replies))
        problems = [
            problem for kind in ProblemKind if (problem := self._problem(kind, asked)) is not None
        ]
        missing = asked - len(self._replies) - len(self._failures)
        if missing and not self._gave_up:
            problems.append(
                Problem(
                    ProblemKind.DEADLINE,
                    f"{missing} of {asked} replies had not come after "
                    f"{self._deadline_seconds:g} s; raise draw_seconds, lower the concurrency or "
                    "choose a faster model.",
                )
            )
        return Draw(replies, tuple(problems))

    async def _ask(self, sample: int) -> None:
        async with self._slots:
            try:
                self._replies[sample] = await self._model.reply(self._prompt, sample)
            except ModelError as error:
                self._failures[sample] = error

    def _is_down(self) -> bool:
        unavailable = sum(isinstance(error, ModelUnavailable) for error in self._failures.values())
        answered = any(not reply.cached for reply in self._replies.values())
        return unavailable >= FAILURES_TO_GIVE_UP and not answered

    def _problem(self, kind: ProblemKind, asked: int) -> Problem | None:
        """All failures of one kind in one sentence; the most frequent one speaks for them."""
        failures = [failure for failure in self._told if _kind_of(failure) is kind]
        messages = Counter(map(str, failures))
        if not messages:
            return None
        message, _ = messages.most_common(1)[0]
        failed = messages.total()
        first = failures[0]
        if isinstance(first, ReplyMissing) and first.advice:
            return Problem(kind, self._missing(first, failed, asked))
        if asked == 1:
            return Problem(kind, message)
        reasons = {_NUMBERS.sub("", each) for each in messages} if kind in _NUMBERED else messages
        cause = f"most often: {message}" if len(reasons) > 1 else message
        if kind is ProblemKind.REPLY_UNUSABLE:
            return Problem(kind, f"{self._unusable(failed, asked)}: {cause}")
        what = "failed" if any(map(_was_sent, failures)) else "could not be sent"
        rest = self._given_up(asked)
        if failed + rest < asked:
            return Problem(kind, f"{failed} of {asked} requests {what}: {cause}")
        # Nothing came: the cause says more than the numbers.
        left = f" and {rest} more were given up" if rest else ""
        return Problem(kind, f"{cause} ({failed} of {asked} requests {what}{left}.)")

    @property
    def _told(self) -> list[ModelError]:
        """The failures in the order of the samples, without those for a reason that a reply is
        unusable for: after such replies the model was asked no more."""
        failures = [self._failures[sample] for sample in sorted(self._failures)]
        unusable = {str(each) for each in failures if isinstance(each, ReplyUnusable)}
        return [each for each in failures if _was_sent(each) or str(each) not in unusable]

    def _given_up(self, asked: int) -> int:
        """How many samples nothing is known of, because the model is down."""
        return asked - len(self._replies) - len(self._failures) if self._gave_up else 0

    def _unusable(self, failed: int, asked: int) -> str:
        unasked = len(self._failures) - len(self._told) + self._given_up(asked)
        of_all = "" if failed + unasked == asked else f" of {asked - unasked}"
        others = " and no more were asked for" if unasked else ""
        are = "reply is" if failed == 1 and not of_all else "replies are"
        return f"{failed}{of_all} {are} unusable{others}"

    def _missing(self, miss: ReplyMissing, failed: int, asked: int) -> str:
        """Only where there is no candidate at all, the function is likely to be another one."""
        if self._prompt.name == CANDIDATE and failed == asked:
            return str(miss)
        are = "is" if failed == 1 else "are"
        to = f"replies to the prompt `{self._prompt.name}`"
        return f"{failed} of {asked} {to} {are} missing; {miss.advice}."


def _was_sent(failure: ModelError) -> bool:
    """Now, or when the transcript was recorded that says so."""
    return failure.sent or isinstance(failure, ReplyUnusable)


def _kind_of(error: ModelError) -> ProblemKind:
    families = (kind for family, kind in _KINDS if isinstance(error, family))
    return next(families, ProblemKind.INTERNAL)
