"""Bounds on one side, as docstrings state them: "n must be at least 1", "where n >= 1"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from assay_engine.inputs.preconditions.bound import Bound
from assay_engine.inputs.preconditions.prose import (
    AND,
    DUTY,
    NAME,
    NAMES,
    NUMBER,
    OR_ELSE,
    QUOTES,
    STATED_MAX,
    is_case,
    known,
    last_entry,
    lazily,
    number_in,
    sentence,
    text_before,
)
from assay_engine.inputs.preconditions.qualified import CONDITION, NEGATIVE_TOO, is_qualified

# For each sign: whether it is a limit from below, and whether the limit itself counts.
_SIGNS = {
    ">=": (True, True),
    "≥": (True, True),
    "<=": (False, True),
    "≤": (False, True),
    ">": (True, False),
    "<": (False, False),
}
_MIRRORED = str.maketrans("<>≤≥", "><≥≤")
_PHRASES = {
    "at least": (True, True),
    "at most": (False, True),
    "no less than": (True, True),
    "no more than": (False, True),
    "greater than or equal to": (True, True),
    "less than or equal to": (False, True),
    "greater than": (True, False),
    "larger than": (True, False),
    "less than": (False, False),
    "smaller than": (False, False),
}
_SAME_AS = {"positive": "> 0", "nonnegative": ">= 0", "negative": "< 0"}
_NUMBERS = {"zero": "0", "one": "1"}
_SIGN = "|".join(_SIGNS)
HOW = "|".join([*_SIGNS, *(phrase.replace(" ", r"\s+") for phrase in _PHRASES)])
# Not "at least 2 items", "less than 10 % of the others" or "more than 3 * k".
_CLAUSE_END = (
    rf"(?=[{QUOTES}]*\s*(?:[,;:)\]\n]|\.(?!\w)|\Z|(?:and|but|or|else|otherwise)\b|{CONDITION}))"
)
_LIMIT = lazily(
    rf"(?<![\w-])(?:(?:strictly\s+)?(?P<word>positive|non-?negative|negative)"
    rf"|(?P<how>{HOW})\s*(?P<limit>{NUMBER}|zero|one)"
    rf"|between\s+(?P<least>{NUMBER})\s+and\s+(?P<most>{NUMBER})){_CLAUSE_END}",
    re.IGNORECASE,
)
_OF_NAMES = lazily(rf"{NAMES}\s+{DUTY}\s+\Z", re.IGNORECASE)
# "`n` is positive.", "n is never less than 1": such a clause must be a sentence of its own, or else
# it is a case among others.
_STATED = lazily(
    rf"\s*(?:(?:the|both)\s+)?{NAMES}\s+(?:is|are)\s+(?:always\s+|(?P<not>not|never)\s+)?",
    re.IGNORECASE,
)
_ENDS = lazily(rf"[{QUOTES}]*\s*(?:\.(?!\w)|;|\Z|\n[ \t]*\n)")
# "n: How many. Must be positive": the duty is that of the entry's parameter.
_OF_ENTRY = lazily(rf"[.:;,(]\s*{DUTY}\s+\Z", re.IGNORECASE)
# "at least 1 and at most 10".
_GOES_ON = lazily(r"\s*,?\s*(?:and|but)\s+(?:be\s+)?", re.IGNORECASE)
_COMPARED = lazily(
    rf"(?:\b(?:where|given|provided|requires?:?|(?:assum|suppos)\w+|guaranteed)\s+(?:that\s+)?|\(\s*"
    rf"|^[ \t]*(?:[-*][ \t]+)?)"
    rf"(?:(?P<name>{NAME})\s*(?P<how>{_SIGN})\s*(?P<limit>{NUMBER})"
    rf"|(?P<least>{NUMBER})\s*(?P<mirrored>{_SIGN})\s*(?P<mirror>{NAME})){_CLAUSE_END}",
    re.IGNORECASE | re.MULTILINE,
)


def limits(docstring: str, parameters: Sequence[str]) -> Iterator[Bound]:
    """The bounds stated as a duty ("n must be positive") or as an assumption ("where n > 0")."""
    yield from _duties(docstring, parameters)
    yield from _comparisons(docstring, parameters)


def _duties(docstring: str, parameters: Sequence[str]) -> Iterator[Bound]:
    names: list[str] = []
    negated, end = False, -1
    for match in islice(_LIMIT().finditer(docstring), STATED_MAX):
        if end < 0 or not _GOES_ON().fullmatch(docstring, end, match.start()):
            before = text_before(docstring, match.start())
            ends = _ENDS().match(docstring, match.end()) is not None
            names, negated = _under_duty(before, parameters, ends=ends)
        end = match.end()
        if OR_ELSE().match(docstring, end) or is_qualified(
            docstring, match.span(), names, parameters, NEGATIVE_TOO
        ):
            continue
        if match["least"]:
            # Docstrings seldom say whether the limits themselves count: they do here.
            ends = number_in(match["least"]), number_in(match["most"])
            yield from (Bound(name, *ends) for name in names if not negated)
            continue
        how, limit = match["how"], match["limit"]
        if match["word"]:
            how, limit = _SAME_AS[match["word"].lower().replace("-", "")].split()
        for name in names:
            yield bound(name, how, limit, negated=negated)


def _under_duty(before: str, parameters: Sequence[str], *, ends: bool) -> tuple[list[str], bool]:
    """The parameters that have the duty in which a text ends, and whether the duty is negated.

    `ends` says that the sentence ends after the bound.
    """
    of_names = _OF_NAMES().search(before)
    if of_names is not None:
        names = list(known(AND.split(of_names["names"]), parameters))
        if names and not is_case(before[: of_names.start()]):
            return names, of_names["not"] is not None
    said = sentence(before)
    stated = _STATED().fullmatch(said) if ends else None
    # A first sentence like this says what the function does: it tells whether the bound holds.
    if stated is not None and said.strip() != before.strip():
        return list(known(AND.split(stated["names"]), parameters)), stated["not"] is not None
    of_entry = _OF_ENTRY().search(before)
    if of_entry is not None:
        entry = last_entry(before)
        if entry is not None:
            return list(known(entry[:1], parameters)), of_entry["not"] is not None
    return [], False


def _comparisons(docstring: str, parameters: Sequence[str]) -> Iterator[Bound]:
    for match in islice(_COMPARED().finditer(docstring), STATED_MAX):
        if is_case(text_before(docstring, match.start())) or OR_ELSE().match(
            docstring, match.end()
        ):
            continue
        how, limit = match["how"], match["limit"]
        if match["mirrored"]:
            how, limit = match["mirrored"].translate(_MIRRORED), match["least"]
        for name in known([match["name"] or match["mirror"]], parameters):
            if not is_qualified(docstring, match.span(), [name], parameters, NEGATIVE_TOO):
                yield bound(name, how, limit)


def bound(name: str, how: str, limit: str, *, negated: bool = False) -> Bound:
    """The bound that the words or the sign `how` tell with the number `limit`, or its contrary."""
    from_below, counts = (_SIGNS | _PHRASES)[" ".join(how.lower().split())]
    number = number_in(_NUMBERS.get(limit.lower(), limit))
    if from_below != negated:
        return Bound(name, least=number, least_counts=counts != negated)
    return Bound(name, most=number, most_counts=counts != negated)
