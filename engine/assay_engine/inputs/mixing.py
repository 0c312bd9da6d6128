"""Mixes inputs of all origins: the most trusted first, each once, up to the budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from assay_engine.running.call_keys import call_key
from assay_engine.types import MEANT, Input, Origin
from assay_sandbox import Call

# Shares of the room that is left beside inputs that somebody meant, where both origins have enough:
# half are made from types, half from seeds.
SHARES = {Origin.TYPED: 0.5, Origin.MUTATED: 0.5}
INPUTS_MIN = 20
INPUTS_MAX = 400


def inputs_within(calls: int, programs: int) -> int:
    """How many inputs a budget of program calls allows for so many programs."""
    return max(INPUTS_MIN, min(INPUTS_MAX, calls // max(1, programs)))


def choose(calls: Mapping[Origin, Sequence[Call]], *, limit: int, seed: int) -> tuple[Input, ...]:
    """Distinct inputs, at most `limit`: the trusted ones in order, then the others by their shares.

    Any prefix of the chosen inputs is mixed like the whole, so that a budget can be cut.
    """
    chosen: dict[str, Input] = {}
    for entry in _in_order(calls, Random(seed)):
        if len(chosen) == limit:
            break
        chosen.setdefault(call_key(entry.call), entry)
    return tuple(chosen.values())


def _in_order(calls: Mapping[Origin, Sequence[Call]], random: Random) -> Iterator[Input]:
    for origin in MEANT:
        for call in calls.get(origin, ()):
            yield Input(call, origin)
    waiting = {origin: iter(calls.get(origin, ())) for origin in SHARES}
    while waiting:
        origins = list(waiting)
        (origin,) = random.choices(origins, [SHARES[each] for each in origins])
        call = next(waiting[origin], None)
        if call is None:
            del waiting[origin]
        else:
            yield Input(call, origin)
