"""The same problem with every result shifted. Paper, section 6: OffByOne; a baseline.

No model is needed for the transformation: a sentence is added to the docstring.
"""

from __future__ import annotations

from assay_engine.transforming.problems import header_of, stated
from assay_engine.types import Specification

_SHIFT = (
    "Finally, shift the result by one before it is returned: add 1 to a number; return the "
    'opposite of a truth value; append "_1" to a string; append 1 to a list of integers; add 1 '
    "to each element of a tuple of integers. Any examples above show the result before the shift."
)


def off_by_one(original: Specification) -> Specification:
    """The shifted problem. Raises ValueError if the original is no plain function."""
    header = header_of(original)
    if header is None:
        raise ValueError(f"{original.unit.qualname} is no plain function")
    return stated(header, f"{original.docstring}\n\n{_SHIFT}", original)
