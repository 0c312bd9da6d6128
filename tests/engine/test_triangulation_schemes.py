"""What schemes tell apart, by examples that the paper and its prototype argue about."""

from __future__ import annotations

import pytest

from assay_engine.methods.triangulation.formulas.compositions import stream
from assay_engine.methods.triangulation.formulas.decompositions import unpacked_tuple
from assay_engine.methods.triangulation.formulas.evaluate import Subject, agreements
from assay_engine.methods.triangulation.formulas.outcomes import Memo
from assay_engine.methods.triangulation.formulas.properties import Points, Scheme
from assay_engine.methods.triangulation.formulas.schemes import (
    ENUM_SINV,
    FWD_INV,
    FWD_SINV,
    OFF_BY_ONE,
    POSTCONDITION,
    SYNTACTIC,
    shift,
)
from assay_engine.methods.triangulation.formulas.values import DEMONIC, UNDEFINED, Term
from assay_sandbox import Program
from support.tabled_programs import Failure, Table, TabledRunner, driven

INVALID = Failure.INVALID


def agree(
    scheme: Scheme, p: Table, q: Table, inputs: object, outputs: object = (), *, inverted: int = 0
) -> bool:
    points = Points(tuple(inputs), tuple(outputs), inverted)  # type: ignore[arg-type]
    left, right = (Subject((Program(name, "f"),)) for name in "pq")
    rounds = agreements(scheme, [left], [right], points, Memo())
    return driven(rounds, TabledRunner({"p": p, "q": q})) == ((0,),)


def singles(*values: object) -> list[tuple[object, ...]]:
    return [(value,) for value in values]


def test_a_witness_that_lists_everything_is_seen_through_by_the_third_clause() -> None:
    """A constant program and an inverse that answers everything satisfy the first two clauses."""
    inputs = singles(1, 2, 3)
    assert agree(FWD_SINV, lambda i: 7, lambda o: [1, 2, 3], inputs)
    assert not agree(FWD_SINV, lambda i: 7, lambda o: [1, 2, 3], inputs, singles(7, 8))


def test_the_third_clause_speaks_of_each_witness_for_itself() -> None:
    """Both witnesses satisfy the first two clauses, in either order."""
    tables: dict[str, Table] = {
        "p": lambda i: 7,
        "exact": lambda o: [1, 2, 3] if o == 7 else [],
        "everything": lambda o: [1, 2, 3],
    }
    p, exact, everything = (Subject((Program(name, "f"),)) for name in tables)
    points = Points(((1,), (2,), (3,)), ((7,), (8,)))
    for witnesses, expected in (((exact, everything), (0,)), ((everything, exact), (1,))):
        rounds = agreements(FWD_SINV, [p], witnesses, points, Memo())
        assert driven(rounds, TabledRunner(tables)) == (expected,)


def test_the_third_clause_moves_outputs_and_not_contexts() -> None:
    """The sum of a list by its last element: the same total after two prefixes is no collision."""

    def p(prefix, last):
        return sum(prefix) + last

    def q(total, prefix):
        return total - sum(prefix)

    inputs = [([1, 2], 4), ([3], 1)]
    outputs = [(7, [1, 2]), (7, [3])]
    assert agree(FWD_INV, p, q, inputs, outputs, inverted=1)


def test_a_collision_in_a_moved_context_counts() -> None:
    """The witness collides for 5 and 6 in the first context, and is right in the second."""

    def q(o, c):
        return o // 2 if c == 0 else o

    assert not agree(FWD_INV, lambda i, c: i, q, [(1, 1), (2, 1)], [(5, 1), (4, 0)])


def test_what_the_witness_calls_invalid_takes_no_part() -> None:
    def q(o):
        return INVALID if o % 2 else o // 2

    assert agree(FWD_INV, lambda i: 2 * i, q, singles(1, 2), singles(3, 5, 4))


@pytest.mark.parametrize(("crashes_at", "expected"), [((9, 0), True), ((5, 0), False)])
def test_a_crash_counts_on_given_outputs_only(crashes_at: object, expected: bool) -> None:
    """9 is given in context 1 and moved into context 0; 5 is given in context 0."""

    def q(o, c):
        return Failure.CRASH if (o, c) == crashes_at else [o]

    found = agree(FWD_SINV, lambda i, c: i, q, [(1, 0), (2, 1)], [(5, 0), (9, 1)])
    assert found == expected


def test_a_crash_on_the_only_output_counts() -> None:
    def q(o):
        return Failure.CRASH if o == 9 else o

    assert agree(FWD_INV, lambda i: i, q, singles(1, 2), singles(8))
    assert not agree(FWD_INV, lambda i: i, q, singles(1, 2), singles(9))


def test_of_many_outputs_each_is_still_compared() -> None:
    outputs = singles(*range(300))
    assert agree(FWD_INV, lambda i: i, lambda o: o, singles(1), outputs)
    assert not agree(FWD_INV, lambda i: i, lambda o: max(o, 5), singles(7), outputs)


def test_of_two_hundred_outputs_any_two_that_clash_are_seen() -> None:
    outputs = singles(*range(200))
    assert not agree(FWD_INV, lambda i: i, lambda o: 102 if o == 101 else o, singles(1), outputs)


@pytest.mark.parametrize("scheme", [SYNTACTIC, FWD_INV, FWD_SINV, ENUM_SINV, POSTCONDITION])
def test_two_programs_that_reject_everything_do_not_agree(scheme: Scheme) -> None:
    def reject(*_: object) -> Failure:
        return INVALID

    assert not agree(scheme, reject, reject, singles(1, 2), singles(1, 2))


def test_two_programs_that_always_answer_nothing_do_not_agree() -> None:
    assert not agree(ENUM_SINV, lambda i: [], lambda o: [], singles(1, 2), singles(1, 2))


@pytest.mark.parametrize(
    "scheme", [SYNTACTIC, FWD_INV, FWD_SINV, ENUM_SINV, POSTCONDITION, stream(FWD_INV)]
)
def test_without_inputs_nothing_agrees(scheme: Scheme) -> None:
    assert not agree(scheme, lambda i: [i], lambda *o: [1], [], singles(1))


def test_a_definite_error_is_not_tolerated_as_a_doubt() -> None:
    """For 98 the partial fibre lacks it, a doubt, and lists 5, an error."""

    def q(o):
        return (False, [10 * o + d for d in range(5)] + ([5] if o == 9 else []))

    assert not agree(FWD_SINV, lambda i: i // 10, q, singles(1, 12, 23, 34, 98))


def test_an_enumerator_may_be_partial_and_is_doubted_by_the_share_of_what_it_lacks() -> None:
    """Of four inverses' claims, the enumerator's part lacks one: 1 of 4; then 1 of 3."""

    def e(i):
        return (False, [i + 1])

    def q(o):
        return [o - 1]

    assert agree(ENUM_SINV, e, q, singles(0, 1), singles(1, 2, 3, 4))

    def lacking(i):
        return (False, [] if i == 0 else [i + 1])

    assert not agree(ENUM_SINV, lacking, q, singles(1, 2, 3, 4), singles(1, 2, 3, 4))


def test_an_output_that_the_inverse_calls_invalid_is_a_doubt_about_it() -> None:
    """1 of 4 outputs is borne, 1 of 3 is not; the same for inputs and the enumerator."""

    def e(i):
        return INVALID if i == 0 else [i + 1]

    def q(o):
        return INVALID if o == 9 else [o - 1]

    inputs, outputs = singles(1, 2, 3, 0), singles(2, 3, 4, 9)
    assert agree(ENUM_SINV, e, q, inputs, outputs)
    assert not agree(ENUM_SINV, e, q, inputs, outputs[1:])
    assert not agree(ENUM_SINV, e, q, inputs[1:], outputs)


def test_a_program_on_pairs_is_inverted_after_its_elements_are_unpacked() -> None:
    def p(pairs):
        return [a + b for a, b in pairs]

    def q(total, b):
        return total - b

    inputs = [([(1, 2), (5, -1)],), ([],), ([(0, 0)],)]
    assert agree(stream(FWD_INV, element=unpacked_tuple()), p, q, inputs, [(3, 1), (0, 0)])


@pytest.mark.parametrize("outputs", [(), [], 5, (7,), "7"])
def test_a_stream_program_must_return_a_list_with_a_first_element(outputs: object) -> None:
    assert not agree(stream(SYNTACTIC), lambda seq: outputs, lambda x: 7, [([1],), ([2],)])


@pytest.mark.parametrize(
    ("term", "shifted"),
    [
        (1, 2),
        (1.5, 2.5),
        (True, False),
        (False, True),
        ("a", "a_1"),
        ([1, 2], [1, 2, 1]),
        ([], [1]),
        ((1, 2), (2, 3)),
        (None, DEMONIC),
        ({}, DEMONIC),
        (["a"], DEMONIC),
        ((1.0,), DEMONIC),
        (UNDEFINED, UNDEFINED),
    ],
)
def test_every_type_is_shifted_in_its_own_way(term: Term, shifted: Term) -> None:
    assert shift(term) == shifted
    assert type(shift(term)) is type(shifted)


def test_predicates_can_be_off_by_one() -> None:
    assert agree(OFF_BY_ONE, lambda i: i > 1, lambda i: i <= 1, singles(1, 2))
    assert not agree(OFF_BY_ONE, lambda i: i > 1, lambda i: i > 1, singles(1, 2))
