"""Takes the answer of the first scheme that selected something.

Paper, section 6: ENUM-SINV before FWD-SINV before FWD-INV, since the first also covers problems
with several right answers. A scheme that failed has abstained.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

ORDER = ("ENUM-SINV", "FWD-SINV", "FWD-INV")

_T = TypeVar("_T")


def first_selected(outcomes: Mapping[str, _T | None]) -> tuple[str, _T] | None:
    """The scheme that decides, with what it selected; None if all schemes abstained.

    `outcomes` are what was selected, by scheme.
    """
    for scheme in ORDER:
        selected = outcomes.get(scheme)
        if selected is not None:
            return scheme, selected
    return None
