"""Functions that hand out iterators, whether they are generators or not, or are given some."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import Status
from support.trials import put_on_trial, scripted

PLACES = '''
from itertools import compress, count

def places(items: list[int]) -> "Iterator[int]":
    """The places of the even ones, from 0.

    Raises:
        ValueError: there are no items.
    """
    if not items:
        raise ValueError("no items")
    return compress(count(), (item % 2 == {remainder} for item in items))
'''
GENERATOR = """
def places(items):
    if not items:
        raise ValueError("no items")
    for place, item in enumerate(items):
        if item % 2 == 0:
            yield place
"""
PROPOSED = ["places([])", "places([1, 2, 4])", "places([3])", "places([2])"]


@pytest.mark.parametrize(("remainder", "status"), [(0, Status.TRUSTED), (1, Status.SUSPECT)])
async def test_what_returns_an_iterator_is_compared_with_generators(
    executor: Executor, remainder: int, status: Status
) -> None:
    source = PLACES.replace("{remainder}", str(remainder))
    report = await put_on_trial(executor, source, "places", scripted([GENERATOR], PROPOSED))
    assert report.verdict.status is status
    assert report.problems == ()


TWICE = '''
from collections.abc import Iterable


def proportions(values: Iterable[float]) -> list[float]:
    """Each value divided by the sum of all."""
    return [value / sum(values) for value in values]
'''
ONCE = TWICE.replace("return [", "values = list(values)\n    return [")
GIVEN = ["proportions([1.0, 2.0])", "proportions(iter([3, 1.5, 2]))"]


async def test_who_goes_through_an_iterable_twice_is_found_out(executor: Executor) -> None:
    report = await put_on_trial(executor, TWICE, "proportions", scripted([ONCE], GIVEN))
    assert report.verdict.status is Status.SUSPECT
    assert report.findings[0].message.startswith("proportions(iter([3, 1.5, 2])): ")
    right = await put_on_trial(executor, ONCE, "proportions", scripted([ONCE], GIVEN))
    assert right.verdict.status is Status.TRUSTED


async def test_candidates_that_cannot_be_put_in_place_are_spoken_of_together(
    executor: Executor,
) -> None:
    listing = PLACES.replace("{remainder}", "0").replace("return compress", "return [*compress")
    listing = listing.replace("items))", "items))]").replace('"Iterator[int]"', "list[int]")
    other = GENERATOR.replace("enumerate(items)", "enumerate(items, 0)")
    report = await put_on_trial(executor, listing, "places", scripted([GENERATOR, other], PROPOSED))
    assert report.verdict.status is Status.ABSTAINED
    said = [each.message for each in report.problems if "put in place" in each.message]
    assert len(said) == 1
    assert said[0].startswith("10 samples (1, 2, 3, 4, 5, 6, 7, 8, 9, 10) cannot be put in place")
