"""Phrases of docstrings for shapes of lists and texts: "sorted", "of distinct", "only digits"."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.inputs.preconditions.prose import STATED_MAX, lazily
from assay_engine.inputs.preconditions.shape import (
    Distinct,
    NotEmpty,
    Ordered,
    Rectangular,
    Shape,
    Spelled,
)
from assay_engine.inputs.preconditions.spelling import MADE_OF, SPELLING, spelled

_LISTS = r"(?:lists?|arrays?|sequences?|tuples?|iterables?|collections?)"
_TEXTS = r"(?:strings?|texts?)"
_TABLES = r"(?:matrix|matrices|grids?)"
NOUN = rf"(?:{_LISTS}|{_TEXTS}|{_TABLES})"
_UP = r"(?:ascending|increasing|non-?decreasing|alphabetical|lexicographical?|numerical)"
_DOWN = r"(?:descending|decreasing|non-?increasing|reverse(?:d)?)"
_IN_ORDER = (
    rf"(?:in\s+(?:strictly\s+|monotonically\s+)?(?:(?P<down>{_DOWN})|{_UP})(?:\s+order)?"
    r"|from\s+(?:the\s+)?(?:(?:low|small|least|old|earl)\w*"
    r"|(?P<falling>(?:high|larg|bigg|great|lat|new)\w*))\s+to\s+(?:the\s+)?\w+)"
)
# Not "sorted by", since that order cannot be looked up here, nor "sorted in place", since that is
# what a function does.
_SORTED = (
    r"(?:already\s+|pre-?)?sorted(?![\w-]|\s+(?:by|on|using|with|in[ -]place|according|after|then"
    rf"|and\s+returned)\b)(?:\s+{_IN_ORDER}|\s+(?:alphabetically|lexicographically|numerically))?"
    r"(?![^.;\n]{0,40}\b(?:row|column))"
)
_RISING = rf"(?:strictly\s+|monotonically\s+)?(?:(?P<down>{_DOWN})|{_UP})(?![\w-]|\s+\w)"
_ITEM = r"(?:elements?|items?|values?|numbers?|integers?|entries|members|characters?|letters)"


class Phrase(Struct, frozen=True):
    """The place where a shape is mentioned, and a function that makes the shape from a name."""

    span: tuple[int, int]
    shape: Callable[[str], Shape]
    # Whether the phrase says what an argument must not be.
    negated: bool = False
    # Whether the phrase may also say what the function does: "sort the list xs in ascending order".
    weak: bool = False


def adjectives(docstring: str) -> Iterator[Phrase]:
    """Phrases before a noun: "sorted" in "a sorted list". A matrix is always rectangular."""
    return _found(_ADJECTIVES, docstring)


def additions(docstring: str) -> Iterator[Phrase]:
    """Phrases behind a noun: "sorted in descending order", "consisting only of digits"."""
    yield from _found(_ADDITIONS, docstring)
    for phrase in _found(_ORDERS, docstring):
        yield replace(phrase, weak=True)


def predicates(docstring: str) -> Iterator[Phrase]:
    """Phrases that may follow "must be", without a noun of their own."""
    yield from _found(_PREDICATES, docstring)
    for match in islice(_EMPTY().finditer(docstring), STATED_MAX):
        yield Phrase(match.span(), NotEmpty, negated=True)


def contents(docstring: str) -> Iterator[Phrase]:
    """Phrases for what an argument has or consists of, with their verbs: "contains only digits"."""
    return _found(_CONTENTS, docstring)


def contradicted(docstring: str, shape: Shape) -> bool:
    """Whether a docstring speaks of arguments that the shape rules out, as if they were welcome."""
    match shape:
        case NotEmpty():
            return _EMPTY_TOO().search(docstring) is not None
        case Ordered():
            return _UNSORTED_TOO().search(docstring) is not None
        case Rectangular(square=False):
            return _ROWS_TOO().search(docstring) is not None
        case _:
            return False


def _found(makers: _Makers, docstring: str) -> Iterator[Phrase]:
    for pattern, make in makers:
        for match in islice(pattern().finditer(docstring), STATED_MAX):
            yield Phrase(match.span(), make(match))


_Makers = tuple[
    tuple[Callable[[], re.Pattern[str]], Callable[[re.Match[str]], Callable[[str], Shape]]], ...
]


def _pattern(text: str) -> Callable[[], re.Pattern[str]]:
    return lazily(rf"(?<![\w-]){text}", re.IGNORECASE)


def _ordered(match: re.Match[str]) -> Callable[[str], Shape]:
    descending = any(match.groupdict().get(name) is not None for name in ("down", "falling"))
    return partial(Ordered, descending=descending)


def _always(shape: Callable[[str], Shape]) -> Callable[[re.Match[str]], Callable[[str], Shape]]:
    return lambda _match: shape


_AHEAD = rf"(?=\s+(?:[\w-]+,?\s+){{0,2}}{NOUN}\b)"
# "an n x n matrix", "m x n".
_SQUARE = rf"(?:square|(?P<side>\w)\s*[x×*]\s*(?P=side))(?=\s+(?:[\w-]+\s+){{0,2}}{_TABLES}\b)"
_OBLONG = rf"(?:rectangular|\w\s*[x×*]\s*\w|an?|the|this|given|input)(?=\s+(?:2d\s+)?{_TABLES}\b)"
_STRICTLY = rf"strictly\s+(?:{_UP}|{_DOWN})"
_ADJECTIVES: _Makers = (
    (
        # An order other than the usual one is said behind the noun.
        _pattern(
            r"(?:already\s+|pre-?|strictly\s+)?(?:sorted|(?:monotonically\s+)?(?:increasing"
            rf"|ascending|non-?decreasing)){_AHEAD}(?![^.;,\n]{{0,60}}\b(?:by|row|column)\b)"
            rf"(?P<down>(?=[^.;,]{{0,60}}?\b{_DOWN}\b))?"
        ),
        _ordered,
    ),
    (
        _pattern(
            r"(?:strictly\s+|monotonically\s+)?"
            rf"(?P<down>(?:descending|decreasing|non-?increasing)){_AHEAD}"
        ),
        _ordered,
    ),
    (_pattern(rf"{_STRICTLY}{_AHEAD}"), _always(Distinct)),
    (_pattern(_OBLONG), _always(Rectangular)),
    (_pattern(_SQUARE), _always(partial(Rectangular, square=True))),
    (_pattern(rf"non-?empty{_AHEAD}"), _always(NotEmpty)),
    (_pattern(rf"binary(?=\s+{_TEXTS}\b)"), _always(partial(Spelled, characters=frozenset("01")))),
    (
        _pattern(rf"(?:hexadecimal|hex)(?=\s+{_TEXTS}\b)"),
        _always(partial(Spelled, characters=frozenset(string.hexdigits))),
    ),
    (
        _pattern(rf"(?:digit|digits-only)(?=\s+{_TEXTS}\b)"),
        _always(partial(Spelled, characters=frozenset(string.digits))),
    ),
)
_ORDERS: _Makers = (
    (_pattern(_IN_ORDER), _ordered),
    (_pattern(rf"in\s+{_STRICTLY}"), _always(Distinct)),
)
_DUPLICATES = rf"(?:duplicated?s?|repeated|repetitions?)(?:\s+{_ITEM})?"
_NO_REPETITION = (
    rf"(?:(?:of|with|containing|has|having)\s+(?:all\s+|only\s+|pairwise\s+)?(?:distinct|unique)"
    rf"\s+(?:[\w-]+\s+)?{_ITEM}|(?:without\s+(?:any\s+)?|with\s+no\s+|free\s+of\s+){_DUPLICATES})"
)
_SOME = rf"at\s+least\s+(?:one|two|three|[1-9])\s+{_ITEM}(?!\w)"
_ADDITIONS: _Makers = (
    (_pattern(_SORTED), _ordered),
    (_pattern(rf"sorted\s+in\s+(?:an?\s+)?{_STRICTLY}"), _always(Distinct)),
    (_pattern(rf"{_NO_REPETITION}(?!\w)"), _always(Distinct)),
    (_pattern(rf"{MADE_OF}{SPELLING}"), spelled),
    (_pattern(rf"(?:with|having|containing)\s+{_SOME}"), _always(NotEmpty)),
)
_EMPTY = _pattern(r"empty(?![\w-]|\s+\w)")
_EMPTY_TOO = lazily(r"(?<!non-)(?<!non)(?<!not be )(?<!not )\bempty\b", re.IGNORECASE)
_UNSORTED_TOO = lazily(
    r"\bunsorted\b|\bnot\s+(?:be\s+)?sorted\b|\brotated\b|\bany\s+order\b", re.IGNORECASE
)
_ROWS_TOO = lazily(
    r"\brectangular\b|\bjagged\b|\bragged\b|\b(?:same|equal|different)\s+(?:length|number)",
    re.IGNORECASE,
)
_PREDICATES: _Makers = (
    (_pattern(_SORTED), _ordered),
    (_pattern(_IN_ORDER), _ordered),
    (_pattern(_RISING), _ordered),
    (_pattern(_STRICTLY), _always(Distinct)),
    (_pattern(rf"{_NO_REPETITION}(?!\w)"), _always(Distinct)),
    (_pattern(r"(?:distinct|unique)(?![\w-]|\s+\w)"), _always(Distinct)),
    (_pattern(r"non-?empty(?![\w-]|\s+(?!and\b)\w)"), _always(NotEmpty)),
    (_pattern(r"square(?=\s*[.,;)]|\s*\Z)"), _always(partial(Rectangular, square=True))),
)
# Phrases for what arguments have or consist of, with verbs of their own.
_CONTENTS: _Makers = (
    (_pattern(rf"{MADE_OF}{SPELLING}"), spelled),
    (_pattern(rf"(?:has|have|contains?|holds?)\s+{_SOME}"), _always(NotEmpty)),
    (
        _pattern(
            rf"(?:(?:has|have|contains?|holds?)\s+(?:only\s+|all\s+)?(?:distinct|unique)\s+{_ITEM}"
            rf"|(?:has|have|contains?|holds?)\s+no\s+{_DUPLICATES}"
            rf"|(?:must|should|may|can)\s*not\s+(?:contain|have)\s+(?:any\s+)?{_DUPLICATES}"
            rf"|consists?\s+of\s+(?:distinct|unique)\s+{_ITEM})"
        ),
        _always(Distinct),
    ),
)
