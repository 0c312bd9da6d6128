"""Texts to check, places in a text and changes to it."""

from __future__ import annotations

from msgspec import Struct


class Span(Struct, frozen=True):
    """A range of code points in a text, from `start` up to and without `end`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


class Edit(Struct, frozen=True):
    """Replace `span` of a text by `new_text`."""

    span: Span
    new_text: str


class SourceText(Struct, frozen=True):
    """A text to check: where it belongs, what it says, and the workspace it may import from."""

    path: str
    text: str
    root: str | None = None
