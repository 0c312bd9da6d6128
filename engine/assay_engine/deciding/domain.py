"""Which inputs count, decided without an oracle.

An input is in the function's domain if the candidates, by consensus, accept it: they return a
value, or raise an exception that the docstring names. On all other inputs the docstring promises
nothing that one could hold anybody to. (DiffTrust asks the ground truth instead, which a user
does not have.)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay_engine.deciding.statistics import is_consensus
from assay_sandbox import Observation, Raised, Returned


def accepts(observation: Observation, documented: Collection[str]) -> bool:
    """Whether the program took the input for one that it is meant for."""
    match observation:
        case Returned():
            return True
        case Raised():
            return observation.type_name in documented
        case _:
            return False


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
