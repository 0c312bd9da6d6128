"""Turns a candidate into edits of the user's text, and carries edits out on a text."""

from __future__ import annotations

from assay_engine.splicing.edits import apply_edits
from assay_engine.splicing.splice import splice

__all__ = ["apply_edits", "splice"]
