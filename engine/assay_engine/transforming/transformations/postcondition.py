"""The checking problem: tell if a result is right for an input. Paper, section 4.4; a baseline.

This problem is what remains where no inverse makes sense, as for predicates.
"""

from __future__ import annotations

from assay_engine.transforming.consistency import for_postcondition
from assay_engine.transforming.problems import Header, Slot
from assay_engine.transforming.rewriting import Transformation
from assay_engine.transforming.views import View


def postcondition(view: View, result: Slot) -> Transformation:
    target = Header(f"{view.header.name}_postcondition", (*view.header.parameters, result), "bool")
    return Transformation(
        "postcondition",
        target,
        {"result": result.name},
        view.notes,
        (result.name,),
        for_postcondition(view.examples),
    )
