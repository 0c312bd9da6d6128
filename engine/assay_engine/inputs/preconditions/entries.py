"""Bounds without a verb in an entry of a list of parameters: "size: how many, positive".

The whole entry is examined. Nothing is read from an entry that speaks of cases, of alternatives or
of other numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from assay_engine.inputs.preconditions.bound import Bound
from assay_engine.inputs.preconditions.limits import HOW, bound
from assay_engine.inputs.preconditions.prose import (
    AROUND,
    COLON,
    MARK,
    NAME,
    NUMBER,
    STATED_MAX,
    known,
    lazily,
    number_in,
)

_ENTRY = lazily(
    # "Args:" counts as an entry that holds others.
    rf"^(?P<indent>[ \t]*+){MARK}(?P<name>{NAME})(?P<colon>{COLON})(?=(?P<text>[^\n]*"
    r"(?:\n(?P=indent)[ \t]+[^\n]*){0,12}))",
    re.MULTILINE,
)
_HEADING = lazily(
    r"^[ \t]*(?P<title>[A-Z][\w ]{2,30})(?::[ \t]*$|[ \t]*\n[ \t]*-{3})", re.MULTILINE
)
_OF_PARAMETERS = frozenset(
    ["args", "arguments", "parameters", "params", "other parameters", "keyword arguments", "inputs"]
)
# "float", "list of int, optional": the first line of an entry in numpy's style.
_APART = lazily(r"[ \t]+:")
_TYPE = lazily(
    r"\s*[\w.]+(?:\[[^\n]*\])?(?:\s*(?:\||\bor\b)\s*[\w.\[\]]+|\s+of\s+\w+)?(?:,[^\n]*)?\n\s*"
)
_CLAUSE_END = lazily(r"[.;,:)](?=\s|\Z|[).,;])|(?<=\s)\(")
_KIND = lazily(
    r"(?:(?:each|all)\s+)?(?:(?:strictly\s+)?(?P<above>positive)|non-?negative|not\s+negative)",
    re.IGNORECASE,
)
_LIMITS = lazily(
    rf"(?P<each>(?:each|all)\s+)?(?P<how>{HOW})\s*(?P<limit>{NUMBER}|zero|one)"
    rf"(?:\s+and\s+(?P<also>{HOW})\s*(?P<other>{NUMBER}))?",
    re.IGNORECASE,
)
_BETWEEN = lazily(
    rf"(?:(?:each|all)\s+)?between\s+(?P<least>{NUMBER})\s+and\s+(?P<most>{NUMBER})", re.IGNORECASE
)
# Words that make the bound a case among others, or say that other numbers mean something, too.
_MORE = lazily(
    r"\b(?:or|if|when|whenever|unless|else|otherwise|except|means?|meaning|may|can|unlimited"
    r"|disables?|special|either|raises?|negative|zero)\b|(?<![\w.])-\d|(?<![\w.-])0(?![\w.])",
    re.IGNORECASE,
)


def entry_bounds(
    docstring: str, parameters: Sequence[str], holding: Sequence[str]
) -> Iterator[Bound]:
    """The bounds in the entries of a docstring's lists of parameters.

    For a parameter in `holding`, "at least 1" may be said of its length.
    """
    for entry in islice(_ENTRY().finditer(docstring), STATED_MAX):
        names = list(known([entry["name"]], parameters))
        text = entry["text"]
        # A longer entry speaks of a case somewhere.
        if names and len(text) < 2 * AROUND and _is_of_parameters(docstring, entry.start()):
            typed = _TYPE().match(text) if _APART().match(entry["colon"]) else None
            said = text[typed.end() :] if typed else text
            yield from _stated(names[0], said, long=names[0] in holding)


def _is_of_parameters(docstring: str, start: int) -> bool:
    titles = [each["title"].strip().lower() for each in _HEADING().finditer(docstring, 0, start)]
    return not titles or titles[-1] in _OF_PARAMETERS


def _stated(name: str, text: str, *, long: bool) -> Iterator[Bound]:
    found: list[Bound] = []
    others: list[str] = []
    for clause in _CLAUSE_END().split(text):
        bounds = list(_bounds(name, " ".join(clause.split()), long=long))
        found += bounds
        others += [] if bounds else [clause]
    if not _MORE().search("\n".join(others)):
        yield from found


def _bounds(name: str, clause: str, *, long: bool) -> Iterator[Bound]:
    kind = _KIND().fullmatch(clause)
    limits = _LIMITS().fullmatch(clause)
    between = _BETWEEN().fullmatch(clause)
    if kind is not None:
        yield Bound(name, least=0, least_counts=kind["above"] is None)
    elif between is not None:
        yield Bound(name, number_in(between["least"]), number_in(between["most"]))
    elif limits is not None and (not long or limits["each"]):
        yield bound(name, limits["how"], limits["limit"])
        if limits["also"]:
            yield bound(name, limits["also"], limits["other"])
