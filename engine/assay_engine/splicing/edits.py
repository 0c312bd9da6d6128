"""Puts edits of a text in order, and carries them out.

Shows changes as unified diffs that apply byte for byte.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from assay_engine.syntax.parsing import split_lines
from assay_engine.types import Edit, Span
from assay_engine.words import one_line


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text with all edits carried out; their spans refer to the text as given.

    Raises ValueError if edits overlap or reach beyond the text.
    """
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda each: (each.span.start, each.span.end)):
        if not done <= edit.span.start <= edit.span.end <= len(text):
            raise ValueError(f"an edit at {edit.span} overlaps another or leaves the text")
        parts += [text[done : edit.span.start], edit.new_text]
        done = edit.span.end
    return "".join([*parts, text[done:]])


def in_order(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits sorted by place; insertions at one place are joined in the order given."""
    merged: list[Edit] = []
    for edit in sorted(edits, key=lambda each: each.span.start):
        before = merged[-1] if merged else None
        if before is not None and before.span.start == before.span.end == edit.span.start:
            span = Span(before.span.start, edit.span.end)
            merged[-1] = Edit(span, before.new_text + edit.new_text)
        else:
            merged.append(edit)
    return tuple(merged)


def moved(offset: int, edits: Iterable[Edit]) -> int:
    """The new offset of a place that no edit touches."""
    return offset + sum(
        len(edit.new_text) - (edit.span.end - edit.span.start)
        for edit in edits
        if edit.span.end <= offset
    )


_NO_NEWLINE = "\\ No newline at end of file"


def unified_diff(path: str, before: str, after: str) -> str:
    """The change from one text to the other, as ``diff -u`` writes it; empty if there is none.

    Lines are broken where Python breaks them, at ``\\n``, ``\\r\\n`` and ``\\r``, and keep their
    breaks. A last line without a break is marked as such.
    """
    # As git does: a tool that applies the diff strips off one folder, and with a leading slash it
    # would then start at the root.
    name = one_line(path).lstrip("/")
    lines = difflib.unified_diff(
        split_lines(before), split_lines(after), fromfile=f"a/{name}", tofile=f"b/{name}"
    )
    return "".join(
        line if line.endswith(("\n", "\r")) else f"{line}\n{_NO_NEWLINE}\n" for line in lines
    )
