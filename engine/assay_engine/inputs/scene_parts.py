"""Readers for parts of a scene that are alike whoever declares it: a moment, a mock's outcome."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast

from assay_sandbox import Fault, Value


def moment_of(text: str) -> float:
    """Seconds since 1970 of an ISO 8601 text, taken as UTC if it names no zone.

    Raises ValueError for any other text.
    """
    said = datetime.fromisoformat(text)
    return (said if said.tzinfo else said.replace(tzinfo=UTC)).timestamp()


def outcome_of(
    declared: object, value_of: Callable[[object], Value]
) -> tuple[Value | Fault] | None:
    """A declared outcome, in a tuple of its own since it may be None; None if it is no outcome.

    The form is ``{"returns": value}``, or ``{"raises": "Type", "message": "text"}`` with or without
    a message.
    """
    if not isinstance(declared, dict):
        return None
    match cast("dict[object, object]", declared):
        case {"returns": value, **rest} if not rest:
            return (value_of(value),)
        case {"raises": str(name), "message": str(message), **rest} if not rest:
            return (Fault(name, message),)
        case {"raises": str(name), **rest} if not rest:
            return (Fault(name),)
        case _:
            return None
