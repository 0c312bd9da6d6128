"""Asks a model questions, reads the answers strictly, and asks again where one cannot be read.

Dialogues go in rounds, since each next question follows from the replies so far: the next round is
asked when all questions of a round are answered, in the order of the dialogues. So the rest of a
limit goes to the same questions, whichever of them is answered first. Whoever asks once more adds
the reason to the prompt: the second try is a different prompt, with replies of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Sequence
from itertools import chain, islice
from typing import Any, Generic, Self, TypeAlias, TypeVar, overload

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.config.settings import Sampling
from assay_engine.sampling.sampling import draw, draw_all
from assay_engine.types import Draw, Model, Problem, ProblemKind, Prompt, Usage

# A model that misunderstood a question twice will not understand it the third time.
TRIES = 2
# Room for repeated votes on one prompt within a run, each with its tries.
SAMPLES_PER_RUN = 8

Read = TypeVar("Read")
_One = TypeVar("_One")
_Other = TypeVar("_Other")


class Asking:
    """One run of questions: the same prompt in another run is another sample of that prompt.

    `slots` bounds the requests under way, over all runs that share it. Other runs may hold the
    slots for long, so each request then has the whole deadline to itself. Without slots, all
    requests of a round share one deadline. `usage` is what the replies cost when they were drawn.
    `problems` say what kept the replies of a `dialogue` from coming, and `lost` counts those in
    which none came.
    """

    def __init__(
        self,
        model: Model,
        sampling: Sampling,
        *,
        rerun: int = 0,
        slots: asyncio.Semaphore | None = None,
    ) -> None:
        self._model = model
        self.sampling = sampling
        self._rerun = rerun
        self._slots = slots
        self.usage = Usage()
        self._problems: set[Problem] = set()
        self.lost = 0

    @classmethod
    def in_slots(cls, model: Model, sampling: Sampling) -> Self:
        """Make a run with slots of its own."""
        return cls(model, sampling, slots=asyncio.Semaphore(sampling.concurrency))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems, each once, in an order that does not depend on which came first."""
        return tuple(sorted(self._problems, key=lambda problem: (problem.kind, problem.message)))

    @overload
    async def answers(
        self, one: Dialogue[_One], other: Dialogue[_Other], /
    ) -> tuple[_One, _Other]: ...
    @overload
    async def answers(self, *dialogues: Dialogue[Read]) -> tuple[Read, ...]: ...
    async def answers(self, *dialogues: Dialogue[Any]) -> tuple[Any, ...]:
        """The results of these dialogues, which are held in lockstep."""
        return await carried_on(in_lockstep(dialogues), self._drawn)

    async def answer(self, dialogue: Dialogue[Read]) -> Read:
        return await carried_on(dialogue, self._drawn)

    def dialogue(
        self, prompt: Prompt, reading: Callable[[str], Read | None], *, vote: int = 0
    ) -> Dialogue[Read | None]:
        """A dialogue that gives what `reading` makes of the reply.

        If `reading` makes nothing of the first reply, a second one is asked for. The result is None
        if neither reply can be read, or if none came. `vote` numbers repeated questions from 0.
        """
        if (number := vote * TRIES) >= SAMPLES_PER_RUN:
            raise ValueError(f"a run has {SAMPLES_PER_RUN} samples of a prompt, not {number + 1}")
        first = self._rerun * SAMPLES_PER_RUN + number
        problem: Problem | None = None
        for sample in range(first, first + TRIES):
            (drawn,) = yield ((prompt, sample),)
            value = reading(drawn.replies[0].text) if drawn.replies else None
            if value is not None:
                return value
            problem = None if drawn.replies else drawn.problems[0]
            if problem is not None and problem.kind is not ProblemKind.REPLY_UNUSABLE:
                # The model could not be reached, and was already retried as often as it may be.
                self.lost += 1
                break
        if problem is not None:
            self._problems.add(problem)
        return None

    async def draws(self, wanted: Sequence[tuple[Prompt, Sequence[int]]]) -> tuple[Draw, ...]:
        """Draw samples of several prompts, which share one deadline."""
        drawn = await draw_all(
            self._model,
            wanted,
            deadline_seconds=self.sampling.draw_seconds,
            concurrency=self.sampling.concurrency,
        )
        self.usage += sum((each.usage for each in drawn), Usage())
        return drawn

    async def _drawn(self, wanted: Sequence[Wanted]) -> Sequence[Draw]:
        if self._slots is None:
            return await self.draws([(prompt, [sample]) for prompt, sample in wanted])
        return await asyncio.gather(*(self._draw(self._slots, *each) for each in wanted))

    async def _draw(self, slots: asyncio.Semaphore, prompt: Prompt, sample: int) -> Draw:
        async with slots:
            drawn = await draw(
                self._model,
                prompt,
                [sample],
                deadline_seconds=self.sampling.draw_seconds,
                concurrency=1,
            )
        self.usage += drawn.usage
        return drawn


_T = TypeVar("_T")

# One request: a sample of a prompt, by its number.
Wanted: TypeAlias = tuple[Prompt, int]
# A dialogue asks for some samples at once and is sent a draw for each. Then it asks for more or
# returns a result.
Dialogue: TypeAlias = Generator[Sequence[Wanted], Sequence[Draw], _T]


async def carried_on(
    dialogue: Dialogue[_T], drawn: Callable[[Sequence[Wanted]], Awaitable[Sequence[Draw]]]
) -> _T:
    """Hold a dialogue and return its result.

    `drawn` makes the requests in the order in which the dialogue wants them.
    """
    try:
        wanted = next(dialogue)
        while True:
            wanted = dialogue.send(await drawn(wanted))
    except StopIteration as finished:
        return finished.value


def in_lockstep(dialogues: Sequence[Dialogue[_T]]) -> Dialogue[tuple[_T, ...]]:
    """All dialogues as one: in every round, it asks for what each of them wants next."""
    results: dict[int, _T] = {}
    draws: dict[int, Sequence[Draw] | None] = dict.fromkeys(range(len(dialogues)))
    while True:
        wanted: dict[int, Sequence[Wanted]] = {}
        for number, drawn in draws.items():
            dialogue = dialogues[number]
            try:
                wanted[number] = next(dialogue) if drawn is None else dialogue.send(drawn)
            except StopIteration as finished:
                results[number] = finished.value
        if not wanted:
            return tuple(results[number] for number in range(len(dialogues)))
        came = iter((yield tuple(chain.from_iterable(wanted.values()))))
        draws = {number: tuple(islice(came, len(own))) for number, own in wanted.items()}


class Answer(Struct, Generic[Read], frozen=True):
    """The value read from a reply, or None and the cause."""

    value: Read | None
    problem: Problem | None = None


def corrected(
    prompt: Prompt, read: Callable[[str], _T | str], sample: int = 0
) -> Dialogue[Answer[_T]]:
    """Ask for an answer, and once more, with the reason, if the first reply is unusable.

    `read` returns the value, or a text that says why a reply is unusable.
    """
    asked, problem = prompt, None
    for _ in range(TRIES):
        (drawn,) = yield ((asked, sample),)
        if not drawn.replies:
            return Answer(None, drawn.problems[0])
        found = read(drawn.replies[0].text)
        if not isinstance(found, str):
            return Answer(found)
        message = f"The model gave no usable {prompt.name.replace('_', ' ')}: {found}."
        problem = Problem(ProblemKind.NOT_TRANSFORMED, f"{message} Try a larger model.")
        said = f"An earlier reply could not be used: {found}. Reply again, in the form asked for."
        asked = replace(prompt, user=f"{prompt.user}\n\n{said}")
    return Answer(None, problem)
