"""Cross-overs: calls with parts of other calls, or with their own parts in other places."""

from __future__ import annotations

from random import Random

from assay_engine.inputs.material import slots_of, with_slots
from assay_engine.inputs.parts import parts_of, shape_of
from assay_sandbox import Call, Value

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
