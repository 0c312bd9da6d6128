"""The schemes of the paper, one file each."""

from .enum_sinv import ENUM_SINV
from .fwd_enum import FWD_ENUM
from .fwd_inv import FWD_INV
from .fwd_sinv import FWD_SINV
from .off_by_one import OFF_BY_ONE
from .postcondition import POSTCONDITION
from .stream import stream, stream_cascade
from .syntactic import SYNTACTIC

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
