"""Asks for several samples at once and keeps the replies that come.

Explains why replies did not come, in one sentence per kind of reason.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from msgspec import Struct

from assay_engine.errors import (
    BudgetSpent,
    ModelError,
    ModelUnavailable,
    ReplyMissing,
    ReplyUnusable,
)
from assay_engine.models.counting import used_by
from assay_engine.sampling.prompting import CANDIDATE
from assay_engine.types import Draw, Model, Problem, ProblemKind, Prompt, Reply, Usage
from assay_engine.words import count

# A model that failed this often, after all retries, and never answered is down. The samples that
# still wait would only fail in the same way later.
FAILURES_TO_GIVE_UP = 3


async def draw(
    model: Model,
    prompt: Prompt,
    samples: Sequence[int],
    *,
    deadline_seconds: float,
    concurrency: int,
) -> Draw:
    """Ask `model` for `samples`, at most `concurrency` at a time, and keep the replies in time.

    Never raises a `ModelError`: failures are summarised in problems, one per kind. After a spent
    budget, a forbidden request or a miss in a transcript, the remaining samples are still asked
    for: to refuse them costs nothing, and a cache may hold some of them. Cancelling closes all
    requests.
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
    """Draw samples of several prompts, at most `concurrency` at a time over all prompts.

    The requests are made in a fixed order, however long replies take: the first sample of every
    prompt, then the second of every prompt, and so on. So the rest of a budget is spread evenly
    over the prompts.
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
    """Draws samples of one prompt, in as many rounds as are needed, under one deadline.

    `slots` bounds the requests under way, over all drawings that share it.
    """

    def __init__(
        self, model: Model, prompt: Prompt, deadline_seconds: float, slots: asyncio.Semaphore
    ) -> None:
        self._model = model
        self._prompt = prompt
        self._deadline_seconds = deadline_seconds
        # The time between rounds does not count.
        self._left = deadline_seconds
        self._slots = slots
        self._tasks: list[asyncio.Task[None]] = []
        self._replies: dict[int, Reply] = {}
        self._failures: dict[int, ModelError] = {}
        self._gave_up = False

    async def more(self, samples: Sequence[int]) -> Draw:
        """Ask for more samples, and return the replies to all samples so far.

        Like `draw`, it never raises a `ModelError`.
        """
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
        """Wait until all tasks are done, the time is up, or the model turns out to be down."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._left
        pending = {task for task in self._tasks if not task.done()}
        while pending and not self._gave_up and (left := end - loop.time()) > 0:
            done, pending = await asyncio.wait(
                pending, timeout=left, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                task.result()  # anything but a ModelError is a mistake in Assay and is raised
            failures, replies = self._failures.values(), self._replies.values()
            unavailable = sum(isinstance(error, ModelUnavailable) for error in failures)
            answered = any(not reply.cached for reply in replies)
            self._gave_up = unavailable >= FAILURES_TO_GIVE_UP and not answered
        self._left = max(0.0, end - loop.time())
        for task in pending:
            task.cancel()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def result(self) -> Draw:
        replied = [self._replies[sample] for sample in sorted(self._replies)]
        # Copies of one response are one sample.
        responses: dict[tuple[str, str], Reply] = {}
        for reply in replied:
            own = reply.response_id or f"sample {reply.sample}"
            responses.setdefault((own, reply.text), reply)
        replies = tuple(responses.values())
        copies = [each for each in replied if each not in replies]
        missing = MissingReplies(
            self._prompt.name,
            asked=len(self._tasks),
            replied=len(replied),
            failures=tuple(self._failures[sample] for sample in sorted(self._failures)),
            gave_up=self._gave_up,
        )
        problems = missing.problems(self._deadline_seconds)
        if copies:
            told = (
                f"{len(copies)} of {len(replied)} replies are copies of another one and do not "
                "count: the endpoint, or a cache before it, answers one request like the other. "
                "Switch its cache off, or a seed that it is given."
            )
            problems.append(Problem(ProblemKind.REPLY_REJECTED, told))
        stood_in = Counter(reply.instead_of for reply in replies if reply.instead_of)
        for whose, number in sorted(stood_in.items()):
            told = f"Other models stood in at {count(number, 'sample')} for {whose}."
            problems.append(Problem(ProblemKind.MODEL_UNAVAILABLE, told))
        unused = [each.usage for each in copies]
        unused += [used_by(failure, self._prompt) for failure in self._failures.values()]
        return Draw(replies, tuple(problems), sum(unused, Usage()))

    async def _ask(self, sample: int) -> None:
        async with self._slots:
            try:
                self._replies[sample] = await self._model.reply(self._prompt, sample)
            except ModelError as error:
                self._failures[sample] = error


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

    def problems(self, deadline_seconds: float) -> list[Problem]:
        # After an unusable reply the model is asked no more, and further requests are refused for
        # the same reason. These refusals do not count.
        unusable = {str(each) for each in self.failures if isinstance(each, ReplyUnusable)}
        by_kind: dict[ProblemKind, list[ModelError]] = {}
        for each in self.failures:
            if _was_sent(each) or str(each) not in unusable:
                kinds = (kind for family, kind in _KINDS if isinstance(each, family))
                by_kind.setdefault(next(kinds, ProblemKind.INTERNAL), []).append(each)
        refused = len(self.failures) - sum(map(len, by_kind.values()))
        unknown = self.asked - self.replied - len(self.failures)
        given_up = unknown if self.gave_up else 0
        problems = [
            self._problem(kind, by_kind[kind], refused, given_up)
            for kind in ProblemKind
            if kind in by_kind
        ]
        if unknown and not self.gave_up:
            late = (
                f"{unknown} of {self.asked} replies had not come after "
                f"{deadline_seconds:g} s; raise draw_seconds, lower the concurrency or choose a "
                "faster model."
            )
            problems.append(Problem(ProblemKind.DEADLINE, late))
        return problems

    def _problem(
        self, kind: ProblemKind, failures: Sequence[ModelError], refused: int, given_up: int
    ) -> Problem:
        """The problem for all failures of one kind; the most frequent message speaks for them.

        Beside them, so many requests were refused, or given up.
        """
        messages = Counter(map(str, failures))
        message, _ = messages.most_common(1)[0]
        failed = len(failures)
        first = failures[0]
        if isinstance(first, ReplyMissing) and first.advice:
            # The function is likely to be another one only where there is no candidate at all.
            if self.prompt == CANDIDATE and failed == self.asked:
                return Problem(kind, str(first))
            are = "is" if failed == 1 else "are"
            to = f"replies to the prompt `{self.prompt}`"
            return Problem(kind, f"{failed} of {self.asked} {to} {are} missing; {first.advice}.")
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
            unasked = refused + given_up
            of_all = "" if failed + unasked == self.asked else f" of {self.asked - unasked}"
            others = " and no more were asked for" if unasked else ""
            are = "reply is" if failed == 1 and not of_all else "replies are"
            extent = f"{failed}{of_all} {are} unusable{others}"
        elif failed + given_up == self.asked:
            # Nothing came: the cause says more than the numbers.
            left = f" and {given_up} more were given up" if given_up else ""
            mention = ""
            if kind is ProblemKind.MODEL_UNAVAILABLE:
                seen = next(each.seen for each in failures if str(each) == message)
                mention = f"{'no reply' if was_sent else 'not asked'}, because {seen}"
            return Problem(kind, f"{said} ({extent}{left}.)", cause, said, mention)
        return Problem(kind, f"{extent}: {said}", cause, mention=extent)


def _was_sent(failure: ModelError) -> bool:
    """Whether the request was sent, now or when the transcript was recorded."""
    return failure.sent or isinstance(failure, ReplyUnusable)
