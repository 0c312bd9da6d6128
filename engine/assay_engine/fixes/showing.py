"""Runs sessions, and finds those that tell one program's behaviour from that of the others."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from typing import cast

from assay_engine.compare.example_outcomes import answered, meets, prompt_text
from assay_engine.compare.example_trials import ExampleAttempt, try_examples
from assay_engine.compare.executor import Executor, Row
from assay_engine.fixes.sessions import SHOWN_CHARACTERS, PromptSession, silenced, written
from assay_engine.types import Example, Specification
from assay_engine.values.carried import value_of
from assay_engine.values.parts import nodes_of
from assay_engine.words import unmistakable
from assay_sandbox import Observation, Raised, Returned, Value

_TRACEBACK = "Traceback (most recent call last):\n    ..."
# Signs of a text that differs in the next process, or outside the sandbox.
_INCIDENTAL = (" at 0x", "__mp_main__", "<program>")


async def try_sessions(
    executor: Executor,
    specification: Specification,
    session: PromptSession,
    forms: Sequence[Sequence[PromptSession]],
    sources: Sequence[str],
) -> list[list[str]]:
    """The examples that one program meets and no other, for each program with forms of the session.

    They are in the order of the program's forms. The programs with forms come first in `sources`.
    """
    steps = [number for number in range(len(session.steps)) if session.before(number)]
    tried = [session.before(number) for number in steps] + [each for own in forms for each in own]
    attempts = [ExampleAttempt(each.example()) for each in tried if each is not None]
    if not any(forms):
        return [[] for _ in forms]
    first = await try_examples(executor, specification, attempts, sources)
    second = await try_examples(executor, specification, attempts, sources, second=True)
    offered: list[list[str]] = []
    begin = len(steps)
    for number, own in enumerate(forms):
        pairs = list(zip(first[number], second[number], strict=True))
        shown = _shown_steps(steps, pairs)
        places = range(begin, begin + len(own))
        begin += len(own)
        if shown is None:
            offered.append([])
            continue
        # Only the first form is the call itself. An exception counts as the answer of the call, but
        # not of a question asked after it.
        answers = [_answer(*pairs[place], is_call=place == places.start) for place in places]
        offered.append(
            [
                lines
                for place, form, answer in zip(places, own, answers, strict=True)
                if answer is not None
                and is_met_only_by(number, form.example(answer), [row[place] for row in first])
                and (lines := written(silenced(form, shown), answer)) is not None
                # Nobody can tell two texts apart that look the same.
                and lines == unmistakable(lines)
            ]
        )
    return offered


def is_met_only_by(number: int, example: Example, row: Row | Sequence[Observation]) -> bool:
    """Whether program `number` meets the example and no other program does."""
    return [meets(example, each) for each in row] == [place == number for place in range(len(row))]


def _shown_steps(
    steps: Sequence[int], pairs: Sequence[tuple[Observation, Observation]]
) -> frozenset[int] | None:
    """The steps of which a prompt shows a value; None if a step also prints, or fails."""
    seen = dict(zip(steps, pairs, strict=False))
    if not all(_is_quiet(each) for pair in seen.values() for each in pair):
        return None
    return frozenset(number for number, pair in seen.items() if any(map(prompt_text, pair)))


def _is_quiet(step: Observation) -> bool:
    return isinstance(step, Returned) and answered(step) and not step.stdout


def _answer(one: Observation, again: Observation, *, is_call: bool) -> str | None:
    """What a prompt shows in both runs; None if that differs or is not fit for an example."""
    text = _shown(one, is_call=is_call)
    return text if text == _shown(again, is_call=is_call) else None


def _shown(observation: Observation, *, is_call: bool) -> str | None:
    match observation:
        case Returned() if answered(observation):
            if any(map(_has_order_of_its_own, nodes_of(value_of(observation.value)))):
                return None
            text = prompt_text(observation)
        case Raised(stdout="", type_name=name, message=message) if is_call:
            if (shown := _as_raised(name)) is None:
                return None
            text = f"{_TRACEBACK}\n{shown}: {message}".removesuffix(": ")
        case _:
            return None
    lines = text.rstrip("\n").split("\n")
    fits = all(line.strip() and len(line) <= SHOWN_CHARACTERS for line in lines)
    is_plain = all(map(str.isprintable, lines)) and not any(sign in text for sign in _INCIDENTAL)
    return "\n".join(lines) if fits and is_plain else None


def _as_raised(type_name: str) -> str | None:
    """The name of an exception in a traceback; None if it comes from the user's own modules.

    The names of those modules depend on how they are run.
    """
    module, _, name = type_name.rpartition(".")
    if hasattr(builtins, name) and module in ("", "builtins"):
        return name
    return type_name if module.split(".", 1)[0] in sys.stdlib_module_names else None


def _has_order_of_its_own(node: Value) -> bool:
    """Whether a value is a set with an order that would show."""
    return isinstance(node, set | frozenset) and len(cast("set[Value]", node)) > 1
