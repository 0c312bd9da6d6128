"""Exact binomial statements about how many of a model's samples behave alike.

Everything is computed from the binomial distribution itself. With tens of samples, no approximation
is needed, and none is good.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, fsum

from assay_engine.types import Support

# A class is called the consensus if its size would be unlikely for an evenly divided model: if only
# half of all samples belonged to the class, a draw with so many of them would be seen at most once
# in ten draws. Examples are 8 of 10, 7 of 9, 5 of 5 and 4 of 4, but never 3 of 3.
CONSENSUS_LEVEL = 0.1
# The confidence level of the intervals that are shown.
INTERVAL_LEVEL = 0.95

_BISECTION_STEPS = 60  # halves [0, 1] to below the resolution of a double


def tail(successes: int, trials: int, share: float) -> float:
    """P(X >= successes) for X binomial over `trials` with probability `share`."""
    return fsum(
        comb(trials, k) * share**k * (1.0 - share) ** (trials - k)
        for k in range(max(successes, 0), trials + 1)
    )


def support(agreeing: int, total: int) -> Support:
    """The share `agreeing` / `total`, with its exact interval (Clopper and Pearson, 1934)."""
    miss = (1.0 - INTERVAL_LEVEL) / 2.0
    low = 0.0 if agreeing == 0 else _solve(lambda p: tail(agreeing, total, p), miss)
    high = 1.0 if agreeing == total else _solve(lambda p: tail(agreeing + 1, total, p), 1.0 - miss)
    return Support(agreeing, total, low, high)


def is_consensus(weight: int, total: int) -> bool:
    """Whether an evenly divided model would hardly give `weight` of `total` samples alike."""
    return total > 0 and tail(weight, total, 0.5) <= CONSENSUS_LEVEL


def expected_share(agreeing: int, total: int) -> float:
    """The expected share of further samples that agree (Laplace's rule of succession)."""
    return (agreeing + 1) / (total + 2)


def probability_of_share_above(share: float, seen: int, total: int) -> float:
    """P(true share > `share`) after `seen` of `total`, from a uniform prior.

    The posterior is Beta(seen + 1, total - seen + 1), whose distribution function is a binomial
    tail over one more trial.
    """
    return 1.0 - tail(seen + 1, total + 1, share)


def _solve(increasing: Callable[[float], float], target: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(_BISECTION_STEPS):
        middle = (low + high) / 2.0
        if increasing(middle) < target:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0
