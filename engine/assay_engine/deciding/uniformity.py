"""Functions whose observed outcomes are too uniform to find them right.

A function that does one and the same thing on every input has shown nothing of when it does
another: a predicate that was asked of what it denies only agrees with every other one.

Methods may have been seen in one state of their object only, or on objects that hold nothing yet.

What an object is like after its own methods were called cannot be made up: the fields that its
constructor does not take have rules that nobody has written down. Where all that was tried is the
state in which it is made, agreement there says little about the method.
"""

from __future__ import annotations

from msgspec import Struct

from assay_engine.deciding.evidence import Evidence
from assay_engine.deciding.voting import Standing
from assay_engine.running.comparing import same_behaviour
from assay_engine.syntax.fields_used import fields_used
from assay_sandbox import Container, Instance, Observation, Value, encode


def only_outcome(evidence: Evidence) -> Observation | None:
    """What the function does on all inputs that count; None if that differs, or for want of two."""
    counted = [vote for vote in evidence.votes if vote.standing is not Standing.OUTSIDE]
    seen = [vote.original.observation for vote in counted]
    return (
        seen[0] if len(seen) > 1 and all(same_behaviour(each, seen[0]) for each in seen) else None
    )


class OneState(Struct, frozen=True):
    """A class whose objects were tried as they are made: altogether, or in so far as these fields
    of theirs hold nothing."""

    class_name: str
    empty: tuple[str, ...] = ()


def only_state(evidence: Evidence) -> OneState | None:
    """In what the objects of a method were all alike; None if that is not so.

    Nor is it where the method meets an example, which may lead to another.
    """
    specification = evidence.specification
    if not specification.has_receiver or specification.examples:
        return None
    receivers = {
        encode(receiver): receiver
        for receiver, vote in zip(evidence.receivers, evidence.votes, strict=True)
        if vote.standing is not Standing.OUTSIDE and receiver is not None
    }
    (receiver, *others) = receivers.values() or (None,)
    if not isinstance(receiver, Instance) or not receiver.fields:
        return None
    if not others:
        return OneState(receiver.type_name)
    used = fields_used(specification.program, specification.unit.name)
    empty = tuple(
        name
        for name, _ in receiver.fields
        if (used is None or name in used)
        and all(_holds_nothing(each, name) for each in (receiver, *others))
        # Where it is made, and somewhere else.
        and specification.program.count(f".{name}") > 1
    )
    return OneState(receiver.type_name, empty) if empty else None


def _holds_nothing(receiver: Value, name: str) -> bool:
    value = dict(receiver.fields).get(name) if isinstance(receiver, Instance) else None
    inner = value.items if isinstance(value, Container) else value
    return isinstance(inner, list | dict | set) and not inner
