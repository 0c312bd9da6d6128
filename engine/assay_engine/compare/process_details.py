"""Leaves out of observations what Python writes about a process and a program's text.

Addresses stand wherever something has no text of its own (``<function f at 0x7f…>``), and differ in
every process. Tracebacks name lines and helper functions, which differ in every right program. Both
get into results, output, files and messages. No docstring speaks of them, and a report that held an
address would differ with every run.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import cast

from assay_engine.values.carried import value_of
from assay_sandbox import Encoded, Observation, Opaque, Raised, Returned, encode

# An address as Python writes it at the end of such a text. It is longer than the 32-bit numbers
# that programs write themselves. Before it, there may be names in brackets
# (``<function f.<locals>.<lambda> at 0x…>``) and addresses that have been masked already. A program
# itself has written whatever stands outside of brackets.
_ADDRESS = re.compile(
    r"(<[^\W\d](?:[^<>\n]|<[a-z]{1,20}>|<[^<>\n]{1,200} at 0x\.\.\.>){0,500}? at 0x)"
    r"[0-9a-fA-F]{9,16}(?=[>,;: ])"
)
# One pair of brackets has two addresses at most: a weak reference's, and its object's.
_PASSES_MAX = 3
_HEADER = "Traceback (most recent call last):"
# A frame stands behind a bar where the exception is one of a group.
_FRAME = re.compile(r'( *(?:\| +)?)File "[^"\n]*", line [0-9]+, in ')
_REPEATED = re.compile(r"\[Previous line repeated [0-9]+ more times?\]")
_LINE = re.compile(r'(<program>"?, line )[0-9]+')
_SIGNS = (" at 0x", _HEADER, "<program>")
# A text in JSON, or the rest of one that does not end. Every quote begins a match, so that nothing
# is looked at twice.
_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)


def without_incidentals(observation: Observation) -> Observation:
    """An observation without addresses, frames of tracebacks and numbers of lines.

    It is the same object if there are none.
    """
    if not isinstance(observation, Returned | Raised):
        return observation
    text = observation.value if isinstance(observation, Returned) else observation.message
    told = (text, observation.stdout, observation.args_after, observation.files_after)
    if not any(_has_signs(part) for part in told if part is not None):
        return observation
    left = replace(
        observation,
        stdout=_masked(observation.stdout),
        args_after=_within(observation.args_after),
        files_after=_within(observation.files_after),
    )
    if isinstance(left, Returned):
        left = replace(left, value=_within(left.value))
    else:
        left = replace(left, message=_masked(left.message))
    return observation if left == observation else left


def _has_signs(text: str) -> bool:
    return any(sign in text for sign in _SIGNS)


def _within(encoded: Encoded | None) -> Encoded | None:
    """An encoded value with every text in it masked.

    It stays as it was if two of its members or keys would become one, or if it cannot be read. The
    encoded text is what is masked, since a value may be nested deeper than calls in Python.
    """
    if encoded is None or not _has_signs(encoded):
        return encoded
    masked = _TEXT.sub(_masked_in_json, encoded)
    if masked == encoded:
        return encoded
    value = value_of(Encoded(masked))
    if isinstance(value, Opaque):
        return encoded
    try:
        # Encoded again, because sets are written in the order of their members' texts.
        return encode(value)
    except (TypeError, RecursionError):
        return encoded


def _masked_in_json(found: re.Match[str]) -> str:
    written = found.group()
    if not _has_signs(written):
        return written
    try:
        return json.dumps(_masked(cast("str", json.loads(written))))
    except ValueError:
        return written


def _masked(text: str) -> str:
    if not _has_signs(text):
        return text
    return _LINE.sub(r"\1...", _without_frames(_without_addresses(text)))


def _without_addresses(text: str) -> str:
    for _ in range(_PASSES_MAX):
        text, count = _ADDRESS.subn(r"\1...", text)
        if not count:
            break
    return text


def _without_frames(text: str) -> str:
    """A text without the lines below traceback headers that name a place, and deeper ones."""
    if _HEADER not in text:
        return text
    kept: list[str] = []
    margin: str | None = None
    is_led_to = False
    for line in text.split("\n"):
        if is_led_to:
            frame = _FRAME.match(line)
            if frame is not None and margin in (None, frame[1]):
                margin = frame[1]
                continue
            if margin is not None and _belongs(line, margin):
                continue
        is_led_to, margin = line.endswith(_HEADER), None
        kept.append(line)
    return "\n".join(kept)


def _belongs(line: str, margin: str) -> bool:
    """Whether a line belongs to the frame above with this margin.

    It does if it is the frame's source, or says how often the frame was repeated.
    """
    if not line.startswith(margin):
        return False
    rest = line[len(margin) :]
    return rest.startswith(" ") or _REPEATED.fullmatch(rest) is not None
