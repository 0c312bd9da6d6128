"""The same problem in another natural language. Paper, section 6: Syntactic; a baseline."""

from __future__ import annotations

from assay_engine.transforming.consistency import for_same_problem
from assay_engine.transforming.rewriting import Transformation
from assay_engine.transforming.views import View


def translation(view: View) -> Transformation:
    return Transformation(
        "translation", view.header, {}, view.notes, (), for_same_problem(view.examples)
    )
