"""Turns the number of samples that agree into the probability that a verdict is true.

Agreement of all samples does not make a function right: a model repeats its mistakes. How often
verdicts came true was measured on recorded samples of real models (`benchmarks/calibration.py`,
`benchmarks/notes/confidence.md`). A report states the value of a logistic curve through these
measurements (Platt, "Probabilistic Outputs for Support Vector Machines", 1999).
"""

from __future__ import annotations

import math

from msgspec import Struct

from assay_engine.deciding.statistics import expected_share


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
# For accusations by inputs that somebody meant, and by made-up ones, which the docstring may not
# mention at all. Accusations are rare: there are too few to tell whether an accusation is truer if
# more samples agree.
SUSPECT = Curve(2.15, 0.0)
SUSPECT_MADE_UP = Curve(1.17, 0.0)
SUSPECT_PANEL = Curve(2.42, 0.0)


def trusted(agreeing: int, total: int, models: int = 1) -> float:
    """The probability that a function found right is right.

    `agreeing` of `total` candidates, by `models` models, agree with it on the input on which the
    fewest do.
    """
    united, divided = UNANIMOUS, DIVIDED
    if models >= PANEL_MIN:
        united, divided = UNANIMOUS_PANEL, DIVIDED_PANEL
    return (united if agreeing == total else divided).probability(agreeing, total)


def suspect(models: int = 1, *, made_up: bool) -> Curve:
    """The curve for accused functions, by an input that somebody meant or a made-up one."""
    if made_up:
        return SUSPECT_MADE_UP
    return SUSPECT_PANEL if models >= PANEL_MIN else SUSPECT


def log_odds(agreeing: int, total: int) -> float:
    """The log-odds of the share of further samples that are expected to agree."""
    share = expected_share(agreeing, total)
    return math.log(share / (1.0 - share))
