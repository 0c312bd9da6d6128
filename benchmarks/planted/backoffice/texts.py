"""Plain-text output: tables, wrapping, CSV, templates, change counts."""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def render_table(
    rows: Iterable[Sequence[Any]],
    headers: Sequence[str],
    *,
    align: Mapping[str, str] | None = None,
) -> str:
    """Lay out rows as a plain-text table.

    The table has a line with the headers, a line of dashes, and a line for
    each row. Columns are as wide as their widest cell, header included, and
    are separated by two spaces. Lines have no trailing spaces and the table
    has no trailing newline. Cells are converted with ``str``, except that
    ``None`` is shown as an empty cell.

    :param rows: the rows; a row with fewer cells than there are headers is
        filled up with empty cells
    :param headers: the column headers
    :param align: maps a header to ``"left"`` or ``"right"``; columns that are
        not mentioned are aligned to the left
    :raises ValueError: if a row has more cells than there are headers, or an
        alignment is neither ``"left"`` nor ``"right"``

    >>> print(render_table([["cup", 12], ["pot", None]], ["item", "qty"],
    ...                    align={"qty": "right"}))
    item  qty
    ----  ---
    cup    12
    pot
    """
    align = align or {}
    for direction in align.values():
        if direction not in ("left", "right"):
            raise ValueError(f"unknown alignment {direction!r}")
    lines = [list(headers)]
    for row in rows:
        cells = ["" if cell is None else str(cell) for cell in row]
        if len(cells) > len(headers):
            raise ValueError("row has more cells than there are headers")
        lines.append(cells + [""] * (len(headers) - len(cells)))
    widths = [max(len(cell) for cell in column) for column in zip(*lines)]
    lines.insert(1, ["-" * width for width in widths])

    def layout(cells: list[str]) -> str:
        padded = [
            cell.rjust(width) if align.get(header) == "right" else cell.ljust(width)
            for cell, width, header in zip(cells, widths, headers)
        ]
        return "  ".join(padded).rstrip(" ")

    return "\n".join(layout(cells) for cells in lines)


def wrap_paragraphs(text: str, width: int = 72) -> str:
    """Re-wrap text to lines of at most ``width`` characters.

    Paragraphs are separated by one or more blank lines in the text, and by
    exactly one blank line in the result. Within a paragraph words are
    separated by single spaces, and each line takes as many words as fit. A
    word longer than ``width`` is not broken; it gets a line of its own.

    :param text: the text; lines of white space only count as blank
    :param width: the longest line allowed, at least 1
    :returns: the wrapped text without a trailing newline; an empty string if
        the text has no words
    :raises ValueError: if ``width`` is less than 1

    >>> print(wrap_paragraphs("Goods leave   the store daily.\\n\\nAsk us.", 14))
    Goods leave
    the store
    daily.
    <BLANKLINE>
    Ask us.
    """
    if width < 1:
        raise ValueError("width must be at least 1")
    paragraphs = []
    for block in re.split(r"\n\s*\n", text):
        lines: list[str] = []
        for word in block.split():
            if lines and len(lines[-1]) + len(word) + 1 < width:
                lines[-1] += " " + word
            else:
                lines.append(word)
        if lines:
            paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs)


def records_to_csv(
    records: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None
) -> str:
    """Write records as CSV text with a header line.

    :param records: the records, from any iterable
    :param columns: the columns to write, in this order; keys of the records
        that are not among them are left out. By default every key that occurs
        in any of the records is a column, in the order of first occurrence.
    :returns: the CSV text; lines end with ``\\n``. A key that a record does
        not have, and a value of ``None``, become an empty cell.

    >>> print(records_to_csv([{"id": 1, "name": "cup"}, {"id": 2, "tag": "x,y"}]))
    id,name,tag
    1,cup,
    2,,"x,y"
    <BLANKLINE>
    """
    if columns is None:
        columns = list(dict.fromkeys(key for record in records for key in record))
    out = io.StringIO()
    writer = csv.DictWriter(
        out, fieldnames=columns, extrasaction="ignore", lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def count_changed_lines(old: str, new: str) -> int:
    """Return how many lines have changed between two versions of a text.

    Lines are compared as they are, without their line ends. The result is 0
    if the two versions have the same lines.

    >>> count_changed_lines("a\\nb\\n", "a\\nb\\nc\\n")
    1
    """
    matcher = difflib.SequenceMatcher(
        None, old.splitlines(), new.splitlines(), autojunk=False
    )
    return sum(
        max(old_end - old_start, new_end - new_start)
        for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes()
        if tag != "equal"
    )


def fill_template(
    template: str,
    values: Mapping[str, Any],
    *,
    missing: Callable[[str], Any] | None = None,
) -> str:
    """Replace placeholders like ``{{name}}`` in a template by values.

    Names consist of letters, digits and underscores, and may have white space
    around them inside the braces. Values are converted with ``str`` and put
    in as they are: placeholders inside a value are not replaced. Everything
    that is not a placeholder is kept.

    :param template: the template text
    :param values: the values by name
    :param missing: called with the name for each placeholder that has no
        value; what it returns is used as the value
    :raises KeyError: if a placeholder has no value and ``missing`` was not
        given

    >>> fill_template("Dear {{ name }}, you owe {{sum}}.", {"name": "Ann", "sum": 3})
    'Dear Ann, you owe 3.'
    """

    def replace(match: re.Match[str]) -> str:
        name = match.group(1)
        if name in values:
            return str(values[name])
        if missing is None:
            raise KeyError(name)
        return str(missing(name))

    return _PLACEHOLDER.sub(replace, template)
