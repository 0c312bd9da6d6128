"""Tuples within other things are as long in mutants as in all seeds."""

from __future__ import annotations

import pytest

from assay_bench.records import Records
from assay_engine.types import Parameter, ParameterKind
from assay_sandbox import Call, Value

PAIRS = [(2, 7), (1, 8)]


def kept(shown: list[Value], value: Value, annotation: str | None = None) -> bool:
    parameter = Parameter("xs", ParameterKind.POSITIONAL_OR_KEYWORD, annotation)
    records = Records([parameter], [Call((each,)) for each in shown])
    return records.keep(Call((value,)))


@pytest.mark.parametrize(
    ("shown", "value", "expected"),
    [
        ([PAIRS], [(1, 2)], True),
        ([PAIRS], [(1, 2), (1, 2, 3)], False),
        ([PAIRS], [], True),
        ([PAIRS], [[1, 2, 3]], True),
        ([[(1, 2), (1, 2, 3)]], [(1,)], True),
        # One alone shows nothing of others, nor does a tuple that is an argument itself.
        ([[(1, 2)]], [(1,)], True),
        ([(1, 2), (3, 4)], (1, 2, 3), True),
        ([((1, 2), (3, 4))], ((1, 2), (3,)), False),
        # At another depth, or as a key where only values were shown, nothing is known.
        ([PAIRS], [[(1, 2, 3)]], True),
        ([{"a": (1, 2), "b": (3, 4)}], {"c": (1,)}, False),
        ([{"a": (1, 2), "b": (3, 4)}], {(1, 2, 3): (1, 2)}, True),
        ([{(1, 2): "a", (3, 4): "b"}], {(1,): "c"}, False),
    ],
)
def test_a_tuple_within_others_keeps_the_length_of_all_that_are_shown(
    shown: list[Value], value: Value, expected: bool
) -> None:
    assert kept(shown, value) is expected


def test_an_annotation_that_leaves_the_length_open_does() -> None:
    assert kept([PAIRS], [(1, 2, 3)], "list[tuple[int, ...]]")
    assert not kept([PAIRS], [(1, 2, 3)], "list[tuple]")


def test_arguments_by_name_and_by_place_are_the_same() -> None:
    parameter = Parameter("xs", ParameterKind.POSITIONAL_OR_KEYWORD)
    records = Records([parameter], [Call((PAIRS,))])
    assert not records.keep(Call((), (("xs", [(1, 2, 3)]),)))
    assert not Records([], [Call((PAIRS,))]).keep(Call(([(1, 2, 3)],)))
