"""Exact binomial statements about how many of a model's samples behave alike.

Everything is computed from the binomial distribution itself. With tens of samples, no approximation
is needed, and none is good.

Turns the number of samples that agree into the probability that a verdict is true.

Agreement of all samples does not make a function right: a model repeats its mistakes. How often
verdicts came true was measured on recorded samples of real models (`benchmarks/calibration.py`,
`benchmarks/notes/confidence.md`). A report states the value of a logistic curve through these
measurements (Platt, "Probabilistic Outputs for Support Vector Machines", 1999).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import comb, fsum

from msgspec import Struct

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


class Curve(Struct, frozen=True):
    """P(verdict is true) = 1 / (1 + exp(-(intercept + slope * log-odds of the expected share)))."""

    intercept: float
    slope: float

    def probability(self, agreeing: int, total: int) -> float:
        """For a verdict that rests on `agreeing` of `total` samples; 0 < result < 1."""
        return 1.0 / (1.0 + math.exp(-self.intercept - self.slope * log_odds(agreeing, total)))


# For trusted functions, by the input on which the fewest candidates agree with the function: either
# all of them agree even there, or some do not. The number of candidates tells nothing further:
# nearly every function that four candidates agree with, ten agree with.
UNANIMOUS = Curve(1.52, 0.0)
DIVIDED = Curve(0.2, 0.0)
# The same where the candidates are of a panel: of as many models as this, or more. What they agree
# on is right more often.
PANEL_MIN = 3
UNANIMOUS_PANEL = Curve(1.98, 0.0)
DIVIDED_PANEL = Curve(0.82, 0.0)
# For functions that witnesses confirm. The curve was measured for candidates; witnesses are no
# better than the best of these.
WITNESSED = Curve(0.0, 0.57)
# For accusations. They are rare: there are too few to tell whether an accusation is truer if more
# samples agree.
SUSPECT = Curve(2.15, 0.0)
SUSPECT_PANEL = Curve(2.42, 0.0)
# The same where candidates are divided, and the docstring is found to be against the function. Too
# few are known to measure it. It is taken from functions that stand alone among divided candidates,
# of which 11 of 13 were wrong (benchmarks/notes/verdicts.md).
CONTRADICTED = Curve(1.39, 0.0)


def trusted(agreeing: int, total: int, models: int = 1) -> float:
    """The probability that a function found right is right.

    `agreeing` of `total` candidates, by `models` models, agree with it on the input on which the
    fewest do.
    """
    united, divided = UNANIMOUS, DIVIDED
    if models >= PANEL_MIN:
        united, divided = UNANIMOUS_PANEL, DIVIDED_PANEL
    return (united if agreeing == total else divided).probability(agreeing, total)


def suspect(models: int = 1) -> Curve:
    """The curve for accused functions, where the candidates are by so many models."""
    return SUSPECT_PANEL if models >= PANEL_MIN else SUSPECT


def log_odds(agreeing: int, total: int) -> float:
    """The log-odds of the share of further samples that are expected to agree."""
    share = expected_share(agreeing, total)
    return math.log(share / (1.0 - share))
