"""Reads as much of a message that the parser rejects as is needed to answer it."""

from __future__ import annotations

import json
import re
from typing import cast

# Deeper than the parts that identify the request and its document.
LEVELS_KEPT = 8
# Longer numbers do not occur in the protocol, and beyond some length Python refuses to read them.
DIGITS_KEPT = 20

# Matches a whole string, so that brackets in it do not count. An unterminated string extends to the
# end of the body, so that no part is scanned twice.
_MARK = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def salvaged(body: bytes) -> dict[str, object] | None:
    """The JSON object, with null for deeply nested parts and for numbers that are too long, and
    with replacement characters for invalid text; None if it still is not a JSON object."""
    text = _pruned(body).decode("utf-8", errors="replace")
    try:
        found: object = json.loads(text, parse_int=_whole)
    except ValueError:
        return None
    return cast("dict[str, object]", found) if isinstance(found, dict) else None


def _pruned(body: bytes) -> bytes:
    kept = bytearray()
    depth = kept_from = 0
    for mark in _MARK.finditer(body):
        if mark[0] in b"[{":
            depth += 1
            if depth == LEVELS_KEPT + 1:
                kept += body[kept_from : mark.start()] + b"null"
                kept_from = len(body)
        elif mark[0] in b"]}":
            if depth == LEVELS_KEPT + 1:
                kept_from = mark.end()
            depth -= 1
    return bytes(kept + body[kept_from:])


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= DIGITS_KEPT else None
