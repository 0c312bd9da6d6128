"""Resource limits that can only be lowered."""

from __future__ import annotations

import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Tuple


def bound(*limits: Tuple[int, int]) -> None:
    """Set each kind of limit to its value, or to the lower one that already holds."""
    for which, value in limits:
        _soft, hard = resource.getrlimit(which)
        bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (bounded, bounded))
