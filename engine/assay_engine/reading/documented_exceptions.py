"""The exceptions that a docstring announces, in any of the usual styles."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Iterator

from assay_engine.reading.exceptions_known import is_called_exception
from assay_engine.reading.raised_by_others import raised_by_others
from assay_engine.reading.raising_clauses import Cases, cases_continued, further_cases

_NAME = r"~?[A-Za-z_][A-Za-z0-9_.]*"
_FIELD = re.compile(rf":(?:raises?|except|exception)\s+(?P<names>{_NAME}(?:\s*,\s*{_NAME})*)\s*:")
_SECTION = re.compile(r"(?P<margin>\s*)(?:Raises|Exceptions|Throws)\s*(?P<colon>:?)\s*$")
_UNDERLINE = re.compile(r"\s*-{3,}\s*$")
_ENTRY = re.compile(
    rf"\s*(?:[-*]\s+)?[`:\w]*?`?(?P<names>{_NAME}(?:(?:\s*,\s*|\s+or\s+){_NAME})*)`*\s*(?::|$|--|–|if\b|when\b)"
)
_PROSE = re.compile(
    r"((?:raise|throw)(?:s|d|ing)?|\bwirft\b|\blève\b|\blanza\b|\bsolleva\b"
    r"|(?:is|are|gets) (?:raised|thrown)|を(?:送出|投げ|発生))",
    re.IGNORECASE,
)
_PASSIVE = ("is", "are", "gets", "を")
# Without a verb: "The index of x, ValueError if it is not there."
_VERBLESS = re.compile(
    rf"(?:\A|[,:(]|\b(?:and|or|else|otherwise)\b)\s*(?:an?\s+)?`*(?P<name>{_NAME})`*"
    r"\s+(?:if|when|whenever|unless|where|for|on|after)\b"
)
# What such a sentence does with exceptions, or gives for an example.
_HANDLING = re.compile(
    r"\be\.g\.|\b(?:such\s+as|no\s+longer|never|instead)\b"
    r"|\b(?:catch|map|wrap|convert|turn|translat|log|swallow|ignor|suppress|handl|count|classif|return"
    r"|giv|yield)(?:e|s|es|ies|y|ing)?\s+(?:[\w`]+\s+)?`*"
    r"(?:errors?|exceptions?|failures?|[\w.]*(?:Error|Exception|Warning))\b"
    r"|\bretr(?:y|ies|ying)\s+(?:on|after)\b",
    re.IGNORECASE,
)
_QUOTED_NAME = re.compile(rf"(?::\w+:)?[`']*(?P<name>{_NAME})[`']*")
_SUBJECT_NAME = rf"(?:an?\s+)?(?::\w+:)?[`']*{_NAME}[`']*"
# "On Empty, Full is raised" says so of the latter.
_SUBJECT = re.compile(
    rf"(?:(?:{_SUBJECT_NAME}\s*,\s*){{0,3}}{_SUBJECT_NAME},?\s+(?:or|and)\s+)?{_SUBJECT_NAME}"
    r"(?:\s+(?:exception|error))?\s*\Z"
)
_WORD = re.compile(r"[^\s,]+")
_PARTS = re.compile(r"(?<=;)\s")
# An abbreviation ends no sentence.
_SENTENCES = re.compile(r"(?<=\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcf\.)\s")
# So many characters before a verb say whether it is denied, or of whom.
_NEAR = 100
_NEGATION = re.compile(
    r"(?:\b(?:not|never|without|no)\s+(?:\w+\s+)?"
    r"|(?:n['’]t|\binstead\s+of|\brather\s+than|\bavoids?)\s+(?:(?:ever|\w+ly)\s+)?)$",
    re.IGNORECASE,
)
# After a first verb, another one is said of the function only at the start of a clause: "raises
# ValueError if the callback raises KeyError" says so of the callback.
_CLAUSE = re.compile(
    r"(?:[,:(\n*-]|\b(?:and|or|but|else|otherwise|then)\b)\s*(?:(?:it|also|may|can|will)\s+){0,2}$",
    re.IGNORECASE,
)
_CASE = re.compile(
    r"\b(?:if|when|whenever|unless|until|while|(?:long|soon|often)\s+as|which)\s+"
    r"(?:(?:an?|the|any)\s+)?\S+\s+$",
    re.IGNORECASE,
)
_NOTHING = frozenset(["None", "Nothing"])
_FILLER = frozenset(
    ["a", "an", "the", "either", "or", "and", "eine", "einen", "oder", "un", "une", "ou"]
)


def documented_exceptions(docstring: str, known: Collection[str] = frozenset()) -> tuple[str, ...]:
    """Names of exceptions, dotted as they are written, each once, in order of appearance.

    `known` are names that are known for exceptions although nothing in them says so; in fields and
    sections all are.
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
    for sentence in _SENTENCES.split(docstring):
        cases, seen, says_raised = Cases(), 0, False
        handling = _HANDLING.search(sentence)
        handled = handling.start() if handling else len(sentence)
        for part in _PARTS.split(sentence):
            parts = _PROSE.split(part)
            if len(parts) > 1:
                says_raised = True
                cases = yield from _raised(docstring, parts, is_exception)
            elif cases.goes_on:
                cases = cases_continued(part, is_exception)
                yield from cases.names
            elif not says_raised:
                yield from _without_verb(part[: max(0, handled - seen)])
            seen += len(part) + 1


def _raised(
    docstring: str, parts: list[str], is_exception: Callable[[str], bool]
) -> Generator[str, None, Cases]:
    """What a part of a sentence says is raised, which is split by its verbs; and what its last verb
    has behind it."""
    texts, verbs = parts[::2], parts[1::2]
    others, cases = False, Cases()
    for place, (before, verb, after) in enumerate(zip(texts[:-1], verbs, texts[1:], strict=True)):
        near, cases = before[-_NEAR:], Cases()
        # What another raises is not named by what follows: "if fn raises KeyError, an".
        said = before.partition(",")[2] if others else before
        others = False
        if _NEGATION.search(near):
            continue
        if verb.lower().startswith(_PASSIVE):
            if not _CASE.search(near):
                yield from _subjects(said, is_exception)
        elif raised_by_others(near, after[:_NEAR], starts=docstring.startswith(before + verb)):
            others = True
        elif place == 0 or _CLAUSE.search(near):
            names, end = _leading_names(after, is_exception)
            cases = further_cases(after[end:], is_exception) if names else Cases()
            yield from (*names, *cases.names)
    return cases


def _subjects(text: str, is_exception: Callable[[str], bool]) -> Iterator[str]:
    """The exceptions that a text ends with: "a ValueError" of "a ValueError is raised"."""
    subject = _SUBJECT.search(text[-_NEAR:])
    direct = {_tidy(name) for name in _QUOTED_NAME.findall(subject[0])} if subject else set[str]()
    for word in _QUOTED_NAME.findall(text)[-4:]:
        name = _tidy(word)
        if is_called_exception(name) or (name in direct and is_exception(name)):
            yield name


def _without_verb(text: str) -> Iterator[str]:
    """What a text names for a case: exceptions by their names alone."""
    names = (_tidy(match["name"]) for match in _VERBLESS.finditer(text))
    return filter(is_called_exception, names)


def _leading_names(text: str, is_exception: Callable[[str], bool]) -> tuple[list[str], int]:
    """The exceptions that a text begins with, ``a ValueError or `KeyError` if``, and where they
    end."""
    found: list[str] = []
    end = 0
    for word in _WORD.finditer(text):
        match = _QUOTED_NAME.match(word[0])
        name = _tidy(match["name"]) if match else ""
        if match is not None and is_exception(name):
            found.append(name)
            end = word.start() + match.end()
        elif name.lower() not in _FILLER:
            break
    return found, end


def _split(names: str) -> Iterator[str]:
    for name in re.split(r"\s*,\s*|\s+or\s+", names):
        if _tidy(name)[:1].isalpha() and _tidy(name) not in _NOTHING:
            yield _tidy(name)


def _tidy(name: str) -> str:
    return name.lstrip("~").rstrip(".")
