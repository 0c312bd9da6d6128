"""Tells calls apart."""

from __future__ import annotations

from collections.abc import Iterable

from assay_sandbox import Call, encode
from assay_sandbox.scenes import scene_value


def call_key(call: Call) -> str:
    """The canonical text of everything that a call passes, which is equal for equal calls."""
    return encode(
        [list(call.args), [list(pair) for pair in call.kwargs], call.stdin, scene_value(call.scene)]
    )


def unknown(calls: Iterable[Call], known: Iterable[Call]) -> tuple[Call, ...]:
    """The calls that are not among the known ones, each once."""
    keys = set(map(call_key, known))
    found: list[Call] = []
    for call in calls:
        key = call_key(call)
        if key not in keys:
            keys.add(key)
            found.append(call)
    return tuple(found)
