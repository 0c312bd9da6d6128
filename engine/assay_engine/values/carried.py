"""Values and calls as they were carried out of the sandbox, which is never trusted.

Reads them, tells calls apart, and looks for parts inside any container, arrays and tables included.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import cast

from assay_sandbox import (
    Call,
    Container,
    Encoded,
    Expression,
    Instance,
    Opaque,
    Script,
    Value,
    decode,
    encode,
)
from assay_sandbox.errors import ProtocolError
from assay_sandbox.programs import scene_value

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


def files_of(encoded: Encoded | None) -> dict[Value, Value]:
    """The files that a call changed, with their contents after it; None for one that is gone."""
    files = value_of(encoded) if encoded is not None else None
    return cast("dict[Value, Value]", files) if isinstance(files, dict) else {}


def call_key(call: Call) -> str:
    """The canonical text of everything that a call passes, which is equal for equal calls."""
    return encode(
        [list(call.args), [list(pair) for pair in call.kwargs], call.stdin, scene_value(call.scene)]
    )


def holds(value: Value, sought: Callable[[Value], bool]) -> bool:
    """Whether the value, or anything inside it, is what is sought."""
    match value:
        case _ if sought(value):
            return True
        case list() | tuple() | set() | frozenset():
            return any(holds(item, sought) for item in cast("Collection[Value]", value))
        case dict():
            mapping = cast("dict[Value, Value]", value)
            return any(holds(part, sought) for pair in mapping.items() for part in pair)
        case Instance():
            return any(holds(item, sought) for _, item in value.fields)
        case Container():
            return holds(value.items, sought)
        case _:
            return False


def is_script(call: Call) -> bool:
    """Whether a script stands in the place of the call."""
    return any(isinstance(value, Script) for value in call.args)


def is_expression(value: Value) -> bool:
    """Whether the value is source text, an expression or a script."""
    return isinstance(value, Expression | Script)
