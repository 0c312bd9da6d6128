"""Calendar helpers: business days, recurrences and local days."""

from __future__ import annotations

import calendar
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone, tzinfo

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Event:
    title: str
    at: datetime


def is_business_day(day: date, holidays: Collection[date] = ()) -> bool:
    return day.weekday() < 5 and day not in holidays


def add_months(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last))


def add_business_days(start: date, days: int, holidays: Collection[date] = ()) -> date:
    """Return the date that lies ``days`` business days after ``start``.

    Business days are Monday to Friday, except for ``holidays``. ``start`` itself
    is never counted, whatever kind of day it is. A negative ``days`` counts
    backwards, and zero gives ``start`` unchanged.

    >>> add_business_days(date(2024, 5, 3), 1)
    datetime.date(2024, 5, 6)
    """
    step = ONE_DAY if days >= 0 else -ONE_DAY
    remaining = abs(days)
    current = start
    while remaining:
        current += step
        if is_business_day(current, holidays):
            remaining -= 1
    return current


def monthly_occurrences(start: date, count: int) -> list[date]:
    """Return the first ``count`` dates of a monthly recurrence.

    The first occurrence is ``start`` itself. Every occurrence falls on the same
    day of the month as ``start``; in a month that is too short for that, it
    falls on the last day of the month.

    :param start: the first date of the series
    :param count: how many dates to return
    :return: the dates in ascending order, one per calendar month

    >>> monthly_occurrences(date(2024, 1, 15), 3)[-1]
    datetime.date(2024, 3, 15)
    """
    occurrences: list[date] = []
    current = start
    for _ in range(count):
        occurrences.append(current)
        current = add_months(current, 1)
    return occurrences


def group_by_local_day(events: Iterable[Event], zone: tzinfo) -> dict[date, list[Event]]:
    """Group events by the calendar day on which they happen in ``zone``.

    Timestamps without a time zone are in UTC. Days and the events within a day
    keep the order in which they are first met.

    Args:
        events: The events to group; their timestamps may be in any time zone.
        zone: The time zone of the reader.

    Returns:
        A mapping from local date to the events of that day.
    """
    days: dict[date, list[Event]] = {}
    for event in events:
        at = event.at
        if at.tzinfo is None:
            at = at.replace(tzinfo=timezone.utc).astimezone(zone)
        days.setdefault(at.date(), []).append(event)
    return days


def business_days_between(start: date, end: date, holidays: Collection[date] = ()) -> int:
    """Count the business days between two dates.

    Saturdays, Sundays and ``holidays`` are not counted.

    Raises:
        ValueError: If ``end`` is before ``start``.
    """
    if end < start:
        raise ValueError("end is before start")
    count = 0
    current = start
    while current < end:
        if is_business_day(current, holidays):
            count += 1
        current += ONE_DAY
    return count
