"""Finds the exceptions that a docstring announces, in any of the usual styles."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from assay_engine.reading.exceptions_known import is_called_exception
from assay_engine.reading.raised_by_others import raised_by_others
from assay_engine.reading.sentences import CASE, DENIAL

_NAME = r"~?[A-Za-z_][A-Za-z0-9_.]*"
_FIELD = re.compile(rf":(?:raises?|except|exception)\s+(?P<names>{_NAME}(?:\s*,\s*{_NAME})*)\s*:")
_SECTION = re.compile(r"(?P<margin>\s*)(?:Raises|Exceptions|Throws)\s*(?P<colon>:?)\s*$")
_UNDERLINE = re.compile(r"\s*-{3,}\s*$")
_ENTRY = re.compile(
    rf"\s*(?:[-*]\s+)?(?::[\w:]+:)?`*(?P<names>{_NAME}(?:(?:\s*,\s*|\s+or\s+){_NAME})*)`*\s*(?::|$|--|–|if\b|when\b)"
)
# A passive verb follows the exception: "a ValueError is raised", "KeyError will then be thrown".
_ADVERB = r"(?:(?!not\b|never\b)\w+\s+)?"
_PASSIVE = (
    rf"\b(?:(?:will|would|shall|should|may|might|must|can|could|to)\s+{_ADVERB}be|being|is|are|gets)"
    rf"\s+{_ADVERB}(?:raised|thrown)\b|を(?:送出|投げ|発生)"
)
_IS_PASSIVE = re.compile(_PASSIVE, re.IGNORECASE)
_VERB = re.compile(
    rf"({_PASSIVE}|(?:raise|throw)(?:s|d|ing)?|(?<=,)\s+raising\b|\bwirft\b|\blève\b|\blanza\b|\bsolleva\b)",
    re.IGNORECASE,
)
# A name that may be quoted, have a role, or be a link: "[`Broken`][shop.Broken]".
_QUOTED = rf"(?::[\w:]+:)?\[?[`'\"]*{_NAME}[`'\"]*\]?(?:\[[\w.]*\])?"
_QUOTED_NAME = re.compile(_QUOTED.replace(_NAME, f"({_NAME})"))
_ONE = rf"(?:an?\s+)?{_QUOTED}"
_LISTED = rf"(?:(?:{_ONE}\s*,\s*){{0,3}}{_ONE},?\s+(?:or|and|nor)\s+)?{_ONE}"
# "On Empty, Full is raised" announces the latter, `Full`.
_SUBJECT = re.compile(rf"{_LISTED}(?:\s+(?:exception|error))?\)?(?:\s+with\s[^,;]*)?\s*\Z")
_WHEN = rf"(?:{CASE}|\b(?:where|for)\b)"
_CASE = re.compile(_WHEN, re.IGNORECASE)
# "Raises KeyError if there is none, or ValueError if it is negative."
_FURTHER_CASE = re.compile(
    rf"(?:[,;]|\b(?:or|and))\s+(?P<names>{_LISTED})\s+{_WHEN}", re.IGNORECASE
)
_WORD = re.compile(r"[^\s,]+")
# A semicolon does not end a sentence here, because further cases follow it. Nor does a paragraph,
# because code that raises follows it.
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
# This many characters before a verb are searched for a denial, and for who raises.
_NEAR = 100
_NOT_DONE = re.compile(
    rf"(?:{DENIAL}|\binstead\s+of\b|\brather\s+than\b|\bavoids?\b)\s+(?:(?:be|ever|longer|\w+ly)\s+)?\Z",
    re.IGNORECASE,
)
# Stands before an exception that is not announced: "no ValueError is raised", "if any ValueError
# is raised".
_NOT_SAID = re.compile(
    rf"(?:{CASE}|{DENIAL}|\b(?:whether|for\s+which|neither|before|instead\s+of|rather\s+than)\b)"
    r"\s+(?:(?:the|any|either|such)\s+)?\Z",
    re.IGNORECASE,
)
# After the first verb of a sentence, a further verb is about the function only at the start of a
# clause. In "raises ValueError if the callback raises KeyError" it is about the callback.
_CLAUSE = re.compile(
    r"(?:[,;:(\n*-]|\b(?:and|or|but|else|otherwise|then)\b)\s*(?:(?:it|also|may|can|will)\s+){0,2}\Z",
    re.IGNORECASE,
)
_NOTHING = frozenset(["None", "Nothing"])
_FILLER = frozenset(
    [
        *("a", "an", "the", "either", "or", "and", "exception", "error"),
        *("eine", "einen", "oder", "un", "une", "ou"),
    ]
)


def documented_exceptions(docstring: str, known: Collection[str] = frozenset()) -> tuple[str, ...]:
    """Names of exceptions, dotted as they are written, each once, in order of appearance.

    `known` are the names of exceptions that do not sound like exceptions. In fields and sections,
    every name counts as one.
    """

    def is_exception(name: str) -> bool:
        return name.rsplit(".", 1)[-1] in known or is_called_exception(name)

    prose = _in_prose(docstring, is_exception)
    names = [*_in_fields(docstring), *_in_sections(docstring), *prose]
    places = {name: docstring.find(name) for name in names}
    return tuple(sorted(places, key=places.__getitem__))


def _in_fields(docstring: str) -> Iterator[str]:
    for match in _FIELD.finditer(docstring):
        yield from _split(match["names"])


def _in_sections(docstring: str) -> Iterator[str]:
    lines = docstring.split("\n")
    for number, line in enumerate(lines):
        section = _SECTION.match(line)
        if section is None:
            continue
        underlined = number + 1 < len(lines) and _UNDERLINE.match(lines[number + 1]) is not None
        if underlined:
            yield from _entries(lines[number + 2 :], len(section["margin"]))
        elif section["colon"]:
            below = [each for each in lines[number + 1 :] if each.strip()]
            margin = len(below[0]) - len(below[0].lstrip()) if below else 0
            if margin > len(section["margin"]):
                yield from _entries(lines[number + 1 :], margin)


def _entries(lines: list[str], margin: int) -> Iterator[str]:
    """The names at the head of a section's entries, up to where the section ends."""
    for number, line in enumerate(lines):
        indentation = len(line) - len(line.lstrip())
        if not line.strip() or indentation > margin:
            continue
        starts_section = number + 1 < len(lines) and _UNDERLINE.match(lines[number + 1])
        entry = _ENTRY.match(line)
        if indentation < margin or starts_section or entry is None:
            return
        yield from _split(entry["names"])


def _in_prose(docstring: str, is_exception: Callable[[str], bool]) -> Iterator[str]:
    for sentence in _SENTENCE_END.split(docstring):
        parts = _VERB.split(sentence)
        others = False
        for place in range(1, len(parts), 2):
            before, verb, after = parts[place - 1 : place + 2]
            near = before[-_NEAR:]
            # The text up to a comma names what somebody else raises: "if fn raises KeyError, an".
            said = before.partition(",")[2] if others else before
            others = False
            if _NOT_DONE.search(near):
                continue
            if _IS_PASSIVE.fullmatch(verb):
                yield from _subjects(said[-_NEAR:], is_exception)
            elif raised_by_others(near, after[:_NEAR], starts=docstring.startswith(before + verb)):
                others = True
            elif place == 1 or _CLAUSE.search(near):
                yield from _objects(after, is_exception)


def _subjects(text: str, is_exception: Callable[[str], bool]) -> Iterator[str]:
    """The exceptions at a text's end: "a ValueError" in "for bad input a ValueError is raised"."""
    subject = _SUBJECT.search(text)
    if subject is None:
        return
    names = _names(subject[0])
    # A denial is about the first name alone. It counts for nothing if that is no exception: "is not
    # supported and a ValueError is raised".
    is_denied = _NOT_SAID.search(text, 0, subject.start()) is not None
    if not (is_denied and any(map(is_exception, names[:1]))):
        yield from filter(is_exception, names)


def _objects(text: str, is_exception: Callable[[str], bool]) -> Iterator[str]:
    """The exceptions at a text's start, ``a ValueError or `KeyError` if``, and of further cases."""
    begun = False
    for word in _WORD.finditer(text):
        match = _QUOTED_NAME.match(word[0])
        name = _tidy(match[1]) if match else ""
        if is_exception(name):
            begun = True
            yield name
        elif name.lower() not in _FILLER:
            if begun and _CASE.match(text, word.start()):
                for case in _FURTHER_CASE.finditer(text, word.start()):
                    yield from filter(is_exception, _names(case["names"]))
            return


def _names(text: str) -> list[str]:
    names = map(_tidy, _QUOTED_NAME.findall(text))
    return [name for name in names if name not in _FILLER]


def _split(names: str) -> Iterator[str]:
    for name in re.split(r"\s*,\s*|\s+or\s+", names):
        if _tidy(name)[:1].isalpha() and _tidy(name) not in _NOTHING:
            yield _tidy(name)


def _tidy(name: str) -> str:
    return name.lstrip("~").rstrip(".")
