"""Decides which tuples are records: those inside other values, if all shown have one length.

`[(2, 7), (1, 8)]` is a list of pairs even without an annotation that says so. A function that gets
it was not written for a triple in the list. A tuple that is itself an argument, or one among tuples
of several lengths, may as well be a sequence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import cast

from assay_engine.types import Parameter
from assay_engine.values.parts import parts_of
from assay_sandbox import Call, Value

# A single tuple shows nothing about others.
SHOWN_MIN = 2

# The position or name of an argument, and the levels below it.
_Place = tuple[str, ...]


class Records:
    """The lengths of records: at a record's place, all tuples in the shown calls have one length.

    `parameters` are those of the calls, in order. A parameter that is annotated with a tuple of any
    length (`tuple[int, ...]`) holds no records.
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
        """Whether the call's tuples have the known lengths wherever records are known."""
        # A shortcut: most functions get no records, and thousands of calls are checked.
        return not self._lengths or all(
            self._lengths.get(place, length) == length for place, length in self._tuples(call)
        )

    def _tuples(self, call: Call) -> Iterator[tuple[_Place, int]]:
        named = zip_longest(self._names[: len(call.args)], call.args)
        for number, (name, value) in enumerate(chain(named, call.kwargs)):
            if name not in self._open:
                yield from _within(value, (name or str(number),))


def _within(value: Value, place: _Place) -> Iterator[tuple[_Place, int]]:
    """The place and length of each tuple in the value; an argument itself is left out."""
    parts = parts_of(value)
    kind = type(cast(object, value)).__name__
    if isinstance(value, tuple) and len(place) > 1:
        yield place, len(parts)
    for number, part in enumerate(parts):
        # Keys and values of a dict are two kinds of things.
        yield from _within(part, (*place, f"{kind}{number % 2 if kind == 'dict' else ''}"))
