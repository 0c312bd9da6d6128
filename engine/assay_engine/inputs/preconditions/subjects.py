"""Finds the parameters that a phrase about lists and texts means.

A phrase means a parameter only where the docstring says which: by name, in the parameter's entry of
a list, or because only one parameter could be meant. A phrase about a result, about a case among
others, or with an alternative means no parameter, as with bounds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from assay_engine.inputs.preconditions.phrases import NOUN, Phrase
from assay_engine.inputs.preconditions.prose import (
    AND,
    COLON,
    DUTY,
    IS,
    MARK,
    NAME,
    NAMES,
    OR_ELSE,
    QUOTES,
    TAKES,
    is_case,
    known,
    lazily,
    sentence,
    text_before,
)

_NOUN = lazily(rf"\b{NOUN}\b", re.IGNORECASE)
_PLURAL = lazily(r"(?:s|matrices)\Z", re.IGNORECASE)
_DETERMINERS = lazily(
    r"(?:(?:an?|the|this|two|both|input|single|flat|finite|integer|numeric|non-?empty|sorted"
    r"|binary|square|ascending|increasing|strictly)(?:\s+|\Z))*\Z",
    re.IGNORECASE,
)
# The determiners of a thing that was mentioned before, or is known from the list of parameters.
_DEFINITE = lazily(r"\b(?:the|this|input)\b", re.IGNORECASE)
# "returns a sorted list xs", "xs as a sorted list".
_RESULT = lazily(
    r"\b(?:returns?|yields?|produces?|creates?|builds?|makes?|generates?|outputs?|gives?|computes?"
    r"|constructs?|forms?|obtains?|prints?|shows?|gets?|as)(?:\s+(?:only|just|all|back))?\s*\Z",
    re.IGNORECASE,
)
_IS = lazily(rf"(?<!\w)(?P<name>{NAME})\s+{IS}\Z", re.IGNORECASE)
# "search values, a sorted tuple": the phrase follows the name.
_APPOSITION = lazily(rf"(?<!\w)(?P<name>{NAME}),\s+(?:which\s+(?:is|are)\s+)?\Z", re.IGNORECASE)
_GIVEN = lazily(
    r"(?<!if )(?<!when )(?<!whenever )(?<!unless )"
    rf"{TAKES}(?:as\s+(?:an?\s+)?(?:input|argument)\s*)?\Z",
    re.IGNORECASE,
)
# Words for what is done to arguments: no function looks for something in its own result.
_OPERATED = lazily(
    r"\b(?:(?:finds?|search(?:es)?|looks?|locates?|index|position|median|inserts?|removes?)\b"
    r"[^.;:]{0,80}\b(?:in|into|of|from|through|within)"
    r"|(?:merge|intersect|rotate|transpose)s?|search(?:es)?)\s+\Z",
    re.IGNORECASE,
)
# "where each string consists only of digits" speaks of the arguments.
_EACH = lazily(r"\b(?:each|every)\s+\Z", re.IGNORECASE)
_SORTING = lazily(r"\b(?:sort|order|arrang|rearrang|rank)\w*", re.IGNORECASE)
_RETURNED = lazily(r"\b(?:returns?|yields?|results?|outputs?|such)\b", re.IGNORECASE)
# "or" before a result: "the index in the sorted list xs, or -1".
_OR_RESULT = lazily(r"[\s,)]*\bor\s+(?:-?\d|none\b|true\b|false\b|raise)", re.IGNORECASE)
_UNDER_DUTY = rf"(?:{DUTY}|(?:is|are)\s+(?:already|assumed))\s+(?:all\s+|already\s+)?\Z"
_MODAL = (
    r"\s+(?:both\s+|each\s+)?(?:(?:must|should|shall|will)\s+"
    r"|(?:is|are)\s+(?:assumed|guaranteed|expected|known)\s+to\s+)?\Z"
)
_SUCH = lazily(rf"\b(?:the|both)\s+(?:input\s+|given\s+)?(?P<names>{NOUN}){_MODAL}", re.IGNORECASE)
_OF_NAMES = lazily(rf"{NAMES}\s+{_UNDER_DUTY}", re.IGNORECASE)
_OF_NOUN = lazily(
    rf"\b(?:the|both|this)\s+(?:input\s+|given\s+)?(?P<names>{NOUN})\s+{_UNDER_DUTY}", re.IGNORECASE
)
_ASSUMED = lazily(
    r"\b(?:assum\w+|suppos\w+|provided|guaranteed|where|ensur\w+|preconditions?:)\s+(?:that\s+)?"
    rf"(?P<names>{NAME})\s+(?:is|are)(?P<not>\s+not)?\s+(?:already\s+)?\Z",
    re.IGNORECASE,
)


class Parameters(Struct, frozen=True):
    """The names of all parameters, and of those that may be given a list or a text."""

    names: tuple[str, ...]
    holding: tuple[str, ...]


class _Noun(Struct, frozen=True):
    """A noun with the words that belong to it: their start and end, and the names in them."""

    start: int
    end: int
    plural: bool
    names: tuple[str, ...]


class Subjects:
    """Finds, for phrases of one docstring, the parameters that they are about."""

    def __init__(self, docstring: str, parameters: Parameters) -> None:
        self._docstring = docstring
        self._parameters = parameters
        self._grammar = _grammar(parameters.names)

    def before_noun(self, phrase: Phrase) -> Sequence[str]:
        """The parameters meant by the noun that follows the phrase."""
        head = self._grammar.noun_behind.match(self._docstring, phrase.span[1])
        if head is None:
            return ()
        return self._subjects(self._noun(head, phrase.span[0], head.end()), weak=phrase.weak)

    def behind_noun(self, phrase: Phrase) -> Sequence[str]:
        """The parameters meant by the noun before the phrase, or by the entry that it is in."""
        start, end = phrase.span
        before = text_before(self._docstring, start)
        head = self._grammar.noun_before.search(before)
        if head is not None:
            noun = self._noun(head, start - len(before) + head.start(), end)
            # In "a list of lists, each in ascending order" the phrase is about the inner lists.
            if head["each"] and not (noun.plural and len(_NOUN().findall(head.group())) == 1):
                return ()
            return self._subjects(noun, weak=phrase.weak)
        return () if self._alternative(end) else self._of_entry(before)

    def under_duty(self, phrase: Phrase) -> Sequence[str]:
        """The parameters that, by the sentence, must be as the phrase says or are assumed to be."""
        before = text_before(self._docstring, phrase.span[0])
        if self._alternative(phrase.span[1]):
            return ()
        for pattern in (_OF_NAMES(), _ASSUMED(), self._grammar.entry_duty, _OF_NOUN()):
            said = pattern.search(before)
            if said is None or (said["not"] is not None) != phrase.negated:
                continue
            if pattern is not self._grammar.entry_duty and is_case(before[: said.start()]):
                return ()
            names = self._known(said["names"])
            if names:
                return names
            if pattern is _OF_NOUN():
                return self._only(plural=_PLURAL().search(said["names"]) is not None)
        return ()

    def subject(self, phrase: Phrase) -> Sequence[str]:
        """The parameters that are the subject of the phrase's verb."""
        before = text_before(self._docstring, phrase.span[0])
        if self._alternative(phrase.span[1]) or is_case(before):
            return ()
        named = self._grammar.subject.search(before)
        if named is not None:
            return self._known(named["outer"])
        such = _SUCH().search(before)
        if such is None or _RETURNED().search(sentence(before)):
            return ()
        return self._only(plural=_PLURAL().search(such["names"]) is not None)

    def _noun(self, head: re.Match[str], start: int, end: int) -> _Noun:
        plural = _PLURAL().search(head["noun"]) is not None
        written = head["inner"] or head["outer"]
        if written is None:
            behind = self._grammar.names_behind.match(self._docstring, end)
            if behind is not None:
                written, end = behind["outer"], behind.end()
        if written is None:
            # A parameter may itself be called "matrix".
            determiners = _DETERMINERS().search(text_before(self._docstring, start))
            if determiners is not None and _DEFINITE().search(determiners.group()):
                written = head["noun"]
        names = () if written is None else self._known(written)
        return _Noun(start, end, plural, names[: None if plural else 1])

    def _subjects(self, noun: _Noun, *, weak: bool) -> Sequence[str]:
        before = _DETERMINERS().sub("", text_before(self._docstring, noun.start))
        if self._alternative(noun.end) or _RESULT().search(before):
            return ()
        if weak and _SORTING().search(sentence(before)):
            return ()
        said = _IS().search(before)
        if said is not None and (names := self._known(said["name"])):
            return () if is_case(before[: said.start()]) else names
        said = _APPOSITION().search(before)
        if said is not None and (names := self._known(said["name"])):
            return names
        entry = self._of_entry(before)
        if entry:
            return entry
        given = _GIVEN().search(before) is not None
        if noun.names:
            return noun.names if given or not weak else ()
        if given or _OPERATED().search(before) or self._is_each(before):
            return self._only(plural=noun.plural)
        return ()

    def _of_entry(self, before: str) -> tuple[str, ...]:
        entry = self._grammar.entry.search(before)
        return () if entry is None else self._known(entry["outer"])

    def _is_each(self, before: str) -> bool:
        return _EACH().search(before) is not None and not _RETURNED().search(sentence(before))

    def _known(self, written: str) -> tuple[str, ...]:
        return tuple(known(AND.split(written), self._parameters.names))

    def _alternative(self, end: int) -> bool:
        """Whether the docstring goes on at `end` with an alternative that is also welcome."""
        return bool(OR_ELSE().match(self._docstring, end)) and not _OR_RESULT().match(
            self._docstring, end
        )

    def _only(self, *, plural: bool) -> Sequence[str]:
        """The only parameters that can be meant: two for a plural noun, one for a singular."""
        holding = self._parameters.holding
        return holding if len(holding) == (2 if plural else 1) else ()


class _Grammar(Struct, frozen=True):
    noun_behind: re.Pattern[str]
    noun_before: re.Pattern[str]
    names_behind: re.Pattern[str]
    # The beginning of an entry, or of a clause in one.
    entry: re.Pattern[str]
    # A duty that an entry ends in.
    entry_duty: re.Pattern[str]
    # Parameters, or their items, as the subject of a verb.
    subject: re.Pattern[str]


@lru_cache(maxsize=64)
def _grammar(names: tuple[str, ...]) -> _Grammar:
    """The patterns for nouns with the names of these parameters around them."""
    # The names match case-sensitively: not every article means a parameter called A.
    one = rf"[{QUOTES}]*(?-i:{'|'.join(map(re.escape, names)) or '(?!)'})[{QUOTES}]*(?!\w)"
    several = rf"{one}(?:(?:{AND.pattern}){one})*"
    items = r"(?:\s+of(?:\s+[\w-]+){1,4}?)?"
    named = rf"(?P<noun>{NOUN})\b(?:\s+(?P<inner>{several}))?"
    return _Grammar(
        re.compile(
            rf"\s+(?:[\w-]+,?\s+){{0,2}}?{named}(?:{items}\s*[:(]?\s*(?P<outer>{several}))?",
            re.IGNORECASE,
        ),
        re.compile(
            rf"{named}{items}(?:\s+(?P<outer>{several}))?"
            r"\s*[,(]?\s*(?:(?:that|which)\s+(?:is|are|has\s+been)\s+|(?P<each>each|both)\s+)?"
            r"(?:(?:already\s+)?(?:sorted|non-?empty)\s+and\s+)?\Z",
            re.IGNORECASE,
        ),
        re.compile(rf"\s*[:(]?\s*(?P<outer>{several})", re.IGNORECASE),
        re.compile(
            rf"^(?P<indent>[ \t]*+){MARK}(?P<outer>{one}){COLON}[ \t]*"
            r"(?:[^\n]*\n(?P=indent)[ \t]+)?(?:[^.;!?\n]*[,(][ \t]*)?\Z",
            re.IGNORECASE | re.MULTILINE,
        ),
        re.compile(
            rf"^(?P<indent>[ \t]*+){MARK}(?P<names>{one}){COLON}[^\n]*"
            rf"(?:\n(?P=indent)[ \t]+[^\n]*)?[.:;,(]\s*{_UNDER_DUTY}",
            re.IGNORECASE | re.MULTILINE,
        ),
        re.compile(rf"(?<![\w.])(?P<outer>{several})(?:\[\w\])?{_MODAL}", re.IGNORECASE),
    )
