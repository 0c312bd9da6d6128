"""Reports follow the text: by arithmetic at once, by name and digest at rest."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay_engine.digest import of_text
from assay_engine.syntax.units import find_units, innermost
from assay_engine.types import Edit, SourceText, Span
from assay_lsp.convert import PositionedText
from assay_lsp.documents import Change
from assay_lsp.placing import FunctionPlace, Known, Placed, moved, outline, place
from support.scripted_engine import report_on

TEXT = '''\
import os

@decorated
def one(n):
    """One. [differs]"""
    return 1


class A:
    def two(self):
        """Two."""
        def inner():
            """Inner."""
        return 2

def three(): "Three."
'''
PIECES = ["", "\n", "x", "    ", "# c\n", "@d\n", "def f():\n", "\r\n", '"""', "return 1\n"]


def known(text: str) -> dict[tuple[str, str], Known]:
    reports = (report_on(SourceText("m.py", text), unit) for unit in find_units(text)[0])
    return {(each.qualname, each.text_digest): Known(each, False) for each in reports}


def placed(text: str, reports: dict[tuple[str, str], Known]) -> tuple[Placed, ...]:
    return place(outline(text), reports)


def after(start: int, end: int, text: str) -> tuple[Placed, ...]:
    """The reports that still hold, right after an edit."""
    return place(outlined_after(start, end, text), known(TEXT))


def outlined_after(start: int, end: int, text: str) -> tuple[FunctionPlace, ...]:
    edit = Edit(Span(start, end), text)
    return moved(outline(TEXT), Change.of(edit, PositionedText.of(TEXT).edited(edit)))


def test_every_function_of_an_unchanged_text_is_placed() -> None:
    names = [each.report.qualname for each in placed(TEXT, known(TEXT))]
    assert names == ["one", "A.two", "A.two.<locals>.inner", "three"]


def test_the_same_function_under_another_name_is_another() -> None:
    assert placed(TEXT.replace("class A", "class B"), known(TEXT))[1].report.qualname == "three"


@given(st.data())
def test_what_an_edit_keeps_still_has_its_text(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(TEXT)))
    end = data.draw(st.integers(start, min(start + 40, len(TEXT))))
    added = "".join(data.draw(st.lists(st.sampled_from(PIECES), max_size=3)))
    text = TEXT[:start] + added + TEXT[end:]
    kept = after(start, end, added)
    for each in kept:
        assert of_text(text[each.span.start : each.span.end]) == each.report.text_digest
        assert text[each.name_span.start : each.name_span.end] in each.report.qualname


@given(st.data())
def test_an_edit_far_from_a_function_keeps_it(data: st.DataObject) -> None:
    before = placed(TEXT, known(TEXT))
    start = data.draw(st.integers(0, len(TEXT)))
    end = data.draw(st.integers(start, len(TEXT)))
    kept = {each.report.qualname for each in after(start, end, "x")}
    for each in before:
        far = end < each.span.start or start > each.span.end
        assert (each.report.qualname in kept) == far


def test_a_line_typed_right_above_a_function_leaves_it_alone() -> None:
    before = placed(TEXT, known(TEXT))
    at = before[0].span.start
    assert len(after(at, at, "# a comment\n")) == len(before)
    assert len(after(at, at, "x")) == len(before) - 1


def test_a_line_deleted_right_above_a_function_leaves_it_alone() -> None:
    before = placed(TEXT, known(TEXT))
    at = before[0].span.start
    assert TEXT[at - 2 : at] == "\n\n"
    assert after(at - 1, at, "")[0].span.start == at - 1
    # The function now goes on the line of what was above.
    assert len(after(at - 2, at, "")) == len(before) - 1
    assert len(after(0, at, "")) == len(before)


@given(st.data())
def test_every_function_stays_in_the_text_while_it_is_edited(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(TEXT)))
    end = data.draw(st.integers(start, min(start + 40, len(TEXT))))
    added = data.draw(st.sampled_from(PIECES))
    length = len(TEXT) + len(added) - (end - start)
    for each in outlined_after(start, end, added):
        assert 0 <= each.span.start <= each.name_span.start <= each.name_span.end
        assert each.name_span.end <= each.span.end <= length


def test_a_function_that_is_typed_in_stays_where_it_was() -> None:
    at = TEXT.index("return 1")
    before, (first, *_) = outline(TEXT), outlined_after(at, at, "if n:\n        ")
    assert (first.qualname, first.digest) == ("one", "")
    assert (first.span.start, first.name_span) == (before[0].span.start, before[0].name_span)


def test_the_innermost_function_is_the_one_meant() -> None:
    places = outline(TEXT)
    inside = innermost(places, TEXT.index('"""Inner'))
    assert inside is not None
    assert inside.qualname == "A.two.<locals>.inner"
    assert innermost(places, 0) is None
