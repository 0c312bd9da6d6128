"""Recurring dates, local times and durations."""

from __future__ import annotations

import calendar
from collections.abc import Collection
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo


def next_local_time(after: datetime, at: time, zone: str) -> datetime:
    """Find the next moment at which the clocks in a time zone show a time.

    Args:
        after: An aware datetime, in any time zone. The result is strictly
            later than this.
        at: The time of day on the local clock, without time zone. If a clock
            change skips or repeats it on some day, it is understood as
            ``datetime`` does with ``fold=0``.
        zone: Name of the time zone, such as "Europe/Berlin".

    Returns:
        An aware datetime in the given zone.

    Raises:
        ValueError: If ``after`` is naive.

    >>> noon = datetime(2024, 6, 3, 12, tzinfo=timezone.utc)
    >>> next_local_time(noon, time(9, 30), "Europe/Berlin").isoformat()
    '2024-06-04T09:30:00+02:00'
    """
    if after.tzinfo is None:
        raise ValueError("after must be an aware datetime")
    tz = ZoneInfo(zone)
    moment = after.astimezone(timezone.utc)
    candidate = datetime.combine(moment.astimezone(tz).date(), at, tzinfo=tz)
    instant = candidate.astimezone(timezone.utc)
    if instant <= moment:
        instant += timedelta(days=1)
    return instant.astimezone(tz)


def monthly_occurrences(start: date, count: int, *, every: int = 1) -> list[date]:
    """List the dates of an event that repeats by the month.

    The event takes place on the same day of the month as ``start``. In a
    month that is too short for that, it takes place on the last day of the
    month; this does not affect the months after it.

    Args:
        start: The first occurrence.
        count: How many dates to list, including ``start``; may be 0.
        every: Number of months from one occurrence to the next.

    Returns:
        The dates in chronological order.

    Raises:
        ValueError: If ``count`` is negative or ``every`` is less than 1.

    >>> [str(day) for day in monthly_occurrences(date(2024, 1, 31), 3)]
    ['2024-01-31', '2024-02-29', '2024-03-31']
    """
    if count < 0:
        raise ValueError("count must not be negative")
    if every < 1:
        raise ValueError("every must be at least 1")
    dates = []
    for number in range(count):
        years, month0 = divmod(start.month - 1 + number * every, 12)
        year, month = start.year + years, month0 + 1
        last_day = calendar.monthrange(year, month)[1]
        dates.append(date(year, month, min(start.day, last_day)))
    return dates


def format_duration(duration: timedelta) -> str:
    """Write a duration in hours, minutes and seconds, like "1h 2m 5s".

    The duration is rounded to whole seconds, half a second being rounded away
    from zero. Minutes and seconds run from 0 to 59, hours are not limited.
    Units of which there are none are left out; a duration that rounds to
    nothing is written "0s". A negative duration has a minus sign in front.

    Args:
        duration: Any duration.

    Returns:
        The text.

    >>> format_duration(timedelta(days=1, minutes=2, seconds=4.5))
    '24h 2m 5s'
    >>> format_duration(timedelta(minutes=-90))
    '-1h 30m'
    """
    hours, rest = divmod(abs(duration), timedelta(hours=1))
    minutes, rest = divmod(rest, timedelta(minutes=1))
    seconds = (rest + timedelta(milliseconds=500)) // timedelta(seconds=1)
    units = [(hours, "h"), (minutes, "m"), (seconds, "s")]
    parts = [f"{amount}{unit}" for amount, unit in units if amount]
    if not parts:
        return "0s"
    sign = "-" if duration < timedelta(0) else ""
    return sign + " ".join(parts)


def business_days_between(
    start: date, end: date, holidays: Collection[date] = ()
) -> int:
    """Count the business days between two dates.

    Business days are the days from Monday to Friday that are not holidays.

    Args:
        start: The earlier date.
        end: The later date.
        holidays: Dates that are not business days. They may include dates
            that fall on a weekend.

    Returns:
        The number of business days.

    Raises:
        ValueError: If ``end`` is earlier than ``start``.
    """
    if end < start:
        raise ValueError("end must not be earlier than start")
    days = (start + timedelta(days=offset) for offset in range((end - start).days))
    return sum(day.weekday() < 5 and day not in holidays for day in days)
