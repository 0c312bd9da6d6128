"""Semantic triangulation: compares solutions of a problem with those of transformed problems."""

from assay_engine.triangulation.cascade import Cascade, cascaded
from assay_engine.triangulation.evaluate import (
    Agreement,
    Rounds,
    Subject,
    agreements,
    carried_out,
)
from assay_engine.triangulation.memo import Memo
from assay_engine.triangulation.operators import Threshold
from assay_engine.triangulation.outcomes import ResultKind
from assay_engine.triangulation.properties import Interpretation, Points, Rules, Scheme

__all__ = [
    "Agreement",
    "Cascade",
    "Interpretation",
    "Memo",
    "Points",
    "ResultKind",
    "Rounds",
    "Rules",
    "Scheme",
    "Subject",
    "Threshold",
    "agreements",
    "carried_out",
    "cascaded",
]
