"""The partial inverse problem: find a value of one parameter, given the result and the others.

Paper, definitions 5.1 and 5.3; solved by the witnesses of FWD-INV. Without other parameters it is
the full inverse problem.
"""

from __future__ import annotations

from assay_engine.transforming.consistency import for_inverse
from assay_engine.transforming.problems import Header, Slot
from assay_engine.transforming.rewriting import Transformation
from assay_engine.transforming.views import View


def inverse(view: View, index: int, result: Slot) -> Transformation:
    parameter = view.header.parameters[index]
    target = Header(
        f"{view.header.name}_inv_{parameter.name}",
        (result, *view.header.without(index)),
        parameter.annotation,
    )
    return Transformation(
        "inverse",
        target,
        {"result": result.name, "parameter": parameter.name},
        view.notes,
        (result.name,),
        for_inverse(view.examples, index),
    )
