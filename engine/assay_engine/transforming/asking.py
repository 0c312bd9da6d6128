"""Asks a model a question whose answer is read strictly, and asks again with the reason.

What a model said wrongly is added to the prompt, so that the second try is another prompt, with
replies of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.drawing.dialogues import Dialogue, Wanted, carried_on, in_lockstep
from assay_engine.drawing.sampling import draw_all
from assay_engine.settings import Sampling
from assay_engine.types import Draw, Model, Problem, ProblemKind, Prompt

# A model that misunderstood a question twice will not understand it the third time.
TRIES = 2

_T = TypeVar("_T")


class Asking(Struct, frozen=True):
    """A model, and how long and how much at once it is asked."""

    model: Model
    sampling: Sampling

    async def drawn(self, wanted: Sequence[Wanted]) -> tuple[Draw, ...]:
        return await draw_all(
            self.model,
            [(prompt, [sample]) for prompt, sample in wanted],
            deadline_seconds=self.sampling.draw_seconds,
            concurrency=self.sampling.concurrency,
        )


class Answer(Struct, Generic[_T], frozen=True):
    """What was read, or None and why."""

    value: _T | None
    problem: Problem | None


class Question(Struct, Generic[_T], frozen=True):
    """`read` gives a text, the reason, for what is no answer."""

    prompt: Prompt
    read: Callable[[str], _T | str]
    sample: int = 0


async def asked(asking: Asking, questions: Sequence[Question[_T]]) -> tuple[Answer[_T], ...]:
    """The answers to questions that are put at once, and where necessary once more."""
    return await carried_on(
        in_lockstep([_answer(question) for question in questions]), asking.drawn
    )


def _answer(question: Question[_T]) -> Dialogue[Answer[_T]]:
    prompt, reason = question.prompt, ""
    for _ in range(TRIES):
        (drawn,) = yield ((prompt, question.sample),)
        if not drawn.replies:
            return Answer(None, next(iter(drawn.problems), None))
        value = question.read(drawn.replies[0].text)
        if not isinstance(value, str):
            return Answer(value, None)
        reason = value
        prompt = replace(question.prompt, user=f"{question.prompt.user}\n\n{_again(reason)}")
    return Answer(None, _unusable(question.prompt, reason))


def _unusable(prompt: Prompt, reason: str) -> Problem:
    return Problem(
        ProblemKind.NOT_TRANSFORMED,
        f"The model gave no usable {prompt.name.replace('_', ' ')}: {reason}. Try a larger model.",
    )


def _again(reason: str) -> str:
    return f"An earlier reply could not be used: {reason}. Reply again, in the form asked for."
