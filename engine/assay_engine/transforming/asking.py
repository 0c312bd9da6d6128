"""Asks a model a question whose answer is read strictly, and asks again with the reason.

What a model said wrongly is added to the prompt, so that the second try is another prompt, with
replies of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.drawing.sampling import draw
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


async def asked(
    asking: Asking, prompt: Prompt, read: Callable[[str], _T | str], sample: int = 0
) -> Answer[_T]:
    """The answer to one question. `read` gives a text, the reason, for what is no answer."""
    question = prompt
    reason = ""
    for _ in range(TRIES):
        drawn = await draw(
            asking.model,
            question,
            [sample],
            deadline_seconds=asking.sampling.draw_seconds,
            concurrency=1,
        )
        if not drawn.replies:
            return Answer(None, next(iter(drawn.problems), None))
        (reply,) = drawn.replies
        value = read(reply.text)
        if not isinstance(value, str):
            return Answer(value, None)
        reason = value
        question = replace(prompt, user=f"{prompt.user}\n\n{_again(reason)}")
    return Answer(
        None,
        Problem(
            ProblemKind.NOT_TRANSFORMED,
            f"The model gave no usable {prompt.name.replace('_', ' ')}: {reason}. "
            "Try a larger model.",
        ),
    )


def _again(reason: str) -> str:
    return f"An earlier reply could not be used: {reason}. Reply again, in the form asked for."
