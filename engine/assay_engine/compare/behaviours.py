"""Decides when two observations are the same behaviour.

The comparison is observational and deep. A program has no say in it: values are compared as they
were carried over (`same_values`), never by a method of their own.

- Exceptions compare by type (`normalised` first maps them to the documented type that they are or
  derive from). An exception that a function in the input raised, and that the program passed on, is
  that function's word: it counts as it was raised, with its message.
- A `Policy` tells what else counts. Candidates are compared by the lenient and by the strict one.
- Printed output, arguments changed in place and files of the scene are part of the behaviour. How
  often a mock was called, and with which arguments, is not: that is how a program gets there.
- Programs that cannot be loaded are alike, whatever the reason. A value that cannot be carried
  equals nothing.

Where no tolerance is involved, this is an equivalence relation (property-tested), except for
exceptions that were handed on. Two exceptions of the program's own are the same, yet one may have
the message of an exception handed on, and the other not.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from msgspec.structs import replace as with_fields

from assay_engine.compare.policy import USUAL, WORDED_BY_PYTHON, Policy
from assay_engine.compare.same_values import same_value
from assay_engine.values.carried import value_of
from assay_sandbox import (
    Crashed,
    Encoded,
    LoadFailed,
    Observation,
    OutOfMemory,
    OutputExceeded,
    Raised,
    Refused,
    Returned,
    TimedOut,
)


def same_behaviour(left: Observation, right: Observation, policy: Policy = USUAL) -> bool:
    """Whether nobody outside could tell two observations apart, as far as the policy goes."""
    match left, right:
        case Returned(), Returned():
            return (
                left.stdout == right.stdout
                and _same_text(left.value, right.value, policy)
                and _same_besides(left, right, policy)
            )
        case Raised(), Raised():
            # If a function in the input worded either message, the messages count. Which of the two
            # it worded cannot be seen where the program has it called by `functools.cache`.
            is_handed_on = _is_handed_on(left) or _is_handed_on(right)
            return (
                left.type_name == right.type_name
                and left.step == right.step
                and (left.message == right.message or not is_handed_on)
                and left.stdout == right.stdout
                and _same_besides(left, right, policy)
            )
        case Refused(), Refused():
            return left.what == right.what
        case (
            (LoadFailed(), LoadFailed())
            | (TimedOut(), TimedOut())
            | (OutOfMemory(), OutOfMemory())
            | (OutputExceeded(), OutputExceeded())
            | (Crashed(), Crashed())
        ):
            return True
        case _:  # different kinds, or a value that cannot be carried
            return False


def normalised(observation: Observation, documented: Collection[str]) -> Observation:
    """The observation with an exception named as the documented type it is or derives from, if any.

    A docstring names a type as it is imported, an observation by the module that defines it
    (``InvalidOperation``, ``json.JSONDecodeError``), so only the last part has to be the same. An
    exception that the program passed on keeps the type that it was raised with.
    """
    if not isinstance(observation, Raised) or observation.type_name in documented:
        return observation
    lineage = () if _is_handed_on(observation) else observation.lineage
    name = documented_name((observation.type_name, *lineage), documented)
    return observation if name is None else replace(observation, type_name=name)


def documented_name(kinds: Sequence[str], documented: Collection[str]) -> str | None:
    """The docstring's name for the first of some types that the docstring names, or None."""
    by_last_part = {name.rpartition(".")[2]: name for name in documented}
    for kind in kinds:
        name = kind if kind in documented else by_last_part.get(kind.rpartition(".")[2])
        if name is not None:
            return name
    return None


def partition(
    observations: Sequence[Observation], policy: Policy = USUAL
) -> tuple[tuple[int, ...], ...]:
    """Indices grouped by behaviour, in order of first appearance.

    Each observation is compared with the first member of a group, so that tolerance cannot chain
    a group across a distance. An observation that equals nothing is in a group of its own.
    """
    groups: list[list[int]] = []
    # The groups by the identity of their members: a sandbox gives one object for equal values of a
    # run, so most observations are known.
    known: dict[int, list[int]] = {}
    for index, observation in enumerate(observations):
        group = known.get(id(observation)) or next(
            (each for each in groups if same_behaviour(observations[each[0]], observation, policy)),
            None,
        )
        if group is None:
            groups.append(group := list[int]())
        group.append(index)
        if len(group) > 1 or same_behaviour(observation, observation, policy):
            known[id(observation)] = group
    return tuple(tuple(group) for group in groups)


def _is_handed_on(observation: Raised) -> bool:
    """Whether a function in the input raised an exception and worded its message."""
    return observation.passed_on and observation.type_name not in WORDED_BY_PYTHON


def _same_besides(left: Returned | Raised, right: Returned | Raised, policy: Policy) -> bool:
    """Whether the arguments and files are left alike. Nobody sees an order in them."""
    policy = with_fields(policy, ordered=False)
    return (
        not policy.arguments or _same_text(left.args_after, right.args_after, policy)
    ) and _same_text(left.files_after, right.files_after, policy)


def _same_text(left: Encoded | None, right: Encoded | None, policy: Policy) -> bool:
    if left is None or right is None:
        return left is right
    # Equal canonical texts mean equal values, unless something in the values equals nothing.
    if left == right and '"opaque"' not in left:
        return True
    return same_value(value_of(left), value_of(right), policy)
