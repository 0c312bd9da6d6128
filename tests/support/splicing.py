"""What a file becomes of a candidate."""

from __future__ import annotations

from assay_engine.splicing import apply_edits, splice
from assay_engine.types import Problem
from support.specifying import unit_of


def spliced(text: str, candidate: str, qualname: str = "f") -> str | Problem:
    """The text with the candidate in the place of a function, or why that cannot be."""
    edits = splice(text, unit_of(text, qualname), candidate)
    return edits if isinstance(edits, Problem) else apply_edits(text, edits)
