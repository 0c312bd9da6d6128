"""A text, a place in it and a change of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of code-point offsets into a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `span` of a text by `new_text`."""

    span: Span
    new_text: str


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text to check: where it belongs, what it says, and the workspace it may import from."""

    path: str
    text: str
    root: str | None = None
