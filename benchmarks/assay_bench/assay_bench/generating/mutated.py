"""Inputs by mutation of others: edits, limit cases, constants and cross-overs. Pure and seeded.

Cross-overs: calls with parts of other calls, or with their own parts in other places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from random import Random

from assay_bench.generating.boundaries import bounded, planted
from assay_bench.generating.editing import edited
from assay_bench.generating.material import Material, material_of, shape_of, slots_of, with_slots
from assay_engine.values.carried import call_key
from assay_engine.values.parts import parts_of
from assay_sandbox import Call, Value

# How many changes a mutant gets: one stays close to the seed, many leave its neighbourhood.
ROUNDS = (1, 1, 1, 2, 4, 8)
# A limit to the search: a function of two booleans has four calls, and there is no fifth to find.
ATTEMPTS_PER_CALL = 8
# How often a change puts in a constant, where there are constants.
PLANTED = 0.2
# The most characters in a call's canonical text. In `mutations` the limit is twice the length of
# the longest seed, where that is more.
LENGTH_MAX = 4_000


def mutations(
    seeds: Sequence[Call], count: int, seed: int, constants: Sequence[Value] = ()
) -> tuple[Call, ...]:
    """At most `count` calls made of the seeds and constants, distinct from seeds and each other.

    There are fewer where no more can be found. Types are kept as far as the seeds show them.
    Relations between arguments are not kept: it is for the domain to refuse inputs that break one.
    """
    if not seeds:
        return ()
    random, material = Random(seed), material_of(seeds, constants)
    known = {call_key(call) for call in seeds}
    longest = max(LENGTH_MAX, 2 * max(map(len, known)))
    made = (_mutant(random.choice(seeds), seeds, material, random) for _ in repeat(None))
    return _distinct(made, count, known, longest)


def _distinct(made: Iterator[Call], count: int, known: set[str], longest: int) -> tuple[Call, ...]:
    found: list[Call] = []
    for _ in range(ATTEMPTS_PER_CALL * count):
        if len(found) == count:
            break
        call = next(made)
        key = call_key(call)
        if key not in known and len(key) <= longest:
            known.add(key)
            found.append(call)
    return tuple(found)


def _mutant(call: Call, mates: Sequence[Call], material: Material, random: Random) -> Call:
    """The call after one to eight changes; the same call where there is nothing to change."""
    for _ in range(random.choice(ROUNDS)):
        call = _changed(call, mates, material, random)
    return call


def _changed(call: Call, mates: Sequence[Call], material: Material, random: Random) -> Call:
    slots = slots_of(call)
    if not slots:
        return call
    at = random.randrange(len(slots))
    if material.constants and random.random() < PLANTED:
        slots[at] = planted(slots[at], material, random)
        return with_slots(call, slots)
    match random.randrange(10):
        case 0:
            return crossed(call, random.choice(mates), random)
        case 1:
            return aligned(call, random)
        case 2 | 3:
            slots[at] = bounded(slots[at], material, random)
        case _:
            slots[at] = edited(slots[at], material, random)
    return with_slots(call, slots)


# The types that have slices and a length.
_SEQUENCES = (str, bytes, list)


def crossed(call: Call, other: Call, random: Random) -> Call:
    """The call with one slot taken from the other call, or spliced with that slot."""
    slots, others = slots_of(call), slots_of(other)
    common = _common_slots(call, other)
    if not common:
        return call
    here, there = random.choice(common)
    spliced = _spliced(slots[here], others[there], random)
    slots[here] = others[there] if spliced is None or random.random() < 0.5 else spliced
    return with_slots(call, slots)


def aligned(call: Call, random: Random) -> Call:
    """The call with a piece of one slot put in another, so that arguments are equal or nested.

    The thing that a search looks for is seldom in the place searched unless it is put there.
    """
    slots = slots_of(call)
    if len(slots) < 2:
        return call
    source, target = random.sample(range(len(slots)), 2)
    shape = shape_of(slots[target])
    fitting = [value for value in _pieces(slots[source], random) if shape_of(value) == shape]
    if not fitting:
        return call
    slots[target] = random.choice(fitting)
    return with_slots(call, slots)


def _common_slots(call: Call, other: Call) -> list[tuple[int, int]]:
    """Pairs of slots of the two calls that pass the same parameter."""
    pairs = [(at, at) for at in range(min(len(call.args), len(other.args)))]
    theirs = {name: len(other.args) + at for at, (name, _) in enumerate(other.kwargs)}
    for at, (name, _) in enumerate(call.kwargs):
        if name in theirs:
            pairs.append((len(call.args) + at, theirs[name]))
    if call.stdin and other.stdin:
        pairs.append((len(slots_of(call)) - 1, len(slots_of(other)) - 1))
    return pairs


def _spliced(left: Value, right: Value, random: Random) -> Value | None:
    """The beginning of one and the end of the other; None where the two cannot be spliced."""
    if type(left) is not type(right) or type(left) not in _SEQUENCES:
        return None
    return left[: random.randint(0, len(left))] + right[random.randint(0, len(right)) :]


def _pieces(value: Value, random: Random) -> list[Value]:
    """The value and its parts; for a sequence, also some slices and its length."""
    pieces = [value, *parts_of(value)]
    if type(value) in _SEQUENCES:
        for _ in range(3):
            start = random.randint(0, len(value))
            pieces.append(value[start : random.randint(start, len(value))])
        pieces.append(len(value))
    return pieces
