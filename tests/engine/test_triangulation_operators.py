"""The operators: the tables of the paper, and the laws that hold for all of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import strategies as st

from assay_engine.methods.triangulation.formulas.operators import (
    QUANTIFIED_MAX,
    Threshold,
    also,
    conjunction,
    contradict,
    disjoint,
    equal,
    forall,
    holds,
    implication,
    is_refuted,
    member,
    negation,
    sequence,
    spread,
    tolerate,
)
from assay_engine.methods.triangulation.formulas.outcomes import Memo
from assay_engine.methods.triangulation.formulas.values import (
    ANGELIC,
    DEMONIC,
    FALSE,
    PENDING,
    TRUE,
    UNDEFINED,
    VACUOUS,
    FullAnswer,
    Judgement,
    PartialAnswer,
    Term,
    listed,
    strongest,
)
from assay_sandbox import Program
from support.properties import given

A, D, U = ANGELIC, DEMONIC, UNDEFINED
SPECIALS = (D, A, U)
FULL = FullAnswer(listed([1, 2]))
PARTIAL = PartialAnswer(listed([1, 2]))

judgements = st.sampled_from([TRUE, VACUOUS, FALSE, A, U, D])
terms = st.one_of(st.integers(0, 2), st.sampled_from(SPECIALS))
answers = st.one_of(
    st.sampled_from(SPECIALS),
    st.builds(FullAnswer, st.lists(st.integers(0, 3)).map(listed)),
    st.builds(PartialAnswer, st.lists(st.integers(0, 3)).map(listed)),
)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (1, 1, TRUE),
        (1, 2, FALSE),
        (1, U, U),
        (1, A, A),
        (1, D, D),
        (U, U, VACUOUS),
        (U, A, A),
        (U, D, D),
        (A, A, A),
        (A, D, D),
        (D, D, D),
    ],
)
def test_equality_follows_its_table(left: Term, right: Term, expected: Judgement) -> None:
    assert equal(left, right) is expected
    assert equal(right, left) is expected


@pytest.mark.parametrize(
    ("value", "row"),
    [
        (1, (TRUE, TRUE, U, A, D)),
        (3, (FALSE, A, U, A, D)),
        (U, (U, U, VACUOUS, A, D)),
        (A, (A, A, A, A, D)),
        (D, (D, D, D, D, D)),
    ],
)
def test_membership_follows_its_table(value: Term, row: tuple[Judgement, ...]) -> None:
    columns = (FULL, PARTIAL, U, A, D)
    assert tuple(member(value, column) for column in columns) == row


@given(terms, terms)
def test_the_strongest_special_value_wins(left: Term, right: Term) -> None:
    found = strongest((left, right))
    assert found is next((special for special in SPECIALS if special in (left, right)), None)


@given(terms, terms)
def test_equality_is_symmetric(left: Term, right: Term) -> None:
    assert equal(left, right) is equal(right, left)


@given(answers, answers)
def test_disjointness_is_symmetric(left: Term, right: Term) -> None:
    assert disjoint(left, right) is disjoint(right, left)


@given(judgements, judgements, judgements)
def test_conjunction_commutes_and_associates(x: Judgement, y: Judgement, z: Judgement) -> None:
    assert conjunction(x, y) is conjunction(y, x)
    assert conjunction(x, conjunction(y, z)) is conjunction(conjunction(x, y), z)
    assert conjunction(x, x) is x


@given(judgements, judgements)
def test_a_definite_failure_is_never_hidden(x: Judgement, y: Judgement) -> None:
    assert is_refuted(conjunction(x, y)) == (is_refuted(x) or is_refuted(y))


@given(judgements, judgements)
def test_a_crash_decides_every_connective(x: Judgement, y: Judgement) -> None:
    for connective in (conjunction, implication):
        assert (connective(x, y) is D) == (D in (x, y))


@given(judgements, judgements)
def test_asking_for_the_second_half_only_if_needed_changes_no_verdict(
    x: Judgement, y: Judgement
) -> None:
    assert is_refuted(also(x, lambda: y)) == is_refuted(conjunction(x, y))
    assert is_refuted(x) or also(x, lambda: y) is conjunction(x, y)


def test_the_second_half_is_not_asked_for_after_a_failure() -> None:
    for failed in (FALSE, U, D):
        assert also(failed, lambda: pytest.fail("asked")) is failed


@given(judgements, judgements)
def test_a_false_premise_implies_anything_but_a_crash(x: Judgement, y: Judgement) -> None:
    if x is FALSE and y is not D:
        assert implication(x, y) is VACUOUS
    elif D not in (x, y):
        assert implication(x, y) is y


@pytest.mark.parametrize("special", SPECIALS)
def test_special_values_pass_through_negation(special: Judgement) -> None:
    assert negation(special) is special


@given(terms)
def test_tolerating_twice_is_tolerating_once(term: Term) -> None:
    assert tolerate(tolerate(term)) == tolerate(term)
    assert (tolerate(term) is A) == (term in (U, A))


@pytest.mark.parametrize("result", [None, 0, 1, "", "True", [True], 1.0])
def test_only_true_is_true(result: Term) -> None:
    assert holds(result) is FALSE
    assert holds(True) is TRUE
    assert holds(False) is FALSE


@given(st.lists(judgements, min_size=1))
def test_a_quantifier_bears_fewer_than_a_third_of_doubts(bodies: list[Judgement]) -> None:
    refuted = any(map(is_refuted, bodies))
    too_many = Fraction(bodies.count(A), len(bodies)) >= Fraction(1, 3)
    expected = FALSE if refuted or too_many else TRUE if TRUE in bodies else VACUOUS
    assert forall(bodies, holds) is expected


@given(st.lists(judgements), st.randoms())
def test_a_quantifier_does_not_care_for_order(bodies: list[Judgement], random: object) -> None:
    shuffled = list(bodies)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert forall(shuffled, holds) is forall(bodies, holds)


def test_a_third_is_exact_however_many() -> None:
    for third in range(1, 200):
        just_enough = [A] * third + [TRUE] * (2 * third)
        assert forall(just_enough, holds) is FALSE
        assert forall([*just_enough, TRUE], holds) is TRUE


def test_the_threshold_is_a_parameter() -> None:
    assert forall([A, TRUE], holds, Threshold(2, 3)) is TRUE
    assert forall([A, TRUE, TRUE, TRUE], holds, Threshold(1, 4)) is FALSE


@pytest.mark.parametrize(("domain", "expected"), [(A, A), (U, FALSE), (D, FALSE)])
def test_only_doubt_about_a_domain_is_passed_on(domain: Term, expected: Judgement) -> None:
    assert forall(domain, lambda _: TRUE) is expected


def test_nothing_is_proved_by_nothing() -> None:
    assert forall([], holds) is VACUOUS
    assert forall(FullAnswer(listed([])), lambda _: TRUE) is VACUOUS
    assert forall([VACUOUS, VACUOUS, VACUOUS, VACUOUS, A], holds) is VACUOUS


@given(st.lists(judgements, min_size=1), st.sets(st.integers(0, 9)))
def test_what_is_decided_early_stays_decided(
    bodies: list[Judgement], unknown_positions: set[int]
) -> None:
    partly = [PENDING if i in unknown_positions else body for i, body in enumerate(bodies)]
    early = forall(partly, holds)
    assert early is PENDING or early is forall(bodies, holds)


def test_of_a_large_answer_the_ends_are_quantified_over() -> None:
    seen: list[int] = []
    forall(FullAnswer(listed(range(10_000))), lambda v: [seen.append(v), TRUE][1])
    assert len(seen) == len(set(seen)) == QUANTIFIED_MAX
    assert seen[0] == 0
    assert seen[-1] == 9_999


@given(st.lists(st.integers(), unique=True), st.integers(2, 20))
def test_spreading_keeps_order_and_ends(values: list[int], most: int) -> None:
    kept = list(spread(values, most))
    assert len(kept) == min(len(values), most)
    assert [value for value in values if value in kept] == kept
    assert kept[:1] == values[:1]
    assert kept[-1:] == values[-1:]


def test_a_sequence_is_as_special_as_its_elements() -> None:
    assert sequence([1, 2]) == [1, 2]
    assert sequence([]) == []
    assert sequence([1, U]) is U
    assert sequence([U, A, 1]) is A
    assert sequence([A, D]) is D


def test_answers_are_only_refuted_by_what_both_list() -> None:
    other = FullAnswer(listed([3, 4]))
    for left in (FULL, PARTIAL):
        assert disjoint(left, other) is TRUE
        assert disjoint(left, PARTIAL) is FALSE


def test_rows_contradict_where_both_have_values() -> None:
    assert contradict([1, 2], [1, 3])
    assert not contradict([1, U, 2, D], [1, 3, A, 4])


@given(st.lists(st.one_of(terms, st.just(A)), min_size=1).filter(strongest))
def test_a_program_is_not_run_on_a_special_value(arguments: list[Term]) -> None:
    memo = Memo()
    assert memo.function(Program("", "f"))(*arguments) is strongest(arguments)
    assert memo.taken() == {}


def test_all_pairs_of_specials_are_covered() -> None:
    for left, right in product(SPECIALS, SPECIALS):
        expected = strongest((left, right))
        assert equal(left, right) is (VACUOUS if (left, right) == (U, U) else expected)
