"""How much an input that is held against a function is worth as evidence."""

from __future__ import annotations

from enum import Enum, auto

from assay_engine.types import MEANT, Input


class Ground(Enum):
    """The kinds of input that an accusation can rest on.

    The docstring may not mention a made-up input at all, so an accusation by such an input is true
    less often. It is true least often if inputs that somebody meant show nothing of the kind
    (`UNCORROBORATED`).
    """

    MEANT = auto()
    MADE_UP = auto()
    UNCORROBORATED = auto()


def ground_of(entry: Input | None, meant_alike: int) -> Ground:
    """The ground that an input gives.

    `meant_alike` is how many inputs that somebody meant show nothing of what this input shows.
    """
    if entry is not None and entry.origin in MEANT:
        return Ground.MEANT
    return Ground.UNCORROBORATED if meant_alike else Ground.MADE_UP
