"""What runs mean: values, answers, and the three special values."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from assay_engine.compare.same_values import same_value
from assay_engine.methods.triangulation.formulas.outcomes import answer, outcome
from assay_engine.methods.triangulation.formulas.values import (
    DEMONIC,
    UNDEFINED,
    FullAnswer,
    PartialAnswer,
    Special,
    key,
    listed,
)
from assay_sandbox import (
    Container,
    Crashed,
    Encoded,
    Instance,
    Iterated,
    LoadFailed,
    Observation,
    OutOfMemory,
    OutputExceeded,
    Raised,
    Refused,
    Returned,
    TimedOut,
    Unserialisable,
    Value,
    encode,
)
from support.properties import given

NAN = float("nan")

# Values that are equal in unexpected ways.
numbers = st.sampled_from(
    [0, 1, -1, True, False, 1.0, 0.0, -0.0, 0.1 + 0.2, 0.3, NAN, 1 + 0j, 2**80]
)
values = st.recursive(
    st.one_of(numbers, st.sampled_from(["", "1", None, b"1"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.lists(inner, max_size=2).map(tuple),
        st.dictionaries(st.sampled_from([1, "1", 0.3]), inner, max_size=2),
    ),
    max_leaves=4,
)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (Raised("ValueError", "Invalid input"), UNDEFINED),
        (Raised("ValueError", "invalid INPUT: n must be positive"), UNDEFINED),
        (Raised("InvalidInput", "Invalid input", ("ValueError", "Exception")), UNDEFINED),
        (Raised("ValueError", "invalid literal for int() with base 10: 'x'"), DEMONIC),
        (Raised("ValueError", "3 is not in list"), DEMONIC),
        (Raised("ValueError", "an Invalid input"), DEMONIC),
        (Raised("ValueError", ""), DEMONIC),
        (Raised("TypeError", "Invalid input", ("Exception",)), DEMONIC),
        (Raised("SystemExit", "0", ("BaseException",)), DEMONIC),
    ],
)
def test_only_a_claim_about_the_input_makes_it_undefined(raised: Raised, expected: Special) -> None:
    assert outcome(raised) is expected


@pytest.mark.parametrize(
    "observation",
    [
        TimedOut(1.0),
        TimedOut(1.0, whole_batch=True),
        OutOfMemory(1),
        OutputExceeded(1),
        Refused("fork"),
        Crashed("signal 11"),
        Unserialisable("a function"),
        LoadFailed("SyntaxError", ""),
        Returned(encode(Iterated("generator", (1, 2), True))),
        Returned(encode([1, Iterated("map", (), True)])),
        Returned(encode(Instance("f.<locals>.P", ()))),
        Returned(Encoded("not a value")),
        Returned(Encoded("[" * 20_000 + "]" * 20_000)),
    ],
)
def test_every_other_failure_is_demonic(observation: Observation) -> None:
    assert outcome(observation) is DEMONIC


@pytest.mark.parametrize("items", [5, [], [[2]]])
def test_an_array_whose_shape_is_missing_is_harmless(items: Value) -> None:
    array = Container("numpy.ndarray:<i8", items)
    assert outcome(Returned(encode(array))) == array


@pytest.mark.parametrize(
    ("returned", "plain"),
    [
        (Container("collections.Counter", {"a": 1}), {"a": 1}),
        (Container("collections.OrderedDict", {"a": [1]}), {"a": [1]}),
        ([Container("collections.deque", [1, 2])], [[1, 2]]),
        (Container("numpy.int64", 3), 3),
        (Container("numpy.ndarray:<i8", [[2], [1, 2]]), [1, 2]),
        (
            Instance("Point", (("x", Container("numpy.float64", 0.5)),)),
            Instance("Point", (("x", 0.5),)),
        ),
        ({"k": {1}, "v": (None,)}, {"k": {1}, "v": (None,)}),
    ],
)
def test_values_are_handed_on_in_built_in_types(returned: Value, plain: Value) -> None:
    assert outcome(Returned(encode(returned))) == plain


@pytest.mark.parametrize(
    "value", [[1, 2], {1, 2}, frozenset({1, 2}), (True, [1, 2]), (True, {1, 2})]
)
def test_lists_and_sets_are_exhaustive_unless_marked(value: Value) -> None:
    found = answer(value)
    assert isinstance(found, FullAnswer)
    assert sorted(found.listed.values) == [1, 2]


@pytest.mark.parametrize("value", [(False, [1, 2]), (False, {1, 2})])
def test_a_marked_list_is_a_part(value: Value) -> None:
    assert isinstance(answer(value), PartialAnswer)


@pytest.mark.parametrize(
    "value",
    [None, 3, "ab", {1: 2}, (1, 2), (1, [2]), (0, [2]), (True, 3), (True, [1], [2]), (), (True,)],
)
def test_what_is_no_answer_is_demonic(value: Value) -> None:
    assert answer(value) is DEMONIC


def test_a_list_that_begins_with_a_truth_value_is_a_list() -> None:
    found = answer([False, [1, 2]])
    assert isinstance(found, FullAnswer)
    assert found.listed.values == (False, [1, 2])


def test_an_answer_is_a_set() -> None:
    found = answer([[1], [1.0], [2], [1]])
    assert isinstance(found, FullAnswer)
    assert found.listed.values == ([1], [2])


@given(values, values)
def test_values_of_one_key_are_equal(left: Value, right: Value) -> None:
    if key(left) == key(right):
        assert same_value(left, right)


@given(values, st.lists(values, max_size=4))
def test_membership_is_equality_with_one_of_them(value: Value, others: list[Value]) -> None:
    assert (value in listed(others)) == any(same_value(value, other) for other in others)


@given(st.lists(values, max_size=3), st.lists(values, max_size=3))
def test_sets_meet_in_equal_values(left: list[Value], right: list[Value]) -> None:
    expected = any(same_value(x, y) for x in left for y in right)
    assert listed(left).meets(listed(right)) == expected
    assert listed(right).meets(listed(left)) == expected


def test_large_exact_sets_are_not_compared_one_by_one() -> None:
    """Four million comparisons would take minutes; keys take none."""
    left, right = (listed([[n, str(n)] for n in range(s, s + 2000)]) for s in (0, 2000))
    assert not any(left.meets(right) for _ in range(1000))
