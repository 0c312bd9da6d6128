"""Bounds of numbers that a docstring promises its callers keep: "given a positive integer n".

Only bounds that are stated in so many words are read, about a parameter that the docstring names or
about the only one there is. A phrase promises nothing if it speaks of results, of a case among
others ("if n is positive") or of other numbers that are also welcome ("or 0").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from assay_engine.inputs.preconditions.bound import Bound
from assay_engine.inputs.preconditions.entries import entry_bounds
from assay_engine.inputs.preconditions.limits import limits
from assay_engine.inputs.preconditions.prose import (
    AND,
    AROUND,
    COLON,
    IS,
    MARK,
    NAME,
    NUMBER,
    OR_ELSE,
    STATED_MAX,
    TAKES,
    is_case,
    known,
    lazily,
    number_in,
    sentence,
    text_before,
)
from assay_engine.inputs.preconditions.qualified import NEGATIVE_TOO, is_qualified

_STATED = lazily(
    r"(?<![\w-])(?P<sign>positive|non-?negative|natural)\s+(?:(?:whole|floating[- ]point)\s+)?"
    r"(?:integers?|ints?|numbers?|floats?)\b(?:\s+(?:numbers?|values?)\b)?",
    re.IGNORECASE,
)
# The names of the parameters that a kind of number is stated of, with what may stand before them.
_NAMED = lazily(
    rf"\s*[,:(]?\s*(?P<names>{NAME}(?:(?:{AND.pattern})(?!else\b|otherwise\b|or\b){NAME})*)"
)
_IS = lazily(rf"(?<!\w)(?P<name>{NAME})\s+{IS}(?:an?\s+)?\Z", re.IGNORECASE)
_SOME = (
    r"(?:(?:an?|the|two|three|some)\s+)?(?:(?:lists?|arrays?|sequences?|tuples?|sets?)\s+of\s+)?\Z"
)
_GIVEN = lazily(
    rf"{TAKES}(?:as\s+(?:an?\s+)?(?:input|argument)\s+)?{_SOME}",
    re.IGNORECASE,
)
# "the digits of a positive integer", "format a non-negative number of bytes": this means the only
# parameter.
_TAKEN = lazily(
    r"(?:\b(?:of|in)|\A\s*(?:write|format|convert|spell|encode|reverse|factori[sz]e|halve|double)s?)"
    r"\s+an?\s+\Z",
    re.IGNORECASE,
)
_COUNT = lazily(r"\s+of\b|\s+and\b", re.IGNORECASE)
# "It is one of a positive number": this number is no argument.
_ONE_OF = lazily(
    r"\b(?:one|all|any|some|each|first|last|consists?|out|made|power|result\w*)\s+(?:of|in)\s+an?\s+\Z",
    re.IGNORECASE,
)
# "n: a positive integer", ":param int n: ", "n : int" above it.
_ENTRY = lazily(
    rf"^{MARK}(?P<name>{NAME}){COLON}[ \t]*(?:[^\n]*\n[ \t]+)?{_SOME}",
    re.IGNORECASE | re.MULTILINE,
)
# "1 <= n <= 100".
_CHAIN = lazily(
    rf"(?<![\w.^*])(?P<least>{NUMBER})\s*(?P<low><=?|≤)\s*(?P<name>{NAME})"
    rf"\s*(?P<high><=?|≤)\s*(?P<most>{NUMBER})(?![\w^*]|\.\d)"
)
# "when given a positive integer", "returns a positive integer n".
_NO_PROMISE = lazily(
    r"\b(?:returns?|yields?|(?:if|when|whenever|unless)\s+(?:it\s+is\s+)?(?:given|passed))\s+"
    r"an?\s+\Z",
    re.IGNORECASE,
)


def stated_bounds(
    docstring: str, parameters: Sequence[str], holding: Sequence[str] = ()
) -> tuple[Bound, ...]:
    """The bounds that a docstring states of its parameters, by the form of the statement.

    Bounds of one form are in the docstring's order. `holding` are the parameters that may be given
    a list or a text.
    """
    return (
        *_kinds(docstring, parameters),
        *_chains(docstring, parameters),
        *limits(docstring, parameters),
        *entry_bounds(docstring, parameters, holding),
    )


def _kinds(docstring: str, parameters: Sequence[str]) -> Iterator[Bound]:
    for match in islice(_STATED().finditer(docstring), STATED_MAX):
        counts = match["sign"].lower() != "positive"
        for name in _subjects(docstring, match, parameters):
            if not is_qualified(docstring, match.span(), [name], parameters, NEGATIVE_TOO):
                yield Bound(name, least=0, least_counts=counts)


def _subjects(docstring: str, match: re.Match[str], parameters: Sequence[str]) -> Iterator[str]:
    """The parameters that the kind of number in `match` is stated of."""
    before = text_before(docstring, match.start())
    if OR_ELSE().match(docstring, match.end()) or _NO_PROMISE().search(before):
        return
    said = _IS().search(before)
    if said is not None:
        if not is_case(before[: said.start()]):
            yield from known([said["name"]], parameters)
        return
    entry = _ENTRY().search(before)
    if entry is not None:
        yield from known([entry["name"]], parameters)
        return
    named = _NAMED().match(docstring, match.end(), match.end() + AROUND)
    names = list(known(AND.split(named["names"]), parameters)) if named else []
    if named and names:
        if not OR_ELSE().match(docstring, named.end()):
            yield from names
    elif len(parameters) == 1 and (
        _GIVEN().search(before) or _is_taken(docstring, before, match.end())
    ):
        yield parameters[0]


def _is_taken(docstring: str, before: str, end: int) -> bool:
    """Whether the docstring's first sentence says that something is done to the number.

    `before` is the text before the number, which ends at `end`.
    """
    taken = _TAKEN().search(before)
    if taken is None or sentence(before) != docstring[: len(before)] or is_case(before):
        return False
    # "In a positive number of steps".
    done = taken.group().split()[0].lower() not in ("of", "in")
    return done or not (_COUNT().match(docstring, end) or _ONE_OF().search(before))


def _chains(docstring: str, parameters: Sequence[str]) -> Iterator[Bound]:
    for match in islice(_CHAIN().finditer(docstring), STATED_MAX):
        before = text_before(docstring, match.start())
        if is_case(before) or OR_ELSE().match(docstring, match.end()):
            continue
        for name in known([match["name"]], parameters):
            low, high = match["low"] != "<", match["high"] != "<"
            if not is_qualified(docstring, match.span(), [name], parameters, NEGATIVE_TOO):
                yield Bound(name, number_in(match["least"]), number_in(match["most"]), low, high)
