"""Dialogues with a model in rounds: each next question follows from the replies so far.

The next round is asked when all questions of a round are answered, in the order of the dialogues.
So the rest of a limit goes to the same questions, whichever of them is answered first.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from itertools import chain, islice
from typing import TypeAlias, TypeVar

from assay_engine.types import Draw, Prompt

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
