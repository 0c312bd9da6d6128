"""Reads values that were carried out of the sandbox, without ever trusting them."""

from __future__ import annotations

from typing import cast

from assay_sandbox import Encoded, Opaque, Value, decode
from assay_sandbox.errors import ProtocolError

Arguments = tuple[tuple[Value, ...], dict[str, Value]]


def value_of(encoded: Encoded) -> Value:
    """The value that a text encodes, or an `Opaque` in its place.

    The text was written in a process that was in the program's hands, so it may be anything.
    """
    try:
        return decode(encoded)
    except ProtocolError as error:
        return Opaque("unreadable", str(error))


def arguments_of(encoded: Encoded) -> Arguments | None:
    """Positional and keyword arguments, or None if the text holds no such pair."""
    value = value_of(encoded)
    if not isinstance(value, list | tuple):
        return None
    parts = tuple(cast("tuple[Value, ...]", value))
    if len(parts) != 2 or not isinstance(parts[0], list | tuple) or not isinstance(parts[1], dict):
        return None
    return tuple(cast("tuple[Value, ...]", parts[0])), cast("dict[str, Value]", parts[1])
