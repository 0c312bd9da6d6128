"""Drops the parts of a message that mean nothing here but make the parser refuse it as a whole.

These are capabilities of newer clients, diagnostics of other servers, and null for omitted values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from lsprotocol import types

# Raises if a value is not of a type.
Structure = Callable[[Any, type[Any]], object]


def known_params(method: str, params: object, structure: Structure) -> dict[str, Any] | None:
    """The params of a message without its unknown parts; None if no part of this message may be
    dropped."""
    given = cast("dict[str, Any]", params) if isinstance(params, dict) else {}
    match method, given:
        case types.INITIALIZE, {"capabilities": {**capabilities}}:
            kept = _known(capabilities, lambda part: _is(part, types.ClientCapabilities, structure))
            return {**given, "capabilities": kept}
        case types.TEXT_DOCUMENT_CODE_ACTION, {"context": {"diagnostics": [*diagnostics]} as about}:
            kept = [each for each in diagnostics if _is(each, types.Diagnostic, structure)]
            return {**given, "context": {"diagnostics": kept, "only": about.get("only")}}
        case types.TEXT_DOCUMENT_DID_CHANGE, {"contentChanges": [*changes]}:
            return {**given, "contentChanges": list(map(_without_nulls, changes))}
        case _:
            return None


def _known(entries: dict[str, Any], parses: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The entries that can be parsed, with as much of each as can be."""
    kept: dict[str, Any] = {}
    for name, part in entries.items():
        if parses({**kept, name: part}):
            kept[name] = part
            continue

        def parses_as(less: Any, name: str = name) -> bool:
            return parses({**kept, name: less})

        less: Any = None
        if isinstance(part, dict):
            less = _known(cast("dict[str, Any]", part), parses_as)
        elif isinstance(part, list):
            less = [each for each in cast("list[Any]", part) if parses_as([each])]
        if less is not None and parses_as(less):
            kept[name] = less
    return kept


def _without_nulls(change: Any) -> Any:
    """A change without nulls: if its range is null, it is a change of the whole text."""
    if not isinstance(change, dict):
        return change
    entries = cast("dict[str, Any]", change)
    return {name: value for name, value in entries.items() if value is not None}


def _is(value: Any, kind: type[Any], structure: Structure) -> bool:
    try:
        structure(value, kind)
    except Exception:  # Including the parser's own exception groups.
        return False
    return True
