"""Functions that take an iterable, and are given what can be gone through only once."""

from __future__ import annotations

import pytest

from assay_engine.executor.executor import Executor
from assay_engine.inputs.constructing import as_annotated, once_only
from assay_engine.types import Status
from assay_sandbox import Call, Expression
from support.specifying import specified
from support.trials import put_on_trial, scripted

TWICE = '''
from collections.abc import Iterable


def proportions(values: Iterable[float]) -> list[float]:
    """Each value divided by the sum of all."""
    return [value / sum(values) for value in values]
'''
ONCE = TWICE.replace("return [", "values = list(values)\n    return [")
LISTS = ["proportions([1.0, 2.0])", "proportions([3, 1.5, 2])"]

WAITING = '''
from collections.abc import Iterator


def first_two(items: Iterator[int]) -> tuple[int, int]:
    """The next two items, the larger one first."""
    one, other = next(items), next(items)
    return (one, other)
'''
ORDERED = WAITING.replace("return (one, other)", "return (max(one, other), min(one, other))")


async def test_who_goes_through_an_iterable_twice_is_found_out(executor: Executor) -> None:
    report = await put_on_trial(executor, TWICE, "proportions", scripted([ONCE], LISTS))
    # Nobody meant it.
    assert report.findings == ()
    assert report.dissent is not None
    assert report.dissent.call.startswith("proportions(iter([")
    right = await put_on_trial(executor, ONCE, "proportions", scripted([ONCE], LISTS))
    assert right.verdict.status is Status.TRUSTED


async def test_who_refuses_an_iterator_is_not_accused(executor: Executor) -> None:
    counted = TWICE.replace("sum(values)", "(sum(values) * len(values) / len(values))")
    report = await put_on_trial(executor, counted, "proportions", scripted([ONCE], LISTS))
    assert report.verdict.status is Status.TRUSTED


async def test_where_no_iterator_can_be_made_there_is_none(executor: Executor) -> None:
    own = TWICE.replace("def ", "iter = 1\n\n\ndef ").replace("sum(values)", "(iter * sum(values))")
    report = await put_on_trial(executor, own, "proportions", scripted([ONCE], LISTS))
    assert report.verdict.status is Status.TRUSTED


async def test_an_iterator_is_what_is_given_for_one(executor: Executor) -> None:
    proposed = ["first_two(iter([2, 1]))"]
    report = await put_on_trial(executor, WAITING, "first_two", scripted([ORDERED], proposed))
    assert report.dissent is not None
    assert report.dissent.call.startswith("first_two(iter([")
    # Of lists, which no candidate takes, no input would count but the one that was proposed.
    assert report.verdict.inputs_in_domain > 20


def module(annotation: str) -> str:
    return (
        "from collections.abc import Iterable, Iterator\nfrom typing import Optional\n\n\n"
        f'def f(a: {annotation}, b: int = 0):\n    """Do it."""\n    return list(a)\n'
    )


@pytest.mark.parametrize(
    ("annotation", "wanted"),
    [
        ("Iterable[int]", ["iter([1, 2])"]),
        ("'Iterable[int]'", ["iter([1, 2])"]),
        ("Iterable", ["iter([1, 2])"]),
        ("Iterable[int] | None", ["iter([1, 2])"]),
        ("Optional[Iterable[int]]", ["iter([1, 2])"]),
        ("list[int]", []),
        ("list[Iterable[int]]", []),
        ("Iterator[int]", []),
    ],
)
def test_iterables_are_given_as_iterators_as_well(annotation: str, wanted: list[str]) -> None:
    calls = [Call(([1, 2],)), Call((None,)), Call(("text",)), Call(([1],))]
    made = once_only(specified(module(annotation), "f"), calls)
    assert made == tuple(Call((Expression(each),)) for each in wanted)


def test_what_is_written_and_what_is_given_by_name_is_as_well() -> None:
    specification = specified(module("Iterable[int]"), "f")
    written = Call((Expression("[x for x in (1, 2)]"), 3))
    named = Call((), (("a", [1, 2]), ("b", 3)))
    assert once_only(specification, [written, named]) == (
        Call((Expression("iter([x for x in (1, 2)])"), 3)),
        Call((), (("a", Expression("iter([1, 2])")), ("b", 3))),
    )


def test_there_are_few_of_them() -> None:
    calls = [Call(([number, number + 1],)) for number in range(50)]
    assert len(once_only(specified(module("Iterable[int]"), "f"), calls)) == 5


def test_for_an_iterator_there_is_nothing_else() -> None:
    calls = [Call(([1, 2],)), Call(([],)), Call((Expression("range(3)"),))]
    assert as_annotated(specified(module("Iterator[int]"), "f"), calls) == (
        Call((Expression("iter([1, 2])"),)),
        Call((Expression("iter([])"),)),
        Call((Expression("range(3)"),)),
    )
    assert as_annotated(specified(module("Iterable[int]"), "f"), calls) == tuple(calls)
