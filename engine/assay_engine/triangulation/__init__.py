"""Semantic triangulation: solutions of a problem and of transformed problems, held together."""

from .cascade import Cascade, cascaded
from .evaluate import Agreement, Request, Rounds, Subject, agreements, carried_out
from .memo import Memo
from .operators import ONE_THIRD, Threshold
from .outcomes import Reading
from .properties import Clause, Points, Scheme, Trial

__all__ = [
    "ONE_THIRD",
    "Agreement",
    "Cascade",
    "Clause",
    "Memo",
    "Points",
    "Reading",
    "Request",
    "Rounds",
    "Scheme",
    "Subject",
    "Threshold",
    "Trial",
    "agreements",
    "carried_out",
    "cascaded",
]
