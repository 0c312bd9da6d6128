"""Mutations of inputs: what Table 6 names, limit cases, cross-overs; seeded, bounded, distinct."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import date
from random import Random
from typing import Any, cast

import pytest
from hypothesis import strategies as st

from assay_bench.generating.boundaries import bounded
from assay_bench.generating.material import material_of
from assay_bench.generating.mutated import LENGTH_MAX, mutations
from assay_engine.values.carried import call_key
from assay_engine.values.parts import parts_of
from assay_sandbox import (
    Call,
    Container,
    Instance,
    Value,
    decode,
    encode,
)
from support.properties import given


def values(*seeds: Value, count: int = 400) -> list[Any]:
    """The mutants of functions of one argument."""
    return [call.args[0] for call in mutations([Call((seed,)) for seed in seeds], count, 0)]


@pytest.mark.parametrize(
    ("seed", "reached"),
    [
        # int: ±1, ±10, random; and the limit cases
        (37, {36, 38, 27, 47, 0, 1, -1, -37, 32, 31, 33, 1024}),
        # bool
        (True, {False}),
        # str: insert, delete, replace, truncate, extend, duplicate; and the limit cases
        ("abc", {"ab", "bc", "ac", "abbc", "ababc", "a", "", "cba", "ABC", " abc ", "abcabc", " "}),
        # list: insert, dummy, swap, duplicate, delete; and the limit cases
        ([3, 1, 2], {"[1, 3, 2]", "[3, 1]", "[0, 3, 1, 2]", "[3, 3, 1, 2]", "[]", "[1, 2, 3]"}),
        (
            [3, 1, 2],
            {
                "[3, 1, 2, 0]",
                "[3, 1, 2, 1]",
                "[2, 1, 3]",
                "[3]",
                "[1, 1]",
                "[1, 1, 1]",
                "[3, 1, 2, 3, 1, 2]",
            },
        ),
        # nested values
        ([[1], [2, 3]], {"[[0], [2, 3]]", "[[1], [3, 2]]", "[[1], [1]]", "[[1], []]"}),
        ((1, "a"), {"(2, 'a')", "(1, '')", "(1,)"}),
        ({1: "a"}, {"{}", "{2: 'a'}", "{1: ''}"}),
        ({1, 2}, {"{1}", "set()", "{0, 1, 2}"}),
        ([], {"[0]", "['a']"}),
        ({}, {"{'a': 1}", "{0: ''}"}),
        ({"a": []}, {"{'a': ['a']}", "{'a': [[]]}"}),
        ([[7], []], {"[[7], [7]]"}),
        ({frozenset()}, {"{frozenset({0})}"}),
        (b"ab", {"b'a'", "b''", "b'ba'"}),
        (2.5, {1.5, 3.5, 0.0, -2.5}),
        (2 + 1j, {1 + 1j, 2 + 2j}),
    ],
)
def test_what_is_within_reach_of_a_seed(seed: Value, reached: set[Any]) -> None:
    found = values(seed, count=2000)
    texts = {repr(value) for value in found}
    assert [
        each for each in reached if (each if _is_text(each, seed) else repr(each)) not in texts
    ] == []


def _is_text(each: object, seed: object) -> bool:
    """Whether the table gives the value by its `repr`, which what cannot be hashed needs."""
    return isinstance(each, str) and not isinstance(seed, str)


@pytest.mark.parametrize(
    "seed",
    [7, 2.5, "seed", b"seed", [1, 2], ["a", "b"], (1, "a"), {"a": 1}, {1, 2}, [(1, "a"), (2, "b")]],
)
def test_the_type_of_the_seed_is_kept(seed: Value) -> None:
    assert {type(value) for value in values(seed)} == {type(seed)}


def test_items_keep_the_type_of_their_siblings() -> None:
    assert {type(item) for value in values([1, 2], [3]) for item in value} == {int}


def test_floats_are_special_only_where_floats_are_seen() -> None:
    assert any(math.isinf(value) for value in values(1.5, count=2000))
    assert {type(value) for value in values(1, count=2000)} == {int}


def test_a_plain_number_stays_within_reach_of_a_loop() -> None:
    assert max(abs(value) for value in values(5, count=2000)) < 1 << 16
    assert any(item > 1 << 30 for value in values([5, 6], count=2000) for item in value)


@pytest.mark.parametrize("seed", [None, ()])
def test_what_cannot_be_changed_has_no_mutants(seed: Value) -> None:
    assert values(seed) == []


def test_there_are_no_more_mutants_than_there_are_values() -> None:
    calls = [Call((True, None)), Call((True, None))]
    assert mutations(calls, 50, 0) == (Call((False, None)),)


def test_no_seeds_no_arguments_and_no_count_give_nothing() -> None:
    assert mutations([], 5, 0) == ()
    assert mutations([Call()], 5, 0) == ()
    assert mutations([Call((1,))], 0, 0) == ()


def test_objects_and_standard_containers_change_inside() -> None:
    points = values(Instance("P", (("x", 1), ("y", [2]))))
    assert {point.type_name for point in points} == {"P"}
    assert {tuple(name for name, _ in point.fields) for point in points} == {("x", "y")}
    assert any(point.fields[0] == ("x", 2) for point in points)
    queues = values(Container("collections.deque", [1, 2]))
    assert Container("collections.deque", [2, 1]) in queues
    grid = Container("numpy.ndarray:<i8", [[2], [1, 2]])
    assert values(grid) == []


def test_texts_that_begin_with_a_date_get_other_days() -> None:
    texts = {call.args[0] for call in mutations([Call(("2024-02-29 10:00",))], 60, seed=0)}
    days = {text[:10] for text in texts if text.endswith(" 10:00") and is_day(text[:10])}
    assert {"2024-02-28", "2024-03-01"} <= days
    assert len(days) > 8
    assert mutations([Call(("9999-12-31",))], 20, seed=0)
    assert mutations([Call(("2023-02-29",))], 20, seed=0)


def is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def test_calls_are_crossed_by_position_and_by_name() -> None:
    seeds = [Call((1,), (("k", "a"), ("m", 5))), Call((2,), (("k", "b"),))]
    found = mutations(seeds, 500, 0)
    assert Call((2,), (("k", "a"), ("m", 5))) in found
    assert Call((2,), (("k", "a"),)) in found
    assert {tuple(name for name, _ in call.kwargs) for call in found} == {("k", "m"), ("k",)}


def test_arguments_come_to_be_equal_and_within_each_other() -> None:
    found = mutations([Call(("needle", "haystack")), Call(([7, 8, 9], 3))], 2000, 0)
    assert Call(("haystack", "haystack")) in found
    assert any(a in b and 0 < len(a) < len(b) for a, b in texts(found))
    assert Call(([7, 8, 9], 8)) in found


def texts(calls: Sequence[Call]) -> list[tuple[str, str]]:
    return [call.args for call in calls if isinstance(call.args[0], str)]  # pyright: ignore


def test_a_long_seed_is_allowed_and_mutants_do_not_run_away() -> None:
    long = "x" * 10_000
    found = mutations([Call((long,))], 100, 0)
    assert len(found) == 100
    assert max(len(call_key(call)) for call in found) <= 2 * 10_100
    grown = mutations([Call(([["ab"]],)), Call(([["c"] * 9] * 9,))], 500, 0)
    assert len(grown) == 500
    assert max(len(call_key(call)) for call in grown) <= LENGTH_MAX


SCALARS: Any = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
HASHED: Any = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=3
)
VALUES: Any = st.recursive(
    SCALARS | st.binary(max_size=3) | st.sets(HASHED, max_size=3),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(HASHED, inner, max_size=3),
        st.lists(inner, min_size=1, max_size=2).map(
            lambda items: Instance("P", tuple(("xy"[i], item) for i, item in enumerate(items)))
        ),
    ),
    max_leaves=6,
)
CALLS: Any = st.lists(
    st.builds(Call, st.lists(VALUES, max_size=3).map(tuple)), min_size=1, max_size=3
)


@given(CALLS, st.integers(0, 3))
def test_any_seeds_give_distinct_carriable_calls_and_stay_what_they_were(
    seeds: list[Call], seed: int
) -> None:
    before = [call_key(call) for call in seeds]
    found = mutations(seeds, 12, seed)
    keys = [call_key(call) for call in found]
    assert [call_key(call) for call in seeds] == before
    assert len(set(keys) | set(before)) == len(keys) + len(set(before))
    assert [call_key(call) for call in mutations(seeds, 12, seed)] == keys
    for call in found:
        arguments = encode(list(call.args))
        assert encode(decode(arguments)) == arguments


def test_the_seed_decides() -> None:
    seeds = [Call(([1, 2, 3], "abc"))]
    assert mutations(seeds, 20, 0) != mutations(seeds, 20, 1)


@pytest.mark.parametrize(
    ("seed", "meant"),
    [
        (2.5, False),
        ([2.5], False),
        (math.nan, True),
        ([1.5, [math.nan]], True),
    ],
)
def test_what_is_no_number_comes_only_where_a_seed_has_it(seed: Value, meant: bool) -> None:
    material, random = material_of([Call((seed,))]), Random(0)
    made = [bounded(1.5, material, random) for _ in range(2000)]
    assert any(isinstance(each, float) and math.isinf(each) for each in made)
    assert any(isinstance(each, float) and math.isnan(each) for each in made) is meant


def types_by_place(value: Value, place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield (*place, type(value).__name__)
    if isinstance(value, dict):
        for key, item in cast("dict[Value, Value]", value).items():
            yield from types_by_place(key, (*place, "key"))
            yield from types_by_place(item, (*place, "value"))
        return
    for part in parts_of(value):
        yield from types_by_place(part, (*place, "item"))


@pytest.mark.parametrize(
    "value",
    [
        [(2, 7), (1, 8)],
        [[1, 2], [3]],
        [["a", "b"], ["c"]],
        {"a": 1, "b": 2},
        {"a": ["x"], "b": ["y", "z"]},
        [{"name": "n", "price": 1.5}],
    ],
)
def test_what_is_put_into_an_empty_container_is_what_stands_there_elsewhere(value: Value) -> None:
    made = mutations([Call((value,))], 1000, 0)
    found = {place for call in made for place in types_by_place(call.args[0])}
    assert found == set(types_by_place(value))
