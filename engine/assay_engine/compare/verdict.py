"""From votes to a verdict; nothing is run here.

Functions whose observed outcomes are too uniform to find them right.

A function that does the same thing on every input has not shown when it does anything else. A
predicate that was tried only on inputs that it denies agrees with every other such predicate.

Methods may have been seen in only one state of their object, or only on objects that hold nothing
yet. The state of an object after calls of its own methods cannot be made up: fields that the
constructor does not take follow rules that nobody has written down. If a method was tried only in
the state in which the object is made, agreement there says little about the method.
"""

from __future__ import annotations

from msgspec import Struct

from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.evidence import Evidence
from assay_engine.compare.statistics import (
    CONTRADICTED,
    probability_of_share_above,
    support,
    suspect,
    trusted,
)
from assay_engine.compare.votes import ACCUSING, Standing, Vote
from assay_engine.syntax.classes import fields_used
from assay_engine.types import Origin, Status, Verdict
from assay_sandbox import Container, Instance, Observation, Value, encode

# A reading of the docstring is a stray one if at most this share of samples would have it.
STRAY_SHARE = 0.1


def decide(evidence: Evidence) -> Verdict:
    """The verdict on all votes.

    A function that is not deterministic, or differs in a way that does not recur, can be found
    wrong but not right. Nor is it found right if it fails an example, even if it agrees with
    candidates that fail the example alike: prose and example of its docstring then say different
    things. If at least as many candidates agree with the function there as meet the example, nobody
    knows how likely the function is wrong.

    The function is not accused of a case that the docstring does not decide, however many
    candidates agree on it.
    """
    counted, shown, models = evidence.counted, evidence.shown, evidence.models

    def verdict(status: Status, confidence: float | None, vote: Vote | None) -> Verdict:
        seen = None if vote is None else support(vote.leading.weight, vote.total)
        return Verdict(status, confidence, seen, len(evidence.votes), len(counted))

    if evidence.failures:
        return verdict(Status.SUSPECT, None if evidence.is_disputed else 1.0, shown)
    if evidence.left_open is not None or evidence.is_open:
        return verdict(Status.AMBIGUOUS, None, shown)
    if shown is not None and shown.standing in ACCUSING:
        curve = CONTRADICTED if evidence.is_contradicted else suspect(models)
        wrong = curve.probability(shown.leading.weight, shown.total)
        return verdict(Status.SUSPECT, wrong, shown)
    if shown is not None and shown.standing is Standing.SPLIT:
        doubt = probability_of_share_above(STRAY_SHARE, shown.second_weight, shown.total)
        return verdict(Status.AMBIGUOUS, doubt, shown)
    agreeing = [vote for vote in counted if vote.standing is Standing.AGREES]
    steady = evidence.is_deterministic and not evidence.not_recurring
    if not agreeing or len(agreeing) < len(counted) / 2 or not steady:
        return verdict(Status.ABSTAINED, None, None)
    weakest = min(agreeing, key=lambda vote: vote.leading.weight / vote.total)
    if evidence.doubtful:
        return verdict(Status.AMBIGUOUS, None, weakest)
    right = trusted(weakest.leading.weight, weakest.total, models)
    return verdict(Status.TRUSTED, right, weakest)


def unsupported() -> Verdict:
    return Verdict(Status.UNSUPPORTED, None, None, 0, 0)


def abstained() -> Verdict:
    return Verdict(Status.ABSTAINED, None, None, 0, 0)


def hardly_tried(evidence: Evidence) -> bool:
    """Whether a function that takes arguments was tried on one input, or on its examples alone.

    The candidates were shown the examples, and those that fail one do not vote.
    """
    origins = [vote.input.origin for vote in evidence.counted]
    takes_arguments = bool(evidence.specification.given_parameters)
    return takes_arguments and (len(origins) == 1 or set(origins) == {Origin.EXAMPLE})


def only_outcome(evidence: Evidence) -> Observation | None:
    """What the function does on all inputs that count.

    None if its outcomes differ, or if fewer than two inputs count.
    """
    seen = [vote.original.observation for vote in evidence.counted]
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

    None as well if there are examples or scripts, which may lead to other states.
    """
    specification = evidence.specification
    if not specification.has_receiver or specification.examples or None in evidence.receivers:
        return None
    receivers = {encode(receiver): receiver for receiver in evidence.receivers}
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
