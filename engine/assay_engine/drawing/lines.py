"""Lines of questions that keep in step: each asks what follows from the replies that it had.

What a limit leaves then goes to the same questions, whichever of them is answered first. The next
ones are put when all of a round are answered, in the order of the lines.
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
Line: TypeAlias = Generator[Sequence[Wanted], Sequence[Draw], _T]


async def carried_on(
    line: Line[_T], drawn: Callable[[Sequence[Wanted]], Awaitable[Sequence[Draw]]]
) -> _T:
    """What comes of a line. `drawn` makes requests in the order in which they are wanted."""
    try:
        wanted = next(line)
        while True:
            wanted = line.send(await drawn(wanted))
    except StopIteration as finished:
        return finished.value


def in_step(lines: Sequence[Line[_T]]) -> Line[tuple[_T, ...]]:
    """All lines as one, which asks in every round for what each of them asks for next."""
    results: dict[int, _T] = {}
    draws: dict[int, Sequence[Draw] | None] = dict.fromkeys(range(len(lines)))
    while True:
        wanted: dict[int, Sequence[Wanted]] = {}
        for number, drawn in draws.items():
            line = lines[number]
            try:
                wanted[number] = next(line) if drawn is None else line.send(drawn)
            except StopIteration as finished:
                results[number] = finished.value
        if not wanted:
            return tuple(results[number] for number in range(len(lines)))
        came = iter((yield tuple(chain.from_iterable(wanted.values()))))
        draws = {number: tuple(islice(came, len(own))) for number, own in wanted.items()}
