"""Functions that wait are compared by what they do, however long that would take."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import Status
from support.trials import put_on_trial, scripted

PATIENT = '''
import time

def patient(answers: list[bool], pause: int = 10) -> int:
    """Wait for a pause after each answer that is no, every time twice as long as before, until one
    is yes or none is left. Give how many seconds that took."""
    start = time.monotonic()
    for answer in answers:
        if answer:
            break
        time.sleep(pause)
        pause *= {factor}
    return round(time.monotonic() - start)
'''
COUNTED = """\
def patient(answers, pause=10):
    seconds = 0
    for answer in answers:
        if answer:
            break
        time.sleep(pause)
        seconds, pause = seconds + pause, pause * 2
    return seconds
"""
ANSWERS = ("[]", "[True]", "[False, True]", "[False, False, True]", "[False, False, False]")
PATIENT_CALLS = [f"patient({answers}{more})" for answers in ANSWERS for more in ("", ", 60", ", 0")]
ENDED = '''
import asyncio

async def ended(delays: list[int]) -> list[int]:
    """Sleep so many seconds each, all at the same time. Give the delays in the order in which they
    end."""
    found: list[int] = []

    async def one(delay: int) -> None:
        await asyncio.sleep({slept})
        found.append(delay)

    await asyncio.gather(*map(one, delays))
    return found
'''
SORTED = """\
async def ended(delays):
    return sorted(delays, key=lambda delay: max(delay, 0))
"""
ENDED_CALLS = [f"ended({delays})" for delays in ([], [5], [30, 10, 20], [61, 59], [7, 3, 60])]


@pytest.mark.parametrize(
    ("right", "wrong", "name", "candidate", "calls"),
    [
        (
            PATIENT.format(factor="2"),
            PATIENT.format(factor="3"),
            "patient",
            COUNTED,
            PATIENT_CALLS,
        ),
        (
            ENDED.format(slept="delay"),
            ENDED.format(slept="-delay"),
            "ended",
            SORTED,
            ENDED_CALLS,
        ),
    ],
    ids=["one after the other", "at the same time"],
)
async def test_right_is_trusted_and_wrong_is_found(
    executor: Executor, right: str, wrong: str, name: str, candidate: str, calls: list[str]
) -> None:
    report = await put_on_trial(executor, right, name, scripted([candidate] * 10, calls))
    assert report.verdict.status is Status.TRUSTED
    report = await put_on_trial(executor, wrong, name, scripted([candidate] * 10, calls))
    assert report.verdict.status is Status.SUSPECT
