"""Transformations of a problem, one per file: each gives the new header and the prompt for it."""

from assay_engine.transforming.transformations.enumeration import enumeration
from assay_engine.transforming.transformations.inverse import inverse
from assay_engine.transforming.transformations.off_by_one import off_by_one
from assay_engine.transforming.transformations.postcondition import postcondition
from assay_engine.transforming.transformations.set_inverse import set_inverse
from assay_engine.transforming.transformations.translation import translation
from assay_engine.transforming.transformations.union_parts import union_parts

__all__ = [
    "enumeration",
    "inverse",
    "off_by_one",
    "postcondition",
    "set_inverse",
    "translation",
    "union_parts",
]
