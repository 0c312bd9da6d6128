"""Further cases of a clause that says what is raised: "raises IndexError if there are fewer, or
ValueError if the count is negative".

What is taken for one lets inputs count that otherwise would not: where a sentence may as well speak
of something else, nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from assay_engine.reading.exceptions_known import is_called_exception

_FIRST = re.compile(
    r"[`']*(?:\s+(?:exceptions?|errors?))?,?\s+(?:if|when|whenever|unless|where|for|on)\b"
)
_ROLE = re.compile(r":\w+:(?=`)")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_BRACKET = re.compile(r"[()]")
_NAME = r"(?:an?\s)?[`']*~?(?:\w+\.)*[A-Z]\w*[`']*"
# A text without line breaks or several spaces in a row. More names than these are hardly written.
_FURTHER = re.compile(
    r"(?P<join>(?:[,;]\s?(?:(?:or|and)\s)?|\b(?:or|and)\s))"
    rf"(?P<names>{_NAME}(?:(?:,\s?(?:(?:or|and)\s)?|\s(?:or|and)\s){_NAME}){{0,4}})"
    r"\s(?P<if>if|when|whenever|unless|where|for)\b"
)
_LISTED = re.compile(r"(?:\w+\.)*[A-Z]\w*")
# What else is done, with exceptions too, or whatever takes back what was said.
_OTHERWISE = re.compile(
    r":(?=\s|\Z)|\be\.g\.|\bi\.e\.|\b(?:such\s+as|for\s+(?:example|instance)|namely|that\s+is\s*,"
    r"|but|never|no\s+longer|as\s+before|instead|rather|unlike|whereas|formerly|previously)\b"
    r"|(?<!\bthe\s)(?<!\ba\s)(?<!\ban\s)\b(?:return|catch|map|wrap|convert|turn|translate|log|swallow"
    r"|ignore|suppress|retry|retrie|give|yield|handle|silence|report|record|treat)(?:e?s|ing)?\b"
    r"|\b(?:catching|mapping|wrapping|logging|swallowing|ignoring|suppressing|retrying|giving"
    r"|handling|silencing|translating)\b"
    r"|(?:,|\b(?:and|or|then))\s+(?:(?:\w+ly|also|then)\s+)?"
    r"(?!(?:is|was|has|does|contains|exceeds|equals|lacks|holds|matches|its|this|as|unless)\b)[a-z]+s"
    r"\s+(?:the|an?|any|all|others?|every|each|them|it|errors?|exceptions?|failures|those|these"
    r"|[\w.]*(?:Error|Exception|Warning))\b",
    re.IGNORECASE,
)
# "KeyError for what is missing", "ValueError if it is closed", but not "TimeoutError on each of
# them being logged": said of the exception.
_BEING = re.compile(
    r"\b(?:being|becom(?:es?|ing)|stays?|remains?)\b|\b(?:is|are|was|were|gets?)\s+(?:\w+ly\s+|then\s+|also\s+)?"
    r"(?:logged|wrapped|ignored|caught|swallowed|suppressed|handled|converted|turned|mapped|retried"
    r"|returned|passed\s+(?:on|over)|translated|reported|counted|recorded|skipped|collected|re-?raised"
    r"|chained|hidden|silenced|dropped|printed|replaced)\b",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(
    r"\b(?P<which>what|that|which|who|whose|whatever|if|when)\b"
    r"|\b(?:is|are|was|were|gets?)\s+(?:\w+ly\s+|then\s+|also\s+)?\w+(?:ed|en|own|ght)\b",
    re.IGNORECASE,
)


class Cases(Struct, frozen=True):
    """The exceptions of the further cases, and whether there may be more behind a semicolon."""

    names: tuple[str, ...] = ()
    goes_on: bool = False


def further_cases(text: str, is_exception: Callable[[str], bool]) -> Cases:
    """Those in a text that follows the names after "raises"; none if these have no case."""
    if _FIRST.match(text) is None:
        return Cases()
    return _cases(text, is_exception)


def cases_continued(text: str, is_exception: Callable[[str], bool]) -> Cases:
    """Those in a text behind a semicolon after others that go on."""
    return _cases("; " + text, is_exception)


def _cases(text: str, is_exception: Callable[[str], bool]) -> Cases:
    scope, is_whole = _same_clause(text)
    found: list[str] = []
    matches = list(_FURTHER.finditer(scope))
    ends = [*(match.start() for match in matches), len(scope)][1:]
    behind = 0
    for match, end in zip(matches, ends, strict=True):
        names = _LISTED.findall(match["names"])
        if not all(map(is_exception, names)):
            continue
        # "If it fails with KeyError or TypeError when called" lists what is not raised.
        listed = any(map(is_exception, _LISTED.findall(scope, behind, match.start())))
        # "If the state is new or Empty when": there, a name that may be anything is no case.
        vague = match["join"][0] not in ",;" and not all(map(is_called_exception, names))
        if listed or vague or _is_said_of_it(match["if"], scope[match.end() : end]):
            return Cases(tuple(found))
        found += names
        behind = match.end()
    return Cases(tuple(found), goes_on=is_whole)


def _same_clause(text: str) -> tuple[str, bool]:
    """As much of a text as speaks of what is raised, without brackets, and whether that is all."""
    paragraph = _PARAGRAPH.split(text, maxsplit=1)[0]
    outside = _outside_brackets(_ROLE.sub("", paragraph))
    scope = " ".join(outside.split())
    otherwise = _OTHERWISE.search(scope)
    if otherwise is None:
        return scope, len(paragraph) == len(text)
    return scope[: otherwise.start()], False


def _outside_brackets(text: str) -> str:
    """The text without what is in brackets, up to where a bracket ends that began before it."""
    kept: list[str] = []
    depth, start = 0, 0
    for match in _BRACKET.finditer(text):
        if depth == 0:
            kept.append(text[start : match.start()])
        depth += 1 if match[0] == "(" else -1
        if depth < 0:
            # What follows is another clause.
            return "".join(kept) + ": "
        start = match.end()
    return "".join(kept) + (text[start:] if depth == 0 else ": ")


def _is_said_of_it(conjunction: str, case: str) -> bool:
    """Whether a case tells what becomes of the exception: "KeyError for x is logged"."""
    if _BEING.search(case) is not None:
        return True
    verb = _PARTICIPLE.search(case) if conjunction == "for" else None
    return verb is not None and verb["which"] is None
