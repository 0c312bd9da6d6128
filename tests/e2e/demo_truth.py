"""What a check of `examples/` has to find, function by function, and how the wrong ones go right.

The example modules never say which of their functions are wrong; this is the only place that does.
`test_examples_truth.py` holds it to account by plain execution.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Status = Literal["trusted", "suspect", "ambiguous", "unsupported"]


@dataclass(frozen=True, slots=True)
class Fix:
    """What a replacement has to be like.

    `reference` is the source of a right function. Each of `calls` is the text of a call on which
    the example goes wrong, with the `repr` of the right result; names in it are those of the
    example's module.
    """

    reference: str
    calls: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Expected:
    """What is to be said of one function; `code` is the finding, None if there is to be none."""

    module: str
    status: Status
    code: str | None = None
    fix: Fix | None = None


FREE_GAPS = Fix(
    reference="""
def free_gaps(busy: list[tuple[int, int]], opens: int, closes: int) -> list[tuple[int, int]]:
    gaps = []
    free_from = opens
    for start, end in sorted(busy):
        if end <= start:
            continue
        if free_from < min(start, closes):
            gaps.append((free_from, min(start, closes)))
        free_from = max(free_from, end)
    if free_from < closes:
        gaps.append((free_from, closes))
    return gaps
""",
    calls=(
        ("free_gaps([(0, 1)], 0, 2)", "[(1, 2)]"),
        ("free_gaps([(5, 5)], 0, 9)", "[(0, 9)]"),
        ("free_gaps([(600, 660), (540, 570)], 540, 1080)", "[(570, 600), (660, 1080)]"),
    ),
)

ISO_WEEK_LABEL = Fix(
    reference="""
def iso_week_label(day: date) -> str:
    year, week, _ = day.isocalendar()
    return f"{year:04d}-W{week:02d}"
""",
    calls=(
        ("iso_week_label(date(2000, 1, 1))", "'1999-W52'"),
        ("iso_week_label(date(2024, 12, 30))", "'2025-W01'"),
    ),
)

ADD_MONTHS = Fix(
    reference="""
def add_months(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not MINYEAR <= year <= MAXYEAR:
        raise ValueError("the result is out of range")
    last_day = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last_day))
""",
    calls=(
        ("add_months(date(2023, 11, 30), 1)", "datetime.date(2023, 12, 30)"),
        ("add_months(date(2024, 1, 31), -1)", "datetime.date(2023, 12, 31)"),
        ("add_months(date(9999, 12, 31), 0)", "datetime.date(9999, 12, 31)"),
    ),
)

AVERAGE_PRICE = Fix(
    reference="""
def average_price(prices: list[int]) -> int:
    if not prices:
        raise ValueError("there are no prices")
    if min(prices) < 0:
        raise ValueError("a price cannot be negative")
    return (2 * sum(prices) + len(prices)) // (2 * len(prices))
""",
    calls=(
        ("average_price([0, 1])", "1"),
        ("average_price([2, 3])", "3"),
        ("average_price([9007199254740993])", "9007199254740993"),
    ),
)

FORMAT_AMOUNT = Fix(
    reference="""
def format_amount(cents: int) -> str:
    dollars, rest = divmod(abs(cents), 100)
    sign = "-" if cents < 0 else ""
    return f"{sign}${dollars:,}.{rest:02d}"
""",
    calls=(
        ("format_amount(-150)", "'-$1.50'"),
        ("format_amount(-1)", "'-$0.01'"),
        ("format_amount(-123456)", "'-$1,234.56'"),
    ),
)

WRAP_WORDS = Fix(
    reference="""
def wrap_words(text: str, width: int) -> list[str]:
    if width < 1:
        raise ValueError("the width must be at least 1")
    lines = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines
""",
    calls=(
        ("wrap_words('a b', 3)", "['a b']"),
        ("wrap_words('the quick brown fox', 9)", "['the quick', 'brown fox']"),
    ),
)

CACHED_KEYS = Fix(
    reference="""
def cached_keys(requests: list[str], capacity: int) -> list[str]:
    if capacity < 1:
        raise ValueError("the capacity must be at least 1")
    held: dict[str, bool] = {}
    for key in requests:
        held.pop(key, None)
        held[key] = True
        if len(held) > capacity:
            del held[next(iter(held))]
    return list(held)
""",
    calls=(
        ("cached_keys(['a', 'b', 'a'], 2)", "['b', 'a']"),
        ("cached_keys(['a', 'b', 'a', 'c'], 2)", "['a', 'c']"),
    ),
)

TRUTH: Mapping[str, Expected] = MappingProxyType(
    {
        "parse_duration": Expected("schedules", "trusted"),
        "pluralise": Expected("schedules", "trusted"),
        "format_duration": Expected("schedules", "trusted"),
        "merge_intervals": Expected("schedules", "trusted"),
        "free_gaps": Expected("schedules", "suspect", "ASY101", FREE_GAPS),
        "Meeting.overlap_minutes": Expected("schedules", "trusted"),
        "task_order": Expected("schedules", "trusted"),
        "iso_week_label": Expected("calendars", "suspect", "ASY101", ISO_WEEK_LABEL),
        "add_months": Expected("calendars", "suspect", "ASY104", ADD_MONTHS),
        "nth_weekday": Expected("calendars", "trusted"),
        "split_bill": Expected("money", "trusted"),
        "average_price": Expected("money", "suspect", "ASY101", AVERAGE_PRICE),
        "format_amount": Expected("money", "suspect", "ASY103", FORMAT_AMOUNT),
        "discounted": Expected("money", "trusted"),
        "to_roman": Expected("text", "trusted"),
        "slugify": Expected("text", "trusted"),
        "wrap_words": Expected("text", "suspect", "ASY101", WRAP_WORDS),
        "rank_scores": Expected("records", "ambiguous", "ASY201"),
        "totals_by_name": Expected("records", "trusted"),
        "read_rows": Expected("records", "unsupported", "ASY301"),
        "drop_expired": Expected("records", "trusted"),
        "cached_keys": Expected("records", "suspect", "ASY101", CACHED_KEYS),
    }
)
