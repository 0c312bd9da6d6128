"""Positions in every encoding, over texts made of everything that makes positions hard."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from assay_engine.types import Edit, Span
from assay_lsp.convert import Encoding, PositionedText, difference

PIECES = [
    "a",
    "é",
    "€",
    "🙂",
    "\ud800",
    "\t",
    "\r",
    "\n",
    "\r\n",
    "\f",
    "\v",
    "\u2028",
    "\x85",
    "\ufeff",
    "def",
]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
encodings = st.sampled_from(list(Encoding))


def lines_of(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text)


def units(text: str, encoding: Encoding) -> int:
    codec, size = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[
        encoding
    ]
    return len(text.encode(codec, "surrogatepass")) // size


@given(texts, encodings, st.data())
def test_an_offset_survives_the_way_there_and_back(
    text: str, encoding: Encoding, data: st.DataObject
) -> None:
    offset = data.draw(st.integers(0, len(text)))
    if text[max(offset - 1, 0) : offset + 1] == "\r\n":
        offset += 1  # between CR and LF there is no position
    table = PositionedText.of(text)
    assert table.offset(table.position(offset, encoding), encoding) == offset


@given(texts, encodings)
def test_a_position_counts_the_units_of_its_line(text: str, encoding: Encoding) -> None:
    table = PositionedText.of(text)
    for number, line in enumerate(lines_of(text)):
        end = types.Position(number, units(line, encoding))
        assert table.position(table.offset(end, encoding), encoding) == end


@given(texts, encodings, st.integers(0, 40), st.integers(0, 40))
def test_any_position_lands_inside_its_line(
    text: str, encoding: Encoding, line: int, character: int
) -> None:
    table = PositionedText.of(text)
    offset = table.offset(types.Position(line, character), encoding)
    if line >= len(lines_of(text)):
        assert offset == len(text)
        return
    assert table.starts[line] <= offset <= table.starts[line] + len(lines_of(text)[line])
    assert units(text[table.starts[line] : offset], encoding) <= character


@given(texts, st.data())
def test_editing_scans_as_reading_anew_does(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    edit = Edit(Span(start, end), data.draw(texts))
    assert PositionedText.of(text).edited(edit) == PositionedText.of(
        text[:start] + edit.new_text + text[end:]
    )


@given(texts, texts)
def test_the_difference_turns_one_text_into_the_other(old: str, new: str) -> None:
    edit = difference(old, new)
    assert old[: edit.span.start] + edit.new_text + old[edit.span.end :] == new
    assert (edit.span == Span(len(old), len(old)) and not edit.new_text) or old != new


def test_a_position_inside_a_character_means_its_start() -> None:
    table = PositionedText.of("🙂x")
    assert [table.offset(types.Position(0, at), Encoding.UTF_16) for at in range(4)] == [0, 0, 1, 2]
    assert [table.offset(types.Position(0, at), Encoding.UTF_8) for at in range(6)] == [
        0,
        0,
        0,
        0,
        1,
        2,
    ]


def test_only_editors_line_breaks_break_lines() -> None:
    assert PositionedText.of("a\fb\vc\x1cd\x85e\u2028f\rg\r\nh\ni").starts == (0, 12, 15, 17)


def test_positions_beyond_the_end_are_moved_to_the_end() -> None:
    table = PositionedText.of("ab\r\ncd")
    assert table.offset(types.Position(0, 99), Encoding.UTF_16) == 2
    assert table.offset(types.Position(9, 0), Encoding.UTF_16) == 6
    assert table.position(99, Encoding.UTF_16) == types.Position(1, 2)
    assert table.span(
        types.Range(types.Position(1, 1), types.Position(0, 1)), Encoding.UTF_8
    ) == Span(1, 5)


HALVES = st.lists(st.sampled_from(["\ud83d", "\ude00", "a", "\U0001f600", "\n"]), max_size=4)


def joined(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@given(texts, HALVES.map("".join), st.data())
def test_a_change_in_utf_16_counts_units_wherever_it_cuts(
    text: str, added: str, data: st.DataObject
) -> None:
    text = joined(text)
    lines = lines_of(text)
    starts = [units(text[:start], Encoding.UTF_16) for start in PositionedText.of(text).starts]

    def place() -> tuple[int, int]:
        line = data.draw(st.integers(0, len(lines) - 1))
        return line, data.draw(st.integers(0, units(lines[line], Encoding.UTF_16)))

    one, other = sorted((place(), place()))
    whole = text.encode("utf-16-le", "surrogatepass")
    expected = (
        whole[: 2 * (starts[one[0]] + one[1])]
        + added.encode("utf-16-le", "surrogatepass")
        + whole[2 * (starts[other[0]] + other[1]) :]
    ).decode("utf-16-le", "surrogatepass")
    table = PositionedText.of(text)
    range_ = types.Range(types.Position(*one), types.Position(*other))
    after = table.edited(table.change(range_, added, Encoding.UTF_16))
    assert after == PositionedText.of(expected)
