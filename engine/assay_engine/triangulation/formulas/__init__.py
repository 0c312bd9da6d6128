"""Semantic triangulation: compares solutions of a problem with those of transformed problems."""

from assay_engine.triangulation.formulas.compositions import Cascade, cascaded
from assay_engine.triangulation.formulas.evaluate import (
    Agreement,
    Rounds,
    Subject,
    agreements,
    carried_out,
)
from assay_engine.triangulation.formulas.operators import Threshold
from assay_engine.triangulation.formulas.outcomes import Memo, ResultKind
from assay_engine.triangulation.formulas.properties import Interpretation, Points, Rules, Scheme

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
