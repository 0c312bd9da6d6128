"""What tells one call from another."""

from __future__ import annotations

from collections.abc import Iterable

from assay_sandbox import Call, encode
from assay_sandbox.scenes import scene_value


def call_key(call: Call) -> str:
    """Equal for equal calls: the canonical text of all that is passed."""
    return encode(
        [list(call.args), [list(pair) for pair in call.kwargs], call.stdin, scene_value(call.scene)]
    )


def unknown(calls: Iterable[Call], known: Iterable[Call]) -> tuple[Call, ...]:
    """Those that are not among the known ones, each once."""
    keys = set(map(call_key, known))
    found: list[Call] = []
    for call in calls:
        key = call_key(call)
        if key not in keys:
            keys.add(key)
            found.append(call)
    return tuple(found)
