"""Asks once more when a reply cannot be used, and says why.

The reason is added to the prompt, so that the second try is a different prompt, with replies of its
own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace

from assay_engine.drawing.asking import Answer, answered
from assay_engine.drawing.dialogues import Dialogue, Wanted
from assay_engine.types import Problem, ProblemKind, Prompt

_T = TypeVar("_T")


def corrected(
    prompt: Prompt, read: Callable[[str], _T | str], sample: int = 0
) -> Dialogue[Answer[_T]]:
    """Ask for an answer. If a reply is unusable, `read` returns the reason, a text."""

    def reading(text: str) -> Answer[_T]:
        found = read(text)
        return _unusable(prompt, found) if isinstance(found, str) else Answer(found)

    return answered((prompt, sample), reading, _with_the_reason)


def _unusable(prompt: Prompt, reason: str) -> Answer[Any]:
    message = f"The model gave no usable {prompt.name.replace('_', ' ')}: {reason}."
    problem = Problem(ProblemKind.NOT_TRANSFORMED, f"{message} Try a larger model.")
    return Answer(None, problem, reason)


def _with_the_reason(wanted: Wanted, unread: Answer[Any]) -> Wanted | None:
    """The prompt with the reason added; None without a reason, that is if no reply came."""
    prompt, sample = wanted
    said = (
        f"An earlier reply could not be used: {unread.reason}. Reply again, in the form asked for."
    )
    asked = replace(prompt, user=f"{prompt.user}\n\n{said}")
    return (asked, sample) if unread.reason else None
