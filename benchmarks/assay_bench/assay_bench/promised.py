"""Makes a specification of the header and description in a task's prompt."""

from __future__ import annotations

from assay_engine.specification.specification import specify
from assay_engine.syntax.units import find_units
from assay_engine.types import Specification


def promised(entry_point: str, signature: str, description: str) -> Specification | None:
    """The specification of a function that does nothing yet; None if the header is no Python.

    `signature` is a whole ``def`` line, or the part of it behind the name.
    """
    header = signature.strip().removesuffix(":")
    if not header.startswith("def "):
        header = f"def {entry_point}{header}"
    text = f"{header}:\n    {_docstring(description)!r}\n    return None\n"
    units, _ = find_units(text)
    unit = next((each for each in units if each.name == entry_point), None)
    return None if unit is None else specify(text, unit)


def _docstring(description: str) -> str:
    """The description without quotes, which some data have around it."""
    text = description.strip()
    for quotes in ('"""', "'''"):
        if text.startswith(quotes) and text.endswith(quotes) and len(text) >= 2 * len(quotes):
            return text[len(quotes) : -len(quotes)].strip()
    return text
