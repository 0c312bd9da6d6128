"""Tells whether an example, once written into a docstring, is read from it again."""

from __future__ import annotations

from collections import Counter

from assay_engine.reading.docstring_examples import examples_of
from assay_engine.reading.units import Cut, cut_units
from assay_engine.splicing import apply_edits
from assay_engine.splicing.docstrings import with_example
from assay_engine.splicing.place import Place, locate
from assay_engine.syntax.source import Source, read_source
from assay_engine.syntax.statements import docstring_statement
from assay_engine.types import Edit, Example, Unit


def read_back(text: str, unit: Unit, example: str) -> Example | None:
    """The example that the unit in `text` gains if these lines are added to its docstring.

    None unless the unit gains exactly one example and the others stay as they were.
    """
    source = read_source(text)
    place = locate(source, unit)
    cut = _cut(source, unit)
    edit = None if place is None else with_example(place, example) or _rewritten(place, example)
    if cut is None or edit is None:
        return None
    after = read_source(apply_edits(text, (edit,)))
    changed = _cut(after, unit)
    if changed is None:
        return None
    known = Counter(map(_content, examples_of(source, cut)))
    found = examples_of(after, changed)
    if known - Counter(map(_content, found)):
        return None
    added: list[Example] = []
    for each in found:
        if known[_content(each)]:
            known[_content(each)] -= 1
        else:
            added.append(each)
    return added[0] if len(added) == 1 else None


def _cut(source: Source, unit: Unit) -> Cut | None:
    # The added text stands after the name, so the name keeps its place.
    cuts = cut_units(source)
    return next((each for each in cuts if each.unit.name_span == unit.name_span), None)


def _content(example: Example) -> tuple[tuple[str, ...], str, str]:
    return example.setup, example.call, example.expected


def _rewritten(place: Place, example: str) -> Edit | None:
    """The edit that replaces a docstring that is no plain literal by one that says the same.

    A user who adds the example by hand will find a way to do so.
    """
    statement = docstring_statement(place.function)
    docstring = getattr(statement and statement.value, "value", None)
    if statement is None or not isinstance(docstring, str):
        return None
    return Edit(place.source.span(statement.value), repr(f"{docstring.rstrip()}\n\n{example}\n"))
