"""Dialogues with a model in rounds: each asks what follows from the replies that it had.

What a limit leaves then goes to the same questions, whichever of them is answered first. The next
ones are put when all of a round are answered, in the order of the dialogues.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from itertools import chain, islice
from typing import TypeAlias, TypeVar

from assay_engine.types import Draw, Prompt

_T = TypeVar("_T")

# What is asked for: a sample of a prompt.
Wanted: TypeAlias = tuple[Prompt, int]
# Asks for some samples at once, is sent a draw for each, and asks further or returns a result.
Dialogue: TypeAlias = Generator[Sequence[Wanted], Sequence[Draw], _T]


async def carried_on(
    dialogue: Dialogue[_T], drawn: Callable[[Sequence[Wanted]], Awaitable[Sequence[Draw]]]
) -> _T:
    """What comes of a dialogue. `drawn` makes requests in the order in which they are wanted."""
    try:
        wanted = next(dialogue)
        while True:
            wanted = dialogue.send(await drawn(wanted))
    except StopIteration as finished:
        return finished.value


def in_lockstep(dialogues: Sequence[Dialogue[_T]]) -> Dialogue[tuple[_T, ...]]:
    """All dialogues as one, which asks in every round for what each of them asks for next."""
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
