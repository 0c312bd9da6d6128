"""Bounds of numbers that a docstring promises its callers keep: "given a positive integer n".

Only what stands there in so many words, about a parameter that it names or about the only one there
is. What speaks of results, of a case among others ("if n is positive") or of other numbers that are
welcome, too ("or 0"), promises nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

from assay_engine.inputs.examples import example_calls
from assay_engine.types import Specification, UnitKind
from assay_sandbox import Call, Value

_KIND = (
    r"(?<![\w-])(?P<sign>positive|non-?negative|natural)\s+(?:(?:whole|floating[- ]point)\s+)?"
    r"(?:integers?|ints?|numbers?|floats?)\b(?:\s+(?:numbers?|values?)\b)?"
)
# So many kinds of numbers and chains are looked at, and so much around each for whose it is.
_STATED_MAX = 50
_AROUND = 300
_QUOTES = "`'\"*"
_NAME = rf"[{_QUOTES}]*[A-Za-z_]\w*[{_QUOTES}]*"
_AND = re.compile(r"\s*,\s*and\s+|\s*,\s*|\s+and\s+")
_STATED = re.compile(_KIND, re.IGNORECASE)
# What may stand between a number's kind and the names of those that are of it.
_NAMED = re.compile(
    rf"\s*[,:(]?\s*(?P<names>{_NAME}(?:(?:{_AND.pattern})(?!else\b|otherwise\b|or\b){_NAME})*)"
)
_IS = re.compile(
    rf"(?<!\w)(?P<name>{_NAME})\s+(?:is|are|will be|must be|should be)\s+"
    r"(?:always\s+)?(?:an?\s+)?\Z"
)
_SOME = (
    r"(?:(?:an?|the|two|three|some)\s+)?(?:(?:lists?|arrays?|sequences?|tuples?|sets?)\s+of\s+)?\Z"
)
_GIVEN = re.compile(
    r"\b(?:given|takes?|accepts?|receives?|expects?)\s+"
    rf"(?:as\s+(?:an?\s+)?(?:input|argument)\s+)?{_SOME}",
    re.IGNORECASE,
)
# An entry of a list of parameters: "n: a positive integer", ":param int n: ", "n : int" above it.
_MARK = r"[ \t]*(?:[-*][ \t]+)?(?::param[ \t]+(?:\w+[ \t]+)?)?"
_COLON = r"[ \t]*(?:\([^)\n]*\)[ \t]*)?:"
_ENTRY = re.compile(
    rf"^{_MARK}(?P<name>{_NAME}){_COLON}[ \t]*(?:[^\n]*\n[ \t]+)?{_SOME}",
    re.IGNORECASE | re.MULTILINE,
)
# "1 <= n <= 100", with a power of ten as often as not.
_NUMBER = r"-?\d+(?:\.\d+)?(?:\s*(?:\^|\*\*)\s*\d+)?"
_CHAIN = re.compile(
    rf"(?<![\w.^*])(?P<least>{_NUMBER})\s*(?P<low><=?|≤)\s*(?P<name>{_NAME})"
    rf"\s*(?P<high><=?|≤)\s*(?P<most>{_NUMBER})(?![\w^*]|\.\d)"
)
# What makes a sentence one about a case among others, a question, or a result; until it turns to
# what is assumed.
_CASE = re.compile(
    r"\b(?:if|iff|when|whenever|whether|unless|until|while|else|otherwise|true|false"
    r"|checks?|determines?|tests?|verify|verifies|decides?|results?|clamps?|clips?)\b"
    r"|\b(?:that|for|not|to|so)\s+\Z",
    re.IGNORECASE,
)
_ASSUMED = re.compile(r"\b(?:where|assum\w+|guaranteed?|suppos\w+|provided)\b", re.IGNORECASE)
# "when given a positive integer", "returns a positive integer n".
_NO_PROMISE = re.compile(
    r"\b(?:returns?|yields?|(?:if|when|whenever|unless)\s+(?:it\s+is\s+)?(?:given|passed))\s+"
    r"an?\s+\Z",
    re.IGNORECASE,
)
# The end of a sentence, or of the entry before this one in a list of parameters.
_SENTENCE_END = re.compile(rf"[.;!?]\s|\n[ \t]*\n|\n(?={_MARK}{_NAME}{_COLON})")
# Other numbers are welcome, too.
_OR_ELSE = re.compile(
    rf"[{_QUOTES}]*\s{{0,9}}[,(]?\s{{0,9}}"
    r"(?:else|otherwise|or(?!\s+(?:an?\s+)?(?:none|float|list|tuple|str)\b))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Bound:
    """What holds for every number in the argument of one parameter."""

    name: str
    least: float = -math.inf
    most: float = math.inf
    least_counts: bool = True
    most_counts: bool = True

    def holds(self, value: Value) -> bool:
        """Also of what has no numbers in it, and of a container's numbers. NaN is within none."""
        if isinstance(value, bool):
            return True
        if isinstance(value, int | float):
            low = self.least < value or (self.least_counts and value == self.least)
            return low and (value < self.most or (self.most_counts and value == self.most))
        if isinstance(value, list | tuple | set | frozenset):
            return all(map(self.holds, cast("Iterable[Value]", value)))
        return True


class Bounds:
    """The bounds that a specification states and these examples keep."""

    def __init__(self, specification: Specification, examples: Sequence[Call]) -> None:
        kind = specification.unit.kind
        names = tuple(parameter.name for parameter in specification.parameters)
        # Of a class method's arguments, the class is not one.
        self._names = names[kind is UnitKind.CLASS_METHOD :]
        stated: tuple[Bound, ...] = ()
        # Where refusals are documented, what is refused is on trial, too.
        if not specification.documented_exceptions:
            bound_to = kind in (UnitKind.METHOD, UnitKind.CLASS_METHOD)
            stated = stated_bounds(specification.docstring, names[bound_to:])
        self._bounds = tuple(
            bound for bound in stated if all(self._holds(bound, call) for call in examples)
        )

    def keep(self, call: Call) -> bool:
        """Whether the call's numbers are within all bounds."""
        return all(self._holds(bound, call) for bound in self._bounds)

    def _holds(self, bound: Bound, call: Call) -> bool:
        given = dict(zip(self._names, call.args, strict=False)) | dict(call.kwargs)
        return bound.name not in given or bound.holds(given[bound.name])


def bounds_of(specification: Specification) -> Bounds:
    """Those that the docstring states and its own examples keep."""
    return Bounds(specification, example_calls(specification))


def stated_bounds(docstring: str, parameters: Sequence[str]) -> tuple[Bound, ...]:
    """What a docstring states about its parameters, in the order in which it does."""
    return (*_kinds(docstring, parameters), *_chains(docstring, parameters))


def _kinds(docstring: str, parameters: Sequence[str]) -> Iterator[Bound]:
    for match in islice(_STATED.finditer(docstring), _STATED_MAX):
        counts = match["sign"].lower() != "positive"
        for name in _subjects(docstring, match, parameters):
            yield Bound(name, least=0, least_counts=counts)


def _subjects(docstring: str, match: re.Match[str], parameters: Sequence[str]) -> Iterator[str]:
    """The parameters that a kind of number is stated of."""
    before = _before(docstring, match.start())
    if _OR_ELSE.match(docstring, match.end()) or _NO_PROMISE.search(before):
        return
    said = _IS.search(before)
    if said is not None:
        if not _is_case(before[: said.start()]):
            yield from _known([said["name"]], parameters)
        return
    entry = _ENTRY.search(before)
    if entry is not None:
        yield from _known([entry["name"]], parameters)
        return
    named = _NAMED.match(docstring, match.end(), match.end() + _AROUND)
    names = list(_known(_AND.split(named["names"]), parameters)) if named else []
    if named and names:
        if not _OR_ELSE.match(docstring, named.end()):
            yield from names
    elif len(parameters) == 1 and _GIVEN.search(before):
        yield parameters[0]


def _before(docstring: str, end: int) -> str:
    """The text up to there, from the beginning of a line on if it is too long."""
    if end <= _AROUND:
        return docstring[:end]
    near = docstring[end - _AROUND : end]
    return near.partition("\n")[2] or near


def _is_case(before: str) -> bool:
    """Whether a sentence that begins so goes on about a case, or a result."""
    sentence = _ASSUMED.split(_SENTENCE_END.split(before)[-1])[-1]
    return _CASE.search(sentence) is not None


def _chains(docstring: str, parameters: Sequence[str]) -> Iterator[Bound]:
    for match in islice(_CHAIN.finditer(docstring), _STATED_MAX):
        before = _before(docstring, match.start())
        if _is_case(before) or _OR_ELSE.match(docstring, match.end()):
            continue
        for name in _known([match["name"]], parameters):
            low, high = match["low"] != "<", match["high"] != "<"
            yield Bound(name, _number(match["least"]), _number(match["most"]), low, high)


def _known(written: Sequence[str], parameters: Sequence[str]) -> Iterator[str]:
    """The names of parameters up to the first word that is none: there the list has ended."""
    for each in written:
        name = each.strip(_QUOTES)
        if name not in parameters:
            return
        yield name


def _number(text: str) -> float:
    base, *power = re.split(r"\^|\*\*", text)
    try:
        return float(base) ** float(power[0]) if power else float(base)
    except OverflowError:
        return math.inf
