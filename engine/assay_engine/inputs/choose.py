"""Mixes inputs of all origins: the most trusted first, each once, up to the budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assay_engine.types import Input, Origin
from assay_sandbox import Call
from assay_sandbox.codec import encode
from assay_sandbox.scenes import scene_value


def call_key(call: Call) -> str:
    """Equal for equal calls: the canonical text of all that is passed."""
    return encode(
        [list(call.args), [list(pair) for pair in call.kwargs], call.stdin, scene_value(call.scene)]
    )


def choose(calls: Mapping[Origin, Sequence[Call]], *, limit: int) -> tuple[Input, ...]:
    """Distinct inputs in the order of `Origin`, at most `limit` of them."""
    chosen: dict[str, Input] = {}
    for entry in _in_order(calls):
        if len(chosen) == limit:
            break
        chosen.setdefault(call_key(entry.call), entry)
    return tuple(chosen.values())


def _in_order(calls: Mapping[Origin, Sequence[Call]]) -> Iterable[Input]:
    for origin in Origin:
        for call in calls.get(origin, ()):
            yield Input(call, origin)
