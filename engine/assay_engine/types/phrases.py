"""Phrases about programs, in parts that tell our own words from what programs contain.

Only the code that puts a phrase together knows which words are ours.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct


class Words(Struct, frozen=True, tag_field="kind", tag="words"):
    """Words of ours, with the blanks between them and the neighbouring parts."""

    text: str


class Verbatim(Struct, frozen=True, tag_field="kind", tag="verbatim"):
    """Text that a program or a model wrote, or a value as Python text."""

    text: str


class Name(Struct, frozen=True, tag_field="kind", tag="name"):
    """A name that a program uses. Without backticks, it could be taken for a word of ours."""

    text: str


Phrase = tuple[Words | Verbatim | Name, ...]


def text_of(phrase: Phrase) -> str:
    """The text of a phrase, as terminals, messages and reports show it."""
    return "".join(f"`{part.text}`" if isinstance(part, Name) else part.text for part in phrase)


def joined(phrases: Iterable[Phrase]) -> Phrase:
    """The phrases joined by "and"."""
    return tuple(part for phrase in phrases for part in (Words(" and "), *phrase))[1:]
