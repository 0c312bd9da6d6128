"""Which inputs count, decided without an oracle.

An input is in the function's domain if the candidates, by consensus, accept it: they return a
value, or raise an exception that the docstring names. On all other inputs the docstring promises
nothing that one could hold anybody to. (DiffTrust asks the ground truth instead, which a user
does not have.)

The function under trial has a say as well: an input that nothing but its type suggests, and that it
turns away with a ValueError or TypeError of which the docstring does not speak, is a dispute about
the domain, and accuses nobody. What that costs: a function that refuses, in just this way, inputs
which nobody thought of proposing, is not found out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay_engine.deciding.statistics import is_consensus
from assay_sandbox import Observation, Raised, Returned

_REFUSALS = frozenset({"ValueError", "TypeError"})


def accepts(observation: Observation, documented: Collection[str]) -> bool:
    """Whether the program took the input for one that it is meant for."""
    match observation:
        case Returned():
            return True
        case Raised():
            return observation.type_name in documented
        case _:
            return False


def turns_away(observation: Observation, documented: Collection[str]) -> bool:
    """Whether the program refused the input as one that it is not meant for, unasked."""
    if not isinstance(observation, Raised) or observation.type_name in documented:
        return False
    return not _REFUSALS.isdisjoint((observation.type_name, *observation.lineage))


def in_domain(
    observations: Sequence[Observation], weights: Sequence[int], documented: Collection[str]
) -> bool:
    """Whether candidates of these weights accept the input by consensus."""
    accepting = sum(
        weight
        for observation, weight in zip(observations, weights, strict=True)
        if accepts(observation, documented)
    )
    return is_consensus(accepting, sum(weights))
