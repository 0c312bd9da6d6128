"""The answer enumeration problem: list all results that are right for an input.

Paper, definition 5.9; solved by the enumerators of ENUM-SINV.
"""

from __future__ import annotations

from assay_engine.transforming.consistency import for_enumeration
from assay_engine.transforming.problems import Header
from assay_engine.transforming.rewriting import Transformation
from assay_engine.transforming.views import View


def enumeration(view: View) -> Transformation:
    """`view` is the problem before any parameter is split: the programs are adapted instead."""
    returns = view.header.returns
    values = "list" if returns is None else f"list[{returns}]"
    target = Header(f"{view.header.name}_enum", view.header.parameters, f"tuple[bool, {values}]")
    return Transformation("enumeration", target, {}, view.notes, (), for_enumeration(view.examples))
