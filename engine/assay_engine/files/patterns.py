"""Patterns of files as in ``.gitignore``, in the sense that Git gives them.

Whoever wrote a project wrote its patterns, so no pattern may keep anybody waiting. What stands
between two stars is looked for once, from the left, and never again: where it is found first leaves
the most room for the rest. Atomic groups of `re` say just that, and the time that a match takes is
at most in proportion to pattern times path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from assay_engine.bounds import PATTERN_CHARACTERS_MAX

_STAR, _DOUBLE_STAR = "*", "**"
_SEPARATOR = "/"
_ANY = "[^/]"
_FOLDERS = "(?:[^/]+/)*?"
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t-\r ",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class _Pattern(Struct, frozen=True):
    expression: re.Pattern[str]
    leaves_out: bool
    only_folders: bool


class Patterns:
    """The patterns in the lines of a file; a line that can be no pattern matches nothing."""

    def __init__(self, lines: Iterable[str]) -> None:
        found = [_read(line) for line in lines]
        self._last_first = [each for each in reversed(found) if isinstance(each, _Pattern)]

    def leave_out(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the last pattern that matches leaves the path out; None if none matches.

        `path` is relative to the folder of the patterns, with forward slashes. The folders that it
        is in are questions of their own.
        """
        for each in self._last_first:
            if (is_folder or not each.only_folders) and each.expression.fullmatch(path):
                return each.leaves_out
        return None


def is_pattern(line: str) -> bool:
    """Whether a line can be a pattern, or is empty or a comment."""
    return _read(line) is not _NONE


def is_overlong(line: str) -> bool:
    """Whether a line, without the spaces behind it, has more characters than a path can have."""
    return len(line.rstrip(" ")) > PATTERN_CHARACTERS_MAX


class _No(Struct, frozen=True):
    """A line that can match nothing."""


_NONE, _COMMENT = _No(), _No()


def _read(line: str) -> _Pattern | _No:
    text = line.rstrip(" ")
    if text != line and text.endswith("\\"):
        text += " "
    if not text or text.startswith("#"):
        return _COMMENT
    leaves_out = not text.startswith("!")
    text = text.removeprefix("!")
    only_folders = text.endswith("/")
    text = text.removesuffix("/")
    is_path = "/" in text
    tokens = None if is_overlong(text) else _tokens(text.removeprefix("/"))
    if not tokens:
        return _NONE
    segments = list(_segments(tokens))
    if not is_path:
        segments = [[_DOUBLE_STAR], *segments]
    return _Pattern(re.compile(_expression(segments)), leaves_out, only_folders)


def _tokens(text: str) -> list[str] | None:
    """Stars and slashes, and expressions for single characters; None if the text is no pattern."""
    tokens: list[str] = []
    at = 0
    while at < len(text):
        token, at = _token(text, at)
        if token is None:
            return None
        tokens.append(token)
    return tokens


def _token(text: str, at: int) -> tuple[str | None, int]:
    """The token at an offset, and the offset behind it."""
    match text[at]:
        case "*" | "/" as sign:
            return sign, at + 1
        case "?":
            return _ANY, at + 1
        case "[":
            return _set(text, at + 1)
        case "\\":
            return (re.escape(text[at + 1]), at + 2) if at + 1 < len(text) else (None, at)
        case character:
            return re.escape(character), at + 1


def _set(text: str, at: int) -> tuple[str | None, int]:
    """The expression for a set of characters. `at` is the offset behind its bracket.

    As in Git, a range that ends before it begins holds nothing, and an unknown class or a set
    without an end makes the whole line no pattern.
    """
    is_negated = text[at : at + 1] in ("!", "^")
    at += is_negated
    members: list[str] = []
    before, first = "", True
    while first or text[at : at + 1] != "]":
        first = False
        end = text.find("]", at + 2) if text.startswith("[:", at) else -1
        if end > at + 2 and text[end - 1] == ":":
            name = text[at + 2 : end - 1]
            if name not in _CLASSES:
                return None, at
            members.append(_CLASSES[name])
            before, at = "", end + 1
            continue
        is_range = text[at : at + 1] == "-" and before and text[at + 1 : at + 2] not in ("", "]")
        at += bool(is_range)
        at += text[at : at + 1] == "\\"
        character = text[at : at + 1]
        if not character:
            return None, at
        at += 1
        if is_range:
            if before <= character:
                members.append(f"{re.escape(before)}-{re.escape(character)}")
            before = ""
        else:
            members.append(re.escape(character))
            before = character
    held = "".join(members)
    if is_negated:
        return f"[^/{held}]", at + 1
    return (f"(?![/])[{held}]" if held else "(?!)"), at + 1


def _segments(tokens: Sequence[str]) -> Iterator[list[str]]:
    """The tokens between slashes; stars beside each other are one, or a double star if alone."""
    segment: list[str] = []
    for token in (*tokens, _SEPARATOR):
        if token != _SEPARATOR:
            segment.append(token)
            continue
        if len(segment) > 1 and set(segment) == {_STAR}:
            yield [_DOUBLE_STAR]
        else:
            pairs = zip(["", *segment], segment, strict=False)
            yield [each for before, each in pairs if not before == each == _STAR]
        segment = []


def _expression(segments: Sequence[Sequence[str]]) -> str:
    """The expression for a whole path, from segments of which double stars are any number."""
    groups: list[list[str]] = [[]]
    for segment in segments:
        if segment == [_DOUBLE_STAR]:
            groups.append([])
        else:
            groups[-1].append(_of_segment(segment))
    first, *others = ("/".join(group) for group in groups)
    if not others:
        return first
    *between, last = others
    return "".join(
        [
            f"{first}/" if first else "",
            *(f"(?>{_FOLDERS}{each}/)" for each in between if each),
            f"{_FOLDERS}{last}" if last else "(?s:.+)",
        ]
    )


def _of_segment(segment: Sequence[str]) -> str:
    parts = [""]
    for token in segment:
        if token == _STAR:
            parts.append("")
        else:
            parts[-1] += token
    first, *others = parts
    if not others:
        return first
    *between, last = others
    return "".join([first, *(f"(?>{_ANY}*?{each})" for each in between), f"{_ANY}*{last}"])
