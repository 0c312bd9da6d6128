"""What is read alike of a scene, whoever declares it: a moment, an outcome of a mock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast

from assay_sandbox import Fault, Value


def moment_of(text: str) -> float:
    """Seconds since 1970 of an ISO 8601 text, which is UTC where it does not say. Raises ValueError
    for any other."""
    said = datetime.fromisoformat(text)
    return (said if said.tzinfo else said.replace(tzinfo=UTC)).timestamp()


def outcome_of(
    declared: object, value_of: Callable[[object], Value]
) -> tuple[Value | Fault] | None:
    """One outcome, alone in a tuple since it may be None; None if it is none.

    ``{"returns": value}``, or ``{"raises": "Type", "message": "text"}`` with or without a message.
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
