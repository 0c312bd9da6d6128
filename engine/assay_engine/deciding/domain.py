"""Which inputs count, decided without an oracle (docs/inputs.md has the reasons and the costs).

An input is in the function's domain if most of the candidates accept it: they return a value, or
raise an exception that the docstring names. On all other inputs the docstring promises nothing that
one could hold anybody to. (DiffTrust asks the ground truth instead, which a user does not have.)
Candidates that reject what most accept have no say in what it should give: they are taken for wrong
about it, and not for a reason to disregard it. But where a majority is no consensus, and those that
accept settle nothing, the input is left out: the candidates disagree about the domain.

The function under trial has a say as well. Where a consensus of all candidates accepts the input it
has to; where only a majority does, its refusal is a dispute about the domain and accuses nobody.
Nor does an input that nothing but types and mutations suggest, and that it turns away with a
ValueError or TypeError of which the docstring does not speak. What that costs: a function that
refuses, in just this way, inputs which nobody thought of proposing, is not found out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from assay_engine.deciding.statistics import is_consensus
from assay_engine.running.comparing import documented_name
from assay_sandbox import Observation, Raised, Returned, TimedOut

_REFUSALS = frozenset({"ValueError", "TypeError"})


def accepts(observation: Observation, documented: Collection[str]) -> bool:
    """Whether the program took the input for one that it is meant for."""
    match observation:
        case Returned():
            return True
        case Raised(passed_on=True):
            # It keeps its own name.
            kinds = (observation.type_name, *observation.lineage)
            return documented_name(kinds, documented) is not None
        case Raised():
            return observation.type_name in documented
        case _:
            return False


def turns_away(observation: Observation, documented: Collection[str]) -> bool:
    """Whether the program refused the input as one that it is not meant for, unasked."""
    return raises_unasked(observation, documented, _REFUSALS)


def raises_unasked(
    observation: Observation, documented: Collection[str], kinds: frozenset[str]
) -> bool:
    """Whether the program raised one of these exceptions, or of their kinds, and no docstring says
    that it does."""
    if not isinstance(observation, Raised) or accepts(observation, documented):
        return False
    return not kinds.isdisjoint((observation.type_name, *observation.lineage))


def passed_on(observations: Iterable[Observation]) -> tuple[str, ...]:
    """The exceptions that began in a function that the input gives.

    Where somebody meant the input, who wrote that function meant it to raise, and what becomes of
    it is an answer like another.
    """
    found = {each.type_name for each in observations if isinstance(each, Raised) and each.passed_on}
    return tuple(sorted(found))


def lacks_module(observation: Observation, documented: Collection[str]) -> bool:
    """Whether the program came to a module that is not installed here.

    Those that it imports itself are asked for before; a module of the workspace may import others
    when it is called. That says what is installed, and nothing about the function.
    """
    missing = isinstance(observation, Raised) and observation.type_name == "ModuleNotFoundError"
    return missing and "ModuleNotFoundError" not in documented


def was_seen(observation: Observation) -> bool:
    """Whether the program was run on the input: its time was not used up by other inputs."""
    return not (isinstance(observation, TimedOut) and observation.whole_batch)


class Acceptance(Struct, frozen=True):
    """The weight of the candidates that accept an input, of those seen on it, and of all."""

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
    """How far candidates of these weights accept the input."""
    accepting = seen = 0
    for observation, weight in zip(observations, weights, strict=True):
        if was_seen(observation):
            seen += weight
            accepting += weight * accepts(observation, documented)
    return Acceptance(accepting, seen, sum(weights))
