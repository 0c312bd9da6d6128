"""What is said of programs, in parts: whoever puts it together alone knows which are our words."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct


class Words(Struct, frozen=True, tag_field="kind", tag="words"):
    """Words of ours, with the blanks between them and what they stand beside."""

    text: str


class Verbatim(Struct, frozen=True, tag_field="kind", tag="verbatim"):
    """What a program or a model wrote, or a value as Python text."""

    text: str


class Name(Struct, frozen=True, tag_field="kind", tag="name"):
    """What a program calls something. Without backticks it would pass for a word of ours."""

    text: str


Phrase = tuple[Words | Verbatim | Name, ...]


def text_of(phrase: Phrase) -> str:
    """As a terminal, a message and a report have it."""
    return "".join(f"`{part.text}`" if isinstance(part, Name) else part.text for part in phrase)


def joined(phrases: Iterable[Phrase]) -> Phrase:
    """One and another."""
    return tuple(part for phrase in phrases for part in (Words(" and "), *phrase))[1:]
