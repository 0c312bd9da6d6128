"""What the user does not want to be told about a function."""

from __future__ import annotations

from msgspec import Struct


class Silence(Struct, frozen=True):
    """What comments in a function's header ask for.

    `everything` asks not to check the function. `codes` are the codes of findings that are not to
    be told. `unclear` are comments, as written, that ask for neither or name an unknown code.
    """

    everything: bool = False
    codes: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
