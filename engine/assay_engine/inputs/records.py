"""Which tuples are records: those within other things that are all of one length in what is shown.

`[(2, 7), (1, 8)]` is a list of pairs, also where no annotation says so, and a function that is
given a triple in it was written for something else. A tuple that is itself an argument, or one
among tuples of several lengths, may as well be a sequence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import cast

from assay_engine.inputs.parts import parts_of
from assay_engine.types import Parameter
from assay_sandbox import Call, Value

# One tuple alone shows nothing of others.
SHOWN_MIN = 2

# An argument's place or name, and the levels below it.
_Place = tuple[str, ...]


class Records:
    """The lengths that tuples have wherever calls show some, at each place the same for all.

    `parameters` are those of the calls, in order. What is annotated with a tuple of any length
    (`tuple[int, ...]`) holds no records.
    """

    def __init__(self, parameters: Sequence[Parameter], shown: Iterable[Call]) -> None:
        self._names = tuple(parameter.name for parameter in parameters)
        self._open = {each.name for each in parameters if "..." in (each.annotation or "")}
        lengths: dict[_Place, list[int]] = {}
        for place, length in chain.from_iterable(map(self._tuples, shown)):
            lengths.setdefault(place, []).append(length)
        self._lengths = {
            place: found[0]
            for place, found in lengths.items()
            if len(found) >= SHOWN_MIN and len(set(found)) == 1
        }

    def keep(self, call: Call) -> bool:
        """Whether the call's tuples are as long, as far as records are known at their places."""
        # Most functions are given none, and thousands of calls are asked about.
        return not self._lengths or all(
            self._lengths.get(place, length) == length for place, length in self._tuples(call)
        )

    def _tuples(self, call: Call) -> Iterator[tuple[_Place, int]]:
        named = zip_longest(self._names[: len(call.args)], call.args)
        for number, (name, value) in enumerate(chain(named, call.kwargs)):
            if name not in self._open:
                yield from _within(value, (name or str(number),))


def _within(value: Value, place: _Place) -> Iterator[tuple[_Place, int]]:
    """The tuples in the value, each with its place and its length; not the argument itself."""
    parts = parts_of(value)
    kind = type(cast(object, value)).__name__
    if isinstance(value, tuple) and len(place) > 1:
        yield place, len(parts)
    for number, part in enumerate(parts):
        # Keys and values of a dict are two kinds of things.
        yield from _within(part, (*place, f"{kind}{number % 2 if kind == 'dict' else ''}"))
