"""Shows changes as unified diffs that apply byte for byte."""

from __future__ import annotations

import difflib

from assay_engine.syntax.parsing import split_lines
from assay_engine.words import one_line

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
    return "".join(_ended(line) for line in lines)


def _ended(line: str) -> str:
    return line if line.endswith(("\n", "\r")) else f"{line}\n{_NO_NEWLINE}\n"
