"""Summaries over tasks: means, rank correlation, and what incoherence detects (section 6.3)."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt

import msgspec
from msgspec import Struct


class Point(Struct, frozen=True):
    """A task's incoherence and error."""

    incoherence: float
    error: float


class Columns(msgspec.Struct, frozen=True):
    """The five columns of the paper's Table 4, and false alarms. None where undefined.

    `detection_rate`: the share of the tasks with error that have incoherence.
    `undetected_mean_error`: the mean error of the tasks without incoherence. `false_alarm_rate`:
    the share of the tasks without error that have incoherence. Such incoherence can only come from
    inputs that the error was not measured on.
    """

    mean_error: float | None
    mean_incoherence: float | None
    spearman: float | None
    detection_rate: float | None
    undetected_mean_error: float | None
    false_alarm_rate: float | None
    tasks: int


def columns(points: Sequence[Point]) -> Columns:
    """The summary of some tasks."""
    errors = [point.error for point in points]
    incoherences = [point.incoherence for point in points]
    return Columns(
        mean_error=mean(errors),
        mean_incoherence=mean(incoherences),
        spearman=spearman(incoherences, errors),
        detection_rate=mean([point.incoherence > 0 for point in points if point.error > 0]),
        undetected_mean_error=mean([point.error for point in points if point.incoherence == 0]),
        false_alarm_rate=mean([point.incoherence > 0 for point in points if point.error == 0]),
        tasks=len(points),
    )


def mean(values: Sequence[float]) -> float | None:
    """The mean; None if there are no values."""
    return fsum(values) / len(values) if values else None


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Rank correlation, with tied values at the mean of their ranks.

    None for fewer than two pairs, or if all values of one side are the same.
    """
    return _pearson(_ranks(left), _ranks(right))


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for index in order[start:end]:
            ranks[index] = (start + end - 1) / 2.0
        start = end
    return ranks


def _pearson(left: Sequence[float], right: Sequence[float]) -> float | None:
    center_left, center_right = mean(left), mean(right)
    if center_left is None or center_right is None:
        return None
    from_left = [value - center_left for value in left]
    from_right = [value - center_right for value in right]
    spread = sqrt(fsum(a * a for a in from_left) * fsum(b * b for b in from_right))
    if spread == 0.0:
        return None
    return fsum(a * b for a, b in zip(from_left, from_right, strict=True)) / spread
