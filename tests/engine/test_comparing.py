"""When two observations are the same behaviour: a table, and the laws of an equivalence."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_engine.compare.behaviours import normalised, partition, same_behaviour
from assay_engine.compare.policy import STRICT
from assay_engine.compare.same_values import same_value
from assay_sandbox import (
    Container,
    Crashed,
    Cycle,
    Encoded,
    Instance,
    Iterated,
    LoadFailed,
    Member,
    Observation,
    Opaque,
    OutOfMemory,
    Raised,
    Returned,
    Scalar,
    TimedOut,
    Told,
    Unserialisable,
    Value,
    decode,
    encode,
)

NAN = float("nan")
INFINITY = float("inf")


# Each is within tolerance of its neighbours.
NEAR = [1 + step * 8e-10 for step in range(5)]


@pytest.mark.parametrize("order", list(itertools.permutations(NEAR)))
def test_what_is_close_to_two_leaves_the_other_one_to_the_rest(order: tuple[float, ...]) -> None:
    """Pairs must be found for every order: a set of values with text in them has one by chance."""
    left = dict.fromkeys(order, "x")
    right = dict.fromkeys([each + 7e-10 for each in NEAR], "x")
    assert same_value(left, right)
    assert same_value(right, left)
    assert not same_value(left, right | {NEAR[0] + 7e-10: "y"})


def test_many_rows_that_are_the_same_within_tolerance_are_found_in_order() -> None:
    rows = [(*[0.1] * 25, float(number)) for number in range(1000)]
    moved = {(*row[:-1], row[-1] + 1e-13) for row in rows}
    assert same_value(set(rows), moved)
    assert not same_value(set(rows), {(*row[:-1], row[-1] + 0.5) for row in rows[:10]})


def test_what_takes_too_long_to_pair_off_is_not_said_to_be_the_same() -> None:
    """Nothing says in which order dicts belong together, so that each is held against all."""

    def keys(count: int, moved: float) -> dict[Value, Value]:
        return {
            Container("collections.deque", (number + 0.1 + moved,)): 0 for number in range(count)
        }

    backwards = dict(reversed(keys(100, 1e-12).items()))
    assert same_value(keys(100, 0), backwards)
    assert not same_value(keys(2000, 0), dict(reversed(keys(2000, 1e-12).items())))


def test_sets_of_objects_and_of_sets_are_paired_off_by_their_numbers() -> None:
    def members(moved: float) -> set[Value]:
        return {
            frozenset({Instance("P", (("x", number + 0.1 + moved),)), number})
            for number in range(2000)
        }

    assert same_value(members(0), members(1e-12))


def test_a_dict_of_objects_that_are_told_alike_compares_by_its_pairs() -> None:
    def pairs(*numbers: int) -> Container:
        return Container("dict", [(Instance("P", ()), number) for number in numbers])

    assert same_value(pairs(1, 2), pairs(2, 1))
    assert not same_value(pairs(1, 2), pairs(2, 2))
    assert not same_value(pairs(1, 2), pairs(2, 1), STRICT)


@pytest.mark.parametrize("levels", [99, 240])
def test_deep_values_are_compared_wherever_the_caller_stands(levels: int) -> None:
    def nested(value: Value) -> Value:
        for _ in range(levels):
            value = Instance("N", (("n", [value]),))
        return value

    def far_down(frames: int) -> bool:
        return far_down(frames - 1) if frames else same_value(nested(1), nested(1.0))

    assert far_down(700)
    assert not same_value(nested(1), nested(2))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (True, 1),
        (0.0, -0.0),
        (0.1 + 0.2, 0.3),
        ([0.1 + 0.2], [0.3]),
        ({"a": (0.1 + 0.2,)}, {"a": (0.3,)}),
        (Container("numpy.int64", 1), 1),
        (Container("numpy.int64", 1), Container("numpy.float32", 1.0)),
        (Container("numpy.float64", 0.1 + 0.2), 0.3),
        ({Container("numpy.str_", "a"), 2}, {"a", Container("numpy.int64", 2)}),
        ({Container("numpy.int64", 1): ["a"]}, {1: ["a"]}),
        (NAN, NAN),
        ([NAN], [NAN]),
        (INFINITY, INFINITY),
        (2, complex(2, 0)),
        ({1, 2}, {2, 1}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({0.1 + 0.2: 1}, {0.3: 1}),
        ({0.1 + 0.2, *range(1500)}, {0.3, *range(1500)}),
        (
            {0.1 + 0.2: 1, **dict.fromkeys(range(1500), NAN)},
            dict.fromkeys(range(1500), NAN) | {0.3: 1},
        ),
        ({1}, frozenset({1})),
        ([{1}], [frozenset({1})]),
        (Container("collections.Counter", {"a": 2}), {"a": 2}),
        (
            Container("collections.OrderedDict", {"a": 2}),
            Container("collections.defaultdict", {"a": 2.0}),
        ),
        (2**80, 2**80),
        (Instance("P", (("x", 1),)), Instance("P", (("x", 1.0),))),
        (Iterated("generator", (1, 2), True), Iterated("map", (1, 2), True)),
        (Container("collections.deque", [1]), Container("collections.deque", [1])),
        (Member("Colour", "RED"), Member("Colour", "RED")),
        (Instance("P", (("x", 1), ("y", 2))), Instance("P", (("y", 2), ("x", 1)))),
        (Told("_io.StringIO", ("a", 1)), Told("_io.StringIO", ("a", 1))),
        ([1, Cycle(1)], [1, Cycle(1)]),
        (
            Scalar("datetime.datetime", "2024-07-01T09:30:00+00:00[UTC]"),
            Scalar("datetime.datetime", "2024-07-01T09:30:00+00:00"),
        ),
    ],
)
def test_values_that_are_the_same(left: Value, right: Value) -> None:
    assert same_value(left, right)
    assert same_value(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 2),
        (1, "1"),
        (0.3, 0.300001),
        (INFINITY, -INFINITY),
        (INFINITY, 10**400),
        (2**80, 2**80 + 1),
        ([1, 2], (1, 2)),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ({1, 2}, {1, 3}),
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"b": 1}),
        ({}, []),
        (None, 0),
        ("", None),
        (b"a", "a"),
        (set[int](), ()),
        (Container("collections.Counter", {"a": 2}), {"a": 1}),
        (Container("collections.deque", [1]), [1]),
        (Instance("P", (("x", 1),)), Instance("Q", (("x", 1),))),
        (Instance("P", (("x", 1), ("y", 2))), Instance("P", (("y", 1), ("x", 2)))),
        (Told("function", "math.sin"), Told("function", "math.cos")),
        (Told("function", 0), Told("function", 1)),
        ([[Cycle(1)]], [[Cycle(2)]]),
        (
            Scalar("datetime.datetime", "2024-07-01T09:30:00+00:00[UTC]"),
            Scalar("datetime.datetime", "2024-07-01T09:30:00+02:00[Europe/Berlin]"),
        ),
        (Iterated("generator", (1,), True), Iterated("generator", (1,), False)),
        (Iterated("generator", (1,), True), [1]),
        (Scalar("decimal.Decimal", "1.0"), Scalar("decimal.Decimal", "1.1")),
        (Opaque("object", "no fields"), Opaque("object", "no fields")),
    ],
)
def test_values_that_differ(left: Value, right: Value) -> None:
    assert not same_value(left, right)
    assert not same_value(right, left)


def returned(value: Value, **rest: str) -> Returned:
    return Returned(encode(value), **rest)  # pyright: ignore[reportArgumentType]


def handed(type_name: str, message: str, lineage: tuple[str, ...] = ()) -> Raised:
    """By a function that the input gave."""
    return Raised(type_name, message, lineage, passed_on=True)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (returned(1), returned(1), True),
        (returned(1), returned(1, stdout="hello"), False),
        (returned(None), returned(None, args_after=encode([[[1]], {}])), False),
        (returned(Opaque("object", "?")), returned(Opaque("object", "?")), False),
        (Raised("ValueError", "a"), Raised("ValueError", "b"), True),
        (Raised("ValueError", "a"), Raised("TypeError", "a"), False),
        (Raised("ValueError", "a"), returned(None), False),
        (handed("KeyError", "a"), handed("KeyError", "a"), True),
        (handed("KeyError", "a"), handed("KeyError", "b"), False),
        (handed("KeyError", "a"), handed("OSError", "a"), False),
        # As `functools.cache` hands it on.
        (handed("KeyError", "a"), Raised("KeyError", "a"), True),
        (handed("KeyError", "a"), Raised("KeyError", "b"), False),
        (handed("TypeError", "a + b"), handed("TypeError", "b + a"), True),
        (handed("TypeError", "a"), Raised("TypeError", "b"), True),
        (handed("RecursionError", "a"), Raised("RecursionError", "b"), True),
        (TimedOut(1.0), TimedOut(1.0, whole_batch=True), True),
        (TimedOut(1.0), OutOfMemory(1), False),
        (Crashed("SIGSEGV"), Crashed("exit"), True),
        (LoadFailed("SyntaxError", "a"), LoadFailed("NameError", "b"), True),
        (LoadFailed("TypeError", "a"), Raised("TypeError", "a"), False),
        (Unserialisable("object"), Unserialisable("object"), False),
        (Returned(Encoded("{broken")), returned(1), False),
    ],
)
def test_observations(left: Observation, right: Observation, same: bool) -> None:
    assert same_behaviour(left, right) is same
    assert same_behaviour(right, left) is same


def test_an_exception_counts_as_the_documented_one_it_derives_from() -> None:
    own = Raised("BadDuration", "", lineage=("ValueError", "Exception"))
    assert normalised(own, ["ValueError"]) == Raised("ValueError", "", own.lineage)
    assert normalised(own, ["KeyError"]) == own


def test_an_exception_of_a_function_that_was_given_keeps_its_type() -> None:
    theirs = handed("FileNotFoundError", "b", ("OSError", "Exception"))
    assert normalised(theirs, ["OSError"]).type_name == "FileNotFoundError"  # type: ignore[union-attr]
    assert normalised(handed("shop.Lost", "b"), ["Lost"]) == handed("Lost", "b")
    mistaken = handed("UnicodeError", "b", ("ValueError", "Exception"))
    assert normalised(mistaken, ["ValueError"]) == mistaken


def test_a_partition_keeps_the_order_of_first_appearance() -> None:
    observations = [returned(2), returned(1), Raised("E", ""), returned(2.0), returned(1)]
    assert partition(observations) == ((0, 3), (1, 4), (2,))


def test_what_equals_nothing_is_alone() -> None:
    assert partition([Unserialisable("x"), Unserialisable("x")]) == ((0,), (1,))


# Without finite floats, and without what equals nothing, no tolerance is involved.
ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(0, 2) | st.integers() | st.just(2**200),
    st.sampled_from([NAN, INFINITY, -INFINITY]),
    st.text(max_size=2) | st.binary(max_size=2),
    st.sampled_from(
        [
            Member("Colour", "RED"),
            Scalar("datetime.date", "2024-02-29"),
            *(Scalar("datetime.time", f"09:30:00{zone}") for zone in ("", "[UTC]", "[GMT]")),
            Cycle(1),
            Cycle(2),
        ]
    ),
)
HASHED = st.recursive(ATOMS, lambda inner: st.frozensets(inner, max_size=2), max_leaves=3)
EXACT = st.recursive(
    ATOMS | st.sets(HASHED, max_size=3) | HASHED,
    lambda inner: st.one_of(
        st.dictionaries(HASHED, inner, max_size=2),
        st.lists(inner, max_size=2).map(lambda items: Container("collections.deque", items)),
        st.dictionaries(HASHED, inner, max_size=2).map(
            lambda items: Container("collections.Counter", items)
        ),
        st.lists(inner, max_size=2).map(lambda items: Iterated("map", tuple(items), True)),
        inner.map(lambda what: Told("function", what)),
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.integers(0, 3) | st.text(max_size=1), inner, max_size=3),
        st.builds(
            lambda items, names: Instance("P", tuple(zip(names, items, strict=False))),
            st.lists(inner, max_size=2),
            st.permutations("xyz"),
        ),
    ),
    max_leaves=6,
)


@given(EXACT)
def test_the_relation_is_reflexive(value: Value) -> None:
    assert same_value(value, value)


@given(EXACT, EXACT)
def test_the_relation_is_symmetric(left: Value, right: Value) -> None:
    assert same_value(left, right) == same_value(right, left)


@given(st.lists(EXACT, min_size=3, max_size=12))
def test_the_relation_is_transitive(values: list[Value]) -> None:
    for a in values:
        for b in values:
            for c in values:
                if same_value(a, b) and same_value(b, c):
                    assert same_value(a, c)


@given(EXACT)
def test_a_value_is_the_same_after_the_journey(value: Value) -> None:
    assert same_value(decode(encode(value)), value)
