"""What the user of a function does not want to hear of it."""

from __future__ import annotations

from msgspec import Struct


class Silence(Struct, frozen=True):
    """What comments in a function's header ask for: that it is not checked (`everything`), or that
    findings of some codes are not told. `unclear` are comments that ask for neither, as written."""

    everything: bool = False
    codes: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
