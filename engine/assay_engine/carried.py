"""Values as they were carried over the wall, made readable without ever trusting them."""

from __future__ import annotations

from assay_sandbox import Encoded, Opaque, Value
from assay_sandbox.codec import decode
from assay_sandbox.errors import ProtocolError


def value_of(encoded: Encoded) -> Value:
    """The value, or an `Opaque` in its place.

    The text was written in a process that the program had in its hands: it may be anything.
    """
    try:
        return decode(encoded)
    except ProtocolError as error:
        return Opaque("unreadable", str(error))
