"""What an input that holds something against a function is worth."""

from __future__ import annotations

from enum import Enum, auto

from assay_engine.types import MEANT, Input


class Ground(Enum):
    """The docstring may not speak at all of what nobody meant: an accusation by such an input is
    true less often, least of all where inputs that somebody meant show nothing of the kind."""

    MEANT = auto()
    MADE_UP = auto()
    UNCORROBORATED = auto()


def ground_of(entry: Input | None, meant_alike: int) -> Ground:
    """`meant_alike`: how many inputs that somebody meant show nothing of what this one does."""
    if entry is not None and entry.origin in MEANT:
        return Ground.MEANT
    return Ground.UNCORROBORATED if meant_alike else Ground.MADE_UP
