"""Durations, busy times, meetings and the order of tasks."""

import heapq
import re
from dataclasses import dataclass

UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


def parse_duration(text: str) -> int:
    """Return the number of seconds in a duration such as "1h30m".

    A duration is made of whole numbers, each directly followed by its unit: "h" for hours, "m"
    for minutes or "s" for seconds. Each unit is used at most once, they come in this order, and
    at least one is present. Numbers are written with the ASCII digits 0-9 only, may start with
    zeros and may be of any size, so "90m" is fine. Nothing else is allowed: no signs, no
    capitals, and no spaces or line breaks, not even at the ends.

    Raises ValueError for everything that is not such a duration, the empty string included.

    >>> parse_duration("1h30m")
    5400
    >>> parse_duration("45s")
    45
    """
    match = re.fullmatch(r"(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?", text)
    if not text or match is None:
        raise ValueError(f"not a duration: {text!r}")
    hours, minutes, seconds = (int(number or 0) for number in match.groups())
    return hours * 3600 + minutes * 60 + seconds


def pluralise(count: int, noun: str) -> str:
    """Return the count, one space and the noun, with an "s" added unless the count is exactly 1.

    >>> pluralise(1, "hour")
    '1 hour'
    >>> pluralise(0, "hour")
    '0 hours'
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def format_duration(seconds: int) -> str:
    """Say a duration in words, in days, hours, minutes and seconds, the largest unit first.

    Units of which there are none are left out; zero seconds is "0 seconds". Days are not
    grouped any further. The last two parts are joined by " and ", those before by ", ".

    Raises ValueError if `seconds` is negative.

    >>> format_duration(3900)
    '1 hour and 5 minutes'
    >>> format_duration(90061)
    '1 day, 1 hour, 1 minute and 1 second'
    """
    if seconds < 0:
        raise ValueError("a duration cannot be negative")
    parts = []
    for noun, length in UNITS:
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(pluralise(count, noun))
    if not parts:
        return pluralise(0, "second")
    if len(parts) == 1:
        return parts[0]
    return ", ".join(parts[:-1]) + " and " + parts[-1]


def merge_intervals(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge the intervals that overlap or touch and return the result, sorted by start.

    Each interval is a pair (start, end) that includes its start but not its end. Intervals may
    come in any order and repeat. Those whose end is not after their start cover nothing and are
    dropped first. (1, 3) and (3, 5) touch and become (1, 5). No intervals give an empty list.
    The argument is left as it is.

    >>> merge_intervals([(5, 8), (1, 3), (2, 4)])
    [(1, 4), (5, 8)]
    """
    merged: list[tuple[int, int]] = []
    for start, end in sorted(interval for interval in intervals if interval[0] < interval[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def free_gaps(busy: list[tuple[int, int]], opens: int, closes: int) -> list[tuple[int, int]]:
    """Return the free times between `opens` and `closes`, in order, as (start, end) pairs.

    All times are minutes after midnight, and every pair includes its start but not its end.
    Busy times may come in any order, overlap, and reach outside the opening hours; those whose
    end is not after their start are ignored. Each gap is as long as possible and none is empty.
    If nothing is busy, the whole time from `opens` to `closes` is one gap. If `closes` is not
    after `opens`, there are no gaps. The argument is left as it is.

    >>> free_gaps([(600, 660), (540, 570), (1020, 1080)], 540, 1080)
    [(570, 600), (660, 1020)]
    """
    if closes <= opens:
        return []
    if not busy:
        return [(opens, closes)]
    gaps = []
    free_from = opens
    for start, end in sorted(busy):
        if end <= start:
            continue
        if start > free_from:
            gaps.append((free_from, min(start, closes)))
        free_from = max(free_from, end)
        if free_from >= closes:
            break
    return gaps


@dataclass(frozen=True)
class Meeting:
    """A meeting from minute `start` up to, but not including, minute `end`."""

    title: str
    start: int
    end: int

    def overlap_minutes(self, other: "Meeting") -> int:
        """Return for how many minutes this meeting and the other one take place at once.

        Titles do not matter. Meetings of which one ends when the other starts share no minute,
        and a meeting whose end is not after its start shares none with any.

        >>> Meeting("Planning", 540, 600).overlap_minutes(Meeting("Review", 585, 630))
        15
        """
        return max(0, min(self.end, other.end) - max(self.start, other.start))


def task_order(needs: dict[str, list[str]]) -> list[str]:
    """Return all tasks in an order in which each comes after everything that it needs.

    `needs` maps a task to the tasks that have to be done before it, where repeats count once.
    Tasks that are only named as needs of others are part of the result, too. At every step, the
    task placed next is the alphabetically first (by plain string comparison) among those not
    yet placed whose needs have all been placed. No tasks give an empty list. The argument is
    left as it is.

    Raises ValueError if tasks need each other in a circle, or one needs itself.

    >>> task_order({"test": ["build"], "deploy": ["test", "approve"], "build": []})
    ['approve', 'build', 'test', 'deploy']
    """
    missing = {task: set(required) for task, required in needs.items()}
    for required in needs.values():
        for task in required:
            missing.setdefault(task, set())
    ready = [task for task, required in missing.items() if not required]
    heapq.heapify(ready)
    order = []
    while ready:
        done = heapq.heappop(ready)
        order.append(done)
        for task, required in missing.items():
            if done in required:
                required.remove(done)
                if not required:
                    heapq.heappush(ready, task)
    if len(order) < len(missing):
        raise ValueError("some tasks need each other in a circle")
    return order
