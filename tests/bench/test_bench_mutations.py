"""The source experiments' mutations: what each may give, and what none may touch."""

from __future__ import annotations

import copy
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_bench.mutations import ROUNDS, mutated

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=3), inner, max_size=4),
        st.sets(st.integers(), max_size=4),
    ),
    max_leaves=12,
)


class Once(Random):
    """Real chance, but for the number of rounds, which is one."""

    def choice(self, seq: Any) -> Any:
        return 1 if seq is ROUNDS else super().choice(seq)


def once(value: Any, draws: int = 1500) -> set[Any]:
    random = Once(0)
    return {mutated(value, random) for _ in range(draws)}


@given(VALUES, st.integers())
def test_the_original_is_left_as_it_was(value: Any, seed: int) -> None:
    before = copy.deepcopy(value)
    mutated(value, Random(seed))
    assert value == before


@given(VALUES, st.integers())
def test_the_outer_type_stays(value: Any, seed: int) -> None:
    assert type(mutated(value, Random(seed))) is type(value)


@given(VALUES, st.integers())
def test_the_same_seed_gives_the_same_value(value: Any, seed: int) -> None:
    assert repr(mutated(value, Random(seed))) == repr(mutated(value, Random(seed)))


def test_integers_step_by_one_or_ten() -> None:
    assert once(100) == {90, 99, 101, 110}


def test_floats_move_by_less_than_ten_and_mostly_by_less_than_one() -> None:
    random = Once(0)
    steps = [abs(mutated(0.0, random)) for _ in range(3000)]
    assert max(steps) < 10.0
    assert 0.65 < sum(step < 1.0 for step in steps) / len(steps) < 0.75


def test_truth_is_redrawn_and_none_stays() -> None:
    assert once(True) == {True, False}
    assert once(None) == {None}
    assert once(2j) == {2j}


def test_a_text_is_edited_in_seven_ways() -> None:
    found = once("abc")
    assert {"ab", "bc", "ac", "a", "abc"} <= found  # deleting, dropping, cutting
    assert {"abbc", "aabc", "ababc"} <= found  # repeating
    assert any(len(text) == 13 and text.startswith("abc") for text in found)  # appending
    assert any(len(text) == 4 and text.endswith("abc") for text in found)  # inserting
    assert any(len(text) == 3 and text[0] == "a" and text[2] == "c" for text in found - {"abc"})
    # At most 3 more by repeating, and ten by appending.
    assert max(map(len, found)) == 13


def test_an_empty_text_can_only_grow() -> None:
    assert {len(text) for text in once("")} == set(range(11))


def test_characters_are_control_printable_and_extended() -> None:
    characters = {character for text in once("", 6000) for character in text}
    assert characters <= {chr(code) for code in range(256)}
    assert len(characters) > 200


def test_tuples_grow_swap_double_and_shrink() -> None:
    random = Once(0)
    found = {repr(mutated((7, 8), random)) for _ in range(5000)}
    assert {"(7,)", "(8,)", "(8, 7)", "(7, 7, 8)", "(8, 7, 8)", "(7, 8, 8)"} <= found
    for inserted in ("None", "False", "0", "0.0", "''", "[]", "{}", "set()"):
        assert f"({inserted}, 7, 8)" in found
        assert f"(7, {inserted}, 8)" in found
        assert f"(7, 8, {inserted})" not in found
    # Or one of the numbers was edited.
    assert {"(17, 8)", "(7, -2)"} <= found


def test_every_node_is_as_likely_as_any_other() -> None:
    random = Once(0)
    value = [[1555], (2666, {"k": 3777})]
    changed: Counter[int] = Counter()
    for _ in range(6000):
        text = repr(mutated(value, random))
        for number in (1555, 2666, 3777):
            steps = (number - 10, number - 1, number + 1, number + 10)
            changed[number] += any(str(step) in text for step in steps)
    # Eight nodes: two lists, a tuple, a dict, its key, three numbers.
    for count in changed.values():
        assert count / 6000 == pytest.approx(1 / 8, abs=0.03)


def test_sets_gain_and_lose_plain_members() -> None:
    random = Once(0)
    found = {frozenset(mutated({5}, random)) for _ in range(2000)}
    assert {frozenset(), frozenset({5, None}), frozenset({5, ""}), frozenset({15})} <= found


def test_dicts_gain_lose_and_reorder_pairs() -> None:
    random = Once(0)
    found = {repr(mutated({"a": 1, "b": 2}, random)) for _ in range(5000)}
    assert {"{'a': 1}", "{'b': 2}", "{'b': 2, 'a': 1}", "{'a': 2, 'b': 2}"} <= found
    assert any("None: set()" in text for text in found)


def test_what_cannot_be_hashed_in_a_set_ends_the_mutation() -> None:
    random = Once(0)

    def often() -> None:
        for _ in range(1000):
            mutated({(1, 2)}, random)

    with pytest.raises(TypeError, match="unhashable"):
        often()


def test_rounds_are_one_ten_or_thirty() -> None:
    random = Random(0)
    far = [abs(mutated(0, random)) for _ in range(3000)]
    assert max(far) > 100
    assert max(far) <= 300
    # A third is edited once, so lies one or ten away.
    assert sum(distance in (1, 10) for distance in far) > 1000
