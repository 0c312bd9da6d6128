"""What can be read of a message that is more than the parser takes: enough to answer it."""

from __future__ import annotations

import json
import re
from typing import cast

# Deeper than anything that tells which request it is, and which document it is about.
LEVELS_KEPT = 8
# What is longer is no number of the protocol's, and Python refuses to read it at some length.
DIGITS_KEPT = 20

# A string in one piece, so that no bracket in it counts; one without an end goes to the end of all,
# so that none is gone through twice.
_MARK = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def salvaged(body: bytes) -> dict[str, object] | None:
    """The JSON object, with null for what is nested deeply and for numbers that are too long, and
    with other characters for what is no text; None if it is no JSON object for all that."""
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
