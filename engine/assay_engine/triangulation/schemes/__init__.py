"""The schemes of the paper, one file each."""

from assay_engine.triangulation.schemes.enum_sinv import ENUM_SINV
from assay_engine.triangulation.schemes.fwd_enum import FWD_ENUM
from assay_engine.triangulation.schemes.fwd_inv import FWD_INV
from assay_engine.triangulation.schemes.fwd_sinv import FWD_SINV
from assay_engine.triangulation.schemes.off_by_one import OFF_BY_ONE
from assay_engine.triangulation.schemes.postcondition import POSTCONDITION
from assay_engine.triangulation.schemes.stream import stream, stream_cascade
from assay_engine.triangulation.schemes.syntactic import SYNTACTIC

__all__ = [
    "ENUM_SINV",
    "FWD_ENUM",
    "FWD_INV",
    "FWD_SINV",
    "OFF_BY_ONE",
    "POSTCONDITION",
    "SYNTACTIC",
    "stream",
    "stream_cascade",
]
