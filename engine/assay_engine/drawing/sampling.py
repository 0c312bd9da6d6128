"""Asks for several samples at once and keeps the replies that come."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from assay_engine.drawing.missing_replies import MissingReplies
from assay_engine.errors import ModelError, ModelUnavailable
from assay_engine.models.tokens import used_by
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


def _without_copies(replies: Sequence[Reply]) -> tuple[Reply, ...]:
    """The replies without copies of one response, which are one sample."""
    responses: dict[tuple[str, str], Reply] = {}
    for reply in replies:
        own = reply.response_id or f"sample {reply.sample}"
        responses.setdefault((own, reply.text), reply)
    return tuple(responses.values())


def _about_copies(copies: int, replies: int) -> Problem:
    told = (
        f"{copies} of {replies} replies are copies of another one and do not count: the "
        "endpoint, or a cache before it, answers one request like the other. Switch its cache off, "
        "or a seed that it is given."
    )
    return Problem(ProblemKind.REPLY_REJECTED, told)


def _about_others(replies: Sequence[Reply]) -> tuple[Problem, ...]:
    """What is said of models that others stood in for."""
    names = Counter(reply.instead_of for reply in replies if reply.instead_of)
    return tuple(
        Problem(
            ProblemKind.MODEL_UNAVAILABLE,
            f"Other models stood in at {count(number, 'sample')} for {whose}.",
        )
        for whose, number in sorted(names.items())
    )


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
            self._gave_up = self._is_down()
        self._left = max(0.0, end - loop.time())
        for task in pending:
            task.cancel()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def result(self) -> Draw:
        replied = [self._replies[sample] for sample in sorted(self._replies)]
        replies = _without_copies(replied)
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
            problems = (*problems, _about_copies(len(copies), len(replied)))
        problems = (*problems, *_about_others(replies))
        unused = [each.usage for each in copies]
        unused += [used_by(failure, self._prompt) for failure in self._failures.values()]
        return Draw(replies, problems, sum(unused, Usage()))

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
