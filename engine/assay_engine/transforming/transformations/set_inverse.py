"""The partial set-valued inverse problem: list all values of one parameter that give a result.

Paper, definitions 5.5 and 5.7; solved by the witnesses of FWD-SINV and ENUM-SINV. If there are too
many values to list, the answer is some of them, marked as such (section 5.3).
"""

from __future__ import annotations

from assay_engine.transforming.consistency import for_set_inverse
from assay_engine.transforming.problems import Header, Slot
from assay_engine.transforming.rewriting import Transformation
from assay_engine.transforming.views import View


def set_inverse(view: View, index: int, result: Slot, *, exhaustive: bool) -> Transformation:
    parameter = view.header.parameters[index]
    values = parameter.list_type
    target = Header(
        f"{view.header.name}_sinv_{parameter.name}",
        (result, *view.header.without(index)),
        values if exhaustive else f"tuple[bool, {values}]",
    )
    return Transformation(
        "set_inverse" if exhaustive else "partial_inverse",
        target,
        {"result": result.name, "parameter": parameter.name},
        view.notes,
        (result.name,),
        for_set_inverse(view.examples, index),
    )
