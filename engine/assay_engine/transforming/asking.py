"""Asks a model a question whose answer is read strictly, and asks again with the reason.

What a model said wrongly is added to the prompt, so that the second try is another prompt, with
replies of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.drawing.sampling import draw_all
from assay_engine.settings import Sampling
from assay_engine.types import Model, Problem, ProblemKind, Prompt

# A model that misunderstood a question twice will not understand it the third time.
TRIES = 2

_T = TypeVar("_T")


class Asking(Struct, frozen=True):
    """A model, and how long and how much at once it is asked."""

    model: Model
    sampling: Sampling


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
    """The answers to questions that are put at once.

    Those that were answered wrongly are put again when all have been answered: what a limit leaves
    for them goes to the same ones, whichever is answered first.
    """
    answers: dict[int, Answer[_T]] = {}
    prompts = {number: question.prompt for number, question in enumerate(questions)}
    for _ in range(TRIES):
        drawn = await draw_all(
            asking.model,
            [(prompt, [questions[number].sample]) for number, prompt in prompts.items()],
            deadline_seconds=asking.sampling.draw_seconds,
            concurrency=asking.sampling.concurrency,
        )
        misunderstood: dict[int, Prompt] = {}
        for number, each in zip(prompts, drawn, strict=True):
            question = questions[number]
            value = question.read(each.replies[0].text) if each.replies else None
            if isinstance(value, str):
                answers[number] = Answer(None, _unusable(question.prompt, value))
                user = f"{question.prompt.user}\n\n{_again(value)}"
                misunderstood[number] = replace(question.prompt, user=user)
            else:
                answers[number] = Answer(value, next(iter(each.problems), None))
        prompts = misunderstood
    return tuple(answers[number] for number in range(len(questions)))


def _unusable(prompt: Prompt, reason: str) -> Problem:
    return Problem(
        ProblemKind.NOT_TRANSFORMED,
        f"The model gave no usable {prompt.name.replace('_', ' ')}: {reason}. Try a larger model.",
    )


def _again(reason: str) -> str:
    return f"An earlier reply could not be used: {reason}. Reply again, in the form asked for."
