"""Functions whose observed outcomes are too uniform to find them right.

A function that does the same thing on every input has not shown when it does anything else. A
predicate that was tried only on inputs that it denies agrees with every other such predicate.

Methods may have been seen in only one state of their object, or only on objects that hold nothing
yet. The state of an object after calls of its own methods cannot be made up: fields that the
constructor does not take follow rules that nobody has written down. If a method was tried only in
the state in which the object is made, agreement there says little about the method.
"""

from __future__ import annotations

from msgspec import Struct

from assay_engine.deciding.evidence import Evidence
from assay_engine.deciding.voting import Standing
from assay_engine.running.comparing import same_behaviour
from assay_engine.syntax.fields_used import fields_used
from assay_sandbox import Container, Instance, Observation, Value, encode


def only_outcome(evidence: Evidence) -> Observation | None:
    """What the function does on all inputs that count.

    None if its outcomes differ, or if fewer than two inputs count.
    """
    counted = [vote for vote in evidence.votes if vote.standing is not Standing.OUTSIDE]
    seen = [vote.original.observation for vote in counted]
    return (
        seen[0] if len(seen) > 1 and all(same_behaviour(each, seen[0]) for each in seen) else None
    )


class OneState(Struct, frozen=True):
    """A class whose objects were tried only in one state.

    If `empty` is empty, all calls were made on the same object value. Otherwise these fields of the
    objects never held anything.
    """

    class_name: str
    empty: tuple[str, ...] = ()


def only_state(evidence: Evidence) -> OneState | None:
    """How the objects that a method was called on were all alike; None if they were not.

    None as well if the docstring has examples, which may lead to other states.
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
        # The field is used not only where it is made but somewhere else, too.
        and specification.program.count(f".{name}") > 1
    )
    return OneState(receiver.type_name, empty) if empty else None


def _holds_nothing(receiver: Value, name: str) -> bool:
    value = dict(receiver.fields).get(name) if isinstance(receiver, Instance) else None
    inner = value.items if isinstance(value, Container) else value
    return isinstance(inner, list | dict | set) and not inner
