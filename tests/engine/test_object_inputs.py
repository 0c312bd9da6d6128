"""Inputs made of the user's own classes, whatever stands in their fields."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import Partition, Status
from support.trials import put_on_trial, scripted

STAYS = '''
from dataclasses import dataclass, field
{dates}
from decimal import Decimal


@dataclass
class Stay:
    room: str
    start: {date}
    price: Decimal = Decimal("1")
    notes: list[str] = field(default_factory=list)
    key: int = field(default=0, init=False)


def longest(stays: list[Stay]) -> str:
    """The room of the stay that begins last, of several the one that is listed last."""
    found = ""
    last = None
    for stay in stays:
        if last is None or stay.start {than} last:
            found, last = stay.room, stay.start
    return found
'''
PROPOSED = [
    "longest([])",
    'longest([Stay("a", {date}(2024, 2, 29))])',
    'longest([Stay("a", {date}(2024, 2, 29)), Stay("b", {date}(2024, 2, 29), notes=["x"])])',
]


@pytest.mark.parametrize(
    ("dates", "date"),
    [("from datetime import date", "date"), ("import datetime", "datetime.date")],
)
async def test_dates_in_fields_are_made_however_they_are_imported(
    executor: Executor, dates: str, date: str
) -> None:
    right = STAYS.format(dates=dates, date=date, than=">=")
    wrong = STAYS.format(dates=dates, date=date, than=">")
    candidate = right[right.index("def longest") :]
    proposed = [line.format(date=date) for line in PROPOSED]
    model = scripted([candidate], proposed)
    report = await put_on_trial(executor, wrong, "longest", model)
    assert report.verdict.status is Status.SUSPECT
    assert report.problems == ()
    (finding,) = report.findings
    assert finding.witness is not None
    assert f"start={date}(2024, 2, 29)" in finding.witness.call
    found = await put_on_trial(executor, right, "longest", model)
    assert found.verdict.status is Status.TRUSTED
    assert found.verdict.inputs_in_domain == 3


HUGE = '''
class Huge:
    def __init__(self, items: list[int]) -> None:
        self.items = items
        self.held = [float(item) for item in range(600_000)]

    def largest(self) -> int:
        """The largest of its items.

        >>> Huge([1, 3]).largest()
        3
        """
        return max(self.items)
'''


async def test_objects_that_are_too_large_are_said_not_to_be_comparable(
    executor: Executor,
) -> None:
    candidate = "def largest(self):\n    return sorted(self.items)[-1]\n"
    proposed = ["Huge([2, 1]).largest()", "Huge([7]).largest()"]
    script = scripted([candidate], proposed)
    report = await put_on_trial(executor, HUGE, "Huge.largest", script)
    assert report.verdict.status is Status.ABSTAINED
    assert ["too large" in problem.message for problem in report.problems] == [True]


ZONES = '''
from datetime import datetime, timedelta, tzinfo


class Zone(tzinfo):
    def utcoffset(self, at: datetime | None) -> timedelta:
        return timedelta(hours=1 if at is not None and at.month < 4 else 2)

    def dst(self, at: datetime | None) -> None:
        return None


def hours(start: datetime, end: datetime, zone: Zone | None = None) -> float:
    """How many hours have passed between two moments, whatever the clocks have done."""
    {body}
'''
AWARE = "hours(datetime(2024, 3, 31, tzinfo=Zone()), datetime(2024, 4, 1, tzinfo=Zone()))"


async def test_objects_that_cannot_be_carried_are_admitted_as_they_are_written(
    executor: Executor,
) -> None:
    right = "return (end.timestamp() - start.timestamp()) / 3600"
    text = ZONES.format(body=right)
    candidate = f"def hours(start, end, zone=None):\n    {right}\n"
    model = scripted([candidate], ["# clocks go forward", AWARE])
    report = await put_on_trial(executor, text, "hours", model)
    assert report.partitions == (Partition("clocks go forward", 1, 1),)
