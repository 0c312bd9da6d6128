"""Lists and texts that a docstring says are equally long: "two strings of the same length"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec import Struct

from assay_engine.inputs.preconditions.phrases import NOUN
from assay_engine.inputs.preconditions.prose import (
    AND,
    AROUND,
    NAME,
    OR_ELSE,
    STATED_MAX,
    is_case,
    known,
    last_entry,
    lazily,
    text_before,
)
from assay_engine.inputs.preconditions.qualified import is_qualified
from assay_engine.inputs.preconditions.subjects import Parameters
from assay_sandbox import Value

_SAME = lazily(
    r"\b(?:same|equal|identical)[\s-]+(?:lengths?|sized?"
    r"|number\s+of\s+(?:elements|items|entries|values))(?!\w)",
    re.IGNORECASE,
)
_NAMES = rf"(?P<names>{NAME}(?:(?:{AND.pattern}){NAME})+)"
# "a and b have the same length", "must be of equal length".
_SAID = lazily(
    rf"(?<![\w.])(?:{_NAMES}|(?:the|both)\s+(?:two\s+|input\s+)?{NOUN})\s+"
    r"(?:(?:must|should|will|always|all|have\s+to|need\s+to)\s+)?(?:both\s+)?"
    r"(?:have|are|be)\s+(?:of\s+)?(?:the\s+)?\Z",
    re.IGNORECASE,
)
_NUMBERS = {"both": 2, "two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4}
_COUNT = rf"\b(?P<count>{'|'.join(_NUMBERS)})\s+"
# "two strings of equal length", "three lists xs, ys and zs, all with the same size".
_COUNTED = lazily(
    rf"{_COUNT}(?:[\w-]+\s+){{0,2}}{NOUN}(?:\s+{_NAMES})?(?:\s+of\s+\w+)?\s*,?\s*"
    r"(?:(?:both|each|all)\s+)?(?:of|with|having)\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
# "two equal-length lists xs and ys".
_COUNT_BEFORE = lazily(rf"{_COUNT}\Z", re.IGNORECASE)
_NOUN_BEHIND = lazily(rf"\s+(?:[\w-]+\s+)?{NOUN}\b(?:\s+{_NAMES})?", re.IGNORECASE)
# "keys must have the same length as values", "keys: texts, of the same length as `values`".
_AS = lazily(rf"\s+(?:as|like)\s+(?:that\s+of\s+)?(?P<name>{NAME})", re.IGNORECASE)
_ONE = lazily(
    rf"(?<![\w.])(?P<name>{NAME})\s+(?:(?:must|should|will|has\s+to|needs\s+to)\s+)?"
    r"(?:have|has|be|is)\s+(?:of\s+)?(?:the\s+)?\Z",
    re.IGNORECASE,
)
_OR = lazily(r"\bor\b", re.IGNORECASE)
_EQUAL = lazily(
    rf"\blen\((?P<one>{NAME})\)\s*==\s*len\((?P<other>{NAME})\)"
    r"|(?<![\w.])(?P<left>\w+)\.length\s*==\s*(?P<right>\w+)\.length\b"
)
_RESULT = lazily(r"\b(?:returns?|yields?|into|produces?|generates?)\s+\Z", re.IGNORECASE)


class SameLength(Struct, frozen=True):
    """The arguments of these parameters that are lists, tuples or texts are equally long."""

    names: tuple[str, ...]

    @property
    def told(self) -> str:
        return f"{', '.join(self.names[:-1])} and {self.names[-1]} are equally long"

    def is_met(self, arguments: Mapping[str, Value]) -> bool:
        return len(set(map(len, self._long(arguments).values()))) <= 1

    def mending(self, arguments: Mapping[str, Value]) -> Mapping[str, Value]:
        """The arguments, each cut to the length of the shortest."""
        long = self._long(arguments)
        shortest = min(map(len, long.values()), default=0)
        return {name: value[:shortest] for name, value in long.items()}

    def _long(
        self, arguments: Mapping[str, Value]
    ) -> dict[str, str | list[Value] | tuple[Value, ...]]:
        return {
            name: arguments[name]
            for name in self.names
            if name in arguments and isinstance(arguments[name], str | list | tuple)
        }


def stated_lengths(docstring: str, parameters: Parameters) -> Iterator[SameLength]:
    """The equal lengths that a docstring states of parameters that it names.

    If it names fewer than two, all parameters that can be meant are taken.
    """
    for span, said in (*_in_words(docstring), *_in_signs(docstring)):
        names = tuple(known(said.names, parameters.names))
        if len(names) < 2 and not said.by_name:
            names = parameters.holding
        if len(names) == said.count and not is_qualified(docstring, span, names, parameters.names):
            yield SameLength(names)


class _Said(Struct, frozen=True):
    """How many parameters are said to be equally long, and their names.

    `by_name` says that no parameters but these can be meant.
    """

    count: int
    names: tuple[str, ...]
    by_name: bool = False


def _in_signs(docstring: str) -> Iterator[tuple[tuple[int, int], _Said]]:
    for match in islice(_EQUAL().finditer(docstring), STATED_MAX):
        if not is_case(text_before(docstring, match.start())):
            one, other = match["one"] or match["left"], match["other"] or match["right"]
            yield match.span(), _Said(2, (one, other), by_name=True)


def _in_words(docstring: str) -> Iterator[tuple[tuple[int, int], _Said]]:
    for match in islice(_SAME().finditer(docstring), STATED_MAX):
        before, end = text_before(docstring, match.start()), match.end()
        if OR_ELSE().match(docstring, end):
            continue
        other = _AS().match(docstring, end, end + AROUND)
        found = _of_several(docstring, before, end) if other is None else _of_one(before, other)
        if found is not None:
            yield match.span(), found


def _of_one(before: str, other: re.Match[str]) -> _Said | None:
    """The statement that one parameter is as long as another, in a sentence or in its entry."""
    said = _ONE().search(before)
    if said is not None:
        return None if is_case(before[: said.start()]) else _as(said["name"], other)
    entry = last_entry(before)
    if entry is None:
        return None
    name, text = entry
    return None if _OR().search(text) else _as(name, other)


def _as(one: str, other: re.Match[str]) -> _Said:
    return _Said(2, (one, other["name"]), by_name=True)


def _of_several(docstring: str, before: str, end: int) -> _Said | None:
    said = _SAID().search(before)
    if said is not None and not is_case(before[: said.start()]):
        names = _listed(said)
        return _Said(len(names) or 2, names)
    counted, behind = _COUNTED().search(before), None
    if counted is None:
        counted = _COUNT_BEFORE().search(before)
        behind = _NOUN_BEHIND().match(docstring, end, end + AROUND)
        if counted is None or behind is None:
            return None
    if _RESULT().search(before[: counted.start()]):
        return None
    return _Said(_NUMBERS[counted["count"].lower()], _listed(behind or counted))


def _listed(said: re.Match[str]) -> tuple[str, ...]:
    return tuple(AND.split(said["names"])) if said["names"] else ()
