"""Semantic triangulation: solutions of a problem and of transformed problems, held together."""

from assay_engine.triangulation.cascade import Cascade, cascaded
from assay_engine.triangulation.evaluate import (
    Agreement,
    Request,
    Rounds,
    Subject,
    agreements,
    carried_out,
)
from assay_engine.triangulation.memo import Memo
from assay_engine.triangulation.operators import ONE_THIRD, Threshold
from assay_engine.triangulation.outcomes import Reading
from assay_engine.triangulation.properties import Clause, Points, Rules, Scheme, Trial

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
    "Rules",
    "Scheme",
    "Subject",
    "Threshold",
    "Trial",
    "agreements",
    "carried_out",
    "cascaded",
]
