"""Reads mocks from one fixed form: which calls of a program are answered, and with which outcomes.

``{"requests.get": [{"raises": "requests.Timeout", "message": "slow"}, {"returns": [1, 2]}]}``

Besides values to return and exceptions to raise, an outcome can be an object. It is given by its
attributes and its methods' results: ``{"object": {"status_code": 200, "json()": {"a": 1}}}``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import cast

from assay_engine.inputs.scene_parts import outcome_of
from assay_engine.running.standing_in import stand_in
from assay_sandbox import Fault, Mock, Value

MOCKS_MAX = 10
OUTCOMES_MAX = 20


def mocks_of(declared: object, mockable: Collection[str]) -> tuple[Mock, ...] | None:
    """The mocks that a literal declares.

    None if any part of it has another form, or if it mocks a name that is not in `mockable`.
    """
    if not isinstance(declared, dict) or len(cast("dict[object, object]", declared)) > MOCKS_MAX:
        return None
    found: list[Mock] = []
    for name, outcomes in cast("dict[object, object]", declared).items():
        if not isinstance(name, str) or name not in mockable or not isinstance(outcomes, list):
            return None
        read = [_outcome(each) for each in cast("list[object]", outcomes)[: OUTCOMES_MAX + 1]]
        if not 1 <= len(read) <= OUTCOMES_MAX:
            return None
        made = [each[0] for each in read if each is not None]
        if len(made) < len(read):
            return None
        try:
            found.append(Mock(name, tuple(made)))
        except ValueError:  # the exception to raise is not a name
            return None
    return tuple(found)


def _outcome(declared: object) -> tuple[Value | Fault] | None:
    """The outcome as `outcome_of` reads it, or an object; None if it is neither."""
    if not isinstance(declared, dict):
        return None
    parts = cast("dict[object, object]", declared)
    if parts.keys() == {"object"} and isinstance(parts["object"], dict):
        made = stand_in(cast("Mapping[object, object]", parts["object"]))
        return None if made is None else (made,)
    return outcome_of(parts, lambda value: cast("Value", value))
