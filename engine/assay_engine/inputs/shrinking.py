"""Makes a call smaller by one step: an item less, a shorter text, a number nearer to nought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from assay_sandbox import Call, Value

# From a longer text or list, halves are taken first.
PLACES_MAX = 16


def smaller(call: Call) -> Iterator[Call]:
    """The calls that are one step smaller, those that leave most out first."""
    for at in range(len(call.kwargs)):
        yield replace(call, kwargs=call.kwargs[:at] + call.kwargs[at + 1 :])
    for at, value in enumerate(call.args):
        for each in _smaller(value):
            yield replace(call, args=(*call.args[:at], each, *call.args[at + 1 :]))
    for at, (name, value) in enumerate(call.kwargs):
        for each in _smaller(value):
            yield replace(call, kwargs=(*call.kwargs[:at], (name, each), *call.kwargs[at + 1 :]))


def _smaller(value: Value) -> Iterator[Value]:
    match value:
        case bool():
            yield from (False,) if value else ()
        case int() if value:
            yield from dict.fromkeys((0, value // 2, abs(value), value - (1 if value > 0 else -1)))
        case float() if value:
            yield from dict.fromkeys((0.0, float(int(value)) if abs(value) < 1e15 else 0.0))
        case str() | bytes():
            yield from _shorter(value)
        case list() | tuple():
            items = cast("Sequence[Value]", value)
            yield from _shorter(items)
            for at, item in enumerate(items[:PLACES_MAX]):
                for each in _smaller(item):
                    made = [*items[:at], each, *items[at + 1 :]]
                    yield tuple(made) if isinstance(items, tuple) else made
        case dict():
            entries = cast("dict[Value, Value]", value)
            for key in entries:
                yield {other: item for other, item in entries.items() if other != key}
            for key, item in entries.items():
                for each in _smaller(item):
                    yield entries | {key: each}
        case _:
            pass


def _shorter(items: Value) -> Iterator[Value]:
    half = len(items) // 2
    if half:
        yield items[:half]
        yield items[half:]
    for at in range(min(len(items), PLACES_MAX)):
        yield items[:at] + items[at + 1 :]
