"""From the samples that agree to the probability that a verdict is true.

That all samples agree does not make a function right: a model repeats its mistakes. How often
verdicts came true was measured on recorded samples of real models (`benchmarks/calibration.py`,
`benchmarks/RESULTS.md`), and a logistic curve through that is what a report states (Platt,
"Probabilistic Outputs for Support Vector Machines", 1999).
"""

from __future__ import annotations

import math

from msgspec import Struct

from assay_engine.deciding.ground import Ground
from assay_engine.deciding.statistics import expected_share


class Curve(Struct, frozen=True):
    """P(verdict is true) = 1 / (1 + exp(-(intercept + slope * log-odds of the expected share)))."""

    intercept: float
    slope: float

    def probability(self, agreeing: int, total: int) -> float:
        """For a verdict that rests on `agreeing` of `total` samples; 0 < result < 1."""
        return 1.0 / (1.0 + math.exp(-self.intercept - self.slope * log_odds(agreeing, total)))


# Of trusted functions, where all candidates do what the function does on the input on which fewest
# do, and where some do not. How many they are says no more: nearly all that four agree with, ten
# agree with.
UNANIMOUS = Curve(1.52, 0.0)
DIVIDED = Curve(0.2, 0.0)
# Of what witnesses confirm; measured for candidates, of which they are no better than the best.
WITNESSED = Curve(0.0, 0.57)
# By what an accusation rests on. Accusations are rare: too few to tell whether more samples that
# agree make them truer.
SUSPECT = {
    Ground.MEANT: Curve(2.15, 0.0),
    Ground.MADE_UP: Curve(1.17, 0.0),
    Ground.UNCORROBORATED: Curve(0.24, 0.0),
}


def trusted(agreeing: int, total: int) -> float:
    """For a function found right, of whose candidates so many agree with it where fewest do."""
    curve = UNANIMOUS if agreeing == total else DIVIDED
    return curve.probability(agreeing, total)


def log_odds(agreeing: int, total: int) -> float:
    """Of the share of further samples that are expected to agree."""
    share = expected_share(agreeing, total)
    return math.log(share / (1.0 - share))
