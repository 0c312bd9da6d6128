"""Weeks, months and weekdays."""

import calendar
from datetime import MAXYEAR, MINYEAR, date
from enum import Enum
from typing import Literal


class Weekday(Enum):
    """The days of the week, numbered like `date.weekday()`."""

    MONDAY = 0
    TUESDAY = 1
    WEDNESDAY = 2
    THURSDAY = 3
    FRIDAY = 4
    SATURDAY = 5
    SUNDAY = 6


def iso_week_label(day: date) -> str:
    """Return the ISO 8601 week in which a day lies, such as "2024-W07".

    Weeks start on Monday, and a week belongs to the year in which its Thursday lies; that year
    is the one in the label. The year is always written with four digits and the week with two.

    >>> iso_week_label(date(2024, 2, 14))
    '2024-W07'
    """
    week = day.isocalendar().week
    return f"{day.year:04d}-W{week:02d}"


def add_months(day: date, months: int) -> date:
    """Return the date that many months later, on the same day of the month.

    If the month arrived at is too short for that, its last day is returned: one month after
    31 January is 28 February, or 29 February in a leap year. Negative numbers of months go
    back in time, and zero months give the same date.

    Raises ValueError if the result would lie before the year 1 or after the year 9999.

    >>> add_months(date(2023, 1, 31), 1)
    datetime.date(2023, 2, 28)
    >>> add_months(date(2023, 11, 15), 3)
    datetime.date(2024, 2, 15)
    """
    total = day.month + months
    year = day.year + total // 12
    month = total % 12
    if not MINYEAR <= year <= MAXYEAR:
        raise ValueError("the result is out of range")
    last_day = calendar.monthrange(year, month)[1]
    return date(year, month, min(day.day, last_day))


def nth_weekday(month: date, weekday: Weekday, nth: Literal[1, 2, 3, 4, 5, -1]) -> date | None:
    """Return the date of the nth given weekday in a month, such as the second Tuesday.

    `month` is any date in that month; its day does not matter. 1 stands for the first such
    weekday of the month, 2 for the second and so on, and -1 for the last. Returns None if the
    month has no fifth such weekday and it is asked for.

    Raises ValueError if `nth` is none of 1, 2, 3, 4, 5 and -1.

    >>> nth_weekday(date(2024, 11, 9), Weekday.THURSDAY, 4)
    datetime.date(2024, 11, 28)
    >>> nth_weekday(date(2024, 11, 9), Weekday.MONDAY, 5) is None
    True
    """
    if nth not in (1, 2, 3, 4, 5, -1):
        raise ValueError("nth must be 1, 2, 3, 4, 5 or -1")
    length = calendar.monthrange(month.year, month.month)[1]
    first = 1 + (weekday.value - month.replace(day=1).weekday()) % 7
    days = range(first, length + 1, 7)
    if nth == -1:
        return month.replace(day=days[-1])
    return month.replace(day=days[nth - 1]) if nth <= len(days) else None
