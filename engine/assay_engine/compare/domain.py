"""Decides without an oracle which inputs count (docs/inputs.md has the reasons and the costs).

An input is in the function's domain if most of the candidates accept it: they return a value, or
raise an exception that the docstring names. On all other inputs the docstring promises nothing that
a program could be held to. (DiffTrust asks the ground truth instead, which a user does not have.)
Candidates that reject an input that most accept have no say in its result. They are taken to be
wrong about the input; their rejection is no reason to disregard it. But if a majority accepts the
input and no consensus does, and the accepting candidates settle nothing, the input is left out: the
candidates disagree about the domain.

The function under trial has a say as well. If a consensus of all candidates accepts an input, the
function has to accept it. If only a majority does, its refusal is a dispute about the domain and
accuses nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from assay_engine.compare.behaviours import documented_name
from assay_engine.compare.statistics import is_consensus
from assay_sandbox import Observation, Raised, Refused, Returned, TimedOut


def accepts(observation: Observation, documented: Collection[str]) -> bool:
    """Whether the program accepted the input: it returned, or raised a documented exception."""
    match observation:
        case Returned():
            return True
        case Raised(passed_on=True):
            # Such an exception keeps its own name, so look for a documented base class as well.
            kinds = (observation.type_name, *observation.lineage)
            return documented_name(kinds, documented) is not None
        case Raised():
            return observation.type_name in documented
        case _:
            return False


def passed_on(observations: Iterable[Observation]) -> tuple[str, ...]:
    """The names of the exceptions that began in a function that the input contains.

    The input's author meant that function to raise. What becomes of the exception is an answer like
    any other.
    """
    found = {each.type_name for each in observations if isinstance(each, Raised) and each.passed_on}
    return tuple(sorted(found))


def raised_by(observations: Iterable[Observation]) -> tuple[str, ...]:
    """The names of all exceptions that were raised."""
    return tuple(sorted({each.type_name for each in observations if isinstance(each, Raised)}))


def agreed_exceptions(
    observations: Sequence[Observation], weights: Sequence[int]
) -> tuple[str, ...]:
    """The exception that a consensus of candidates of these weights raises, if there is one."""
    raised = Counter[str]()
    for observation, weight in zip(observations, weights, strict=True):
        if isinstance(observation, Raised):
            raised[observation.type_name] += weight
    return tuple(name for name, weight in raised.items() if is_consensus(weight, sum(weights)))


def is_kept_from(observation: Observation, documented: Collection[str]) -> bool:
    """Whether the program was refused something by the sandbox, or met a module that is not
    installed here. That tells about the sandbox, and nothing about the function.

    The modules that the program itself imports are checked before it runs. A module of the
    workspace may import others when it is called.
    """
    if isinstance(observation, Refused):
        return True
    missing = isinstance(observation, Raised) and observation.type_name == "ModuleNotFoundError"
    return missing and "ModuleNotFoundError" not in documented


def was_seen(observation: Observation) -> bool:
    """Whether the program was run on the input. If not, other inputs used up the batch's time."""
    return not (isinstance(observation, TimedOut) and observation.whole_batch)


class Acceptance(Struct, frozen=True):
    """The weights of the candidates that accept an input, of those run on it, and of all."""

    accepting: int
    seen: int
    total: int

    @property
    def by_majority(self) -> bool:
        return 2 * self.accepting > self.seen and 2 * self.seen > self.total

    @property
    def by_consensus(self) -> bool:
        return is_consensus(self.accepting, self.seen)


def acceptance(
    observations: Sequence[Observation], weights: Sequence[int], documented: Collection[str]
) -> Acceptance:
    """Count how far candidates of these weights accept the input."""
    accepting = seen = 0
    for observation, weight in zip(observations, weights, strict=True):
        if was_seen(observation):
            seen += weight
            accepting += weight * accepts(observation, documented)
    return Acceptance(accepting, seen, sum(weights))
