"""Parameters split and joined again, and witnesses composed for unions."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import strategies as st

from assay_engine.methods.triangulation.formulas.compositions import NONE, composed, payload_of_type
from assay_engine.methods.triangulation.formulas.decompositions import (
    Decomposition,
    suffix_split,
    unpacked_tuple,
    without_length,
)
from assay_engine.methods.triangulation.formulas.outcomes import answer
from assay_engine.methods.triangulation.formulas.values import (
    ANGELIC,
    DEMONIC,
    PENDING,
    UNDEFINED,
    Arguments,
    FullAnswer,
    PartialAnswer,
    Term,
    listed,
)
from support.properties import given

lists = st.lists(st.integers(0, 3))


def echo(*arguments: Term) -> Term:
    return arguments


@given(lists, st.integers(1, 3), st.integers(0, 2))
def test_a_suffix_is_joined_as_it_was_split(whole: list[int], length: int, place: int) -> None:
    arguments = (*"ab"[:place], whole, *"ab"[place:])
    decomposition = suffix_split(place, length, list)
    parts = decomposition.split(arguments)
    assert len(parts[place + 1]) == min(length, len(whole))
    assert decomposition.adapt(echo)(*parts) == arguments


@pytest.mark.parametrize("arguments", [(2, "x", [5, 6]), (2, [5, 6], "x")])
def test_a_length_is_counted_again(arguments: Arguments) -> None:
    decomposition = without_length(0, arguments.index([5, 6]))
    assert decomposition.split(arguments) == arguments[1:]
    assert decomposition.adapt(echo)(*arguments[1:]) == arguments


def test_a_length_may_come_after_what_it_counts() -> None:
    decomposition = without_length(1, 0)
    assert decomposition.split(([5, 6], 2, "x")) == ([5, 6], "x")
    assert decomposition.adapt(echo)([5, 6], "x") == ([5, 6], 2, "x")


def test_a_tuple_is_packed_as_it_was_unpacked() -> None:
    assert unpacked_tuple().split(((1, 2),)) == (1, 2)
    assert unpacked_tuple().adapt(echo)(1, 2) == ((1, 2),)


@pytest.mark.parametrize(
    ("decomposition", "parts"),
    [
        (suffix_split(0, 1, str), ("ab", "cd")),
        (suffix_split(0, 1, str), ("ab", "")),
        (suffix_split(0, 1, str), ("ab", 3)),
        (suffix_split(0, 1, list), ([1], (2,))),
        (without_length(0, 1), (3,)),
    ],
)
def test_what_no_split_produces_is_an_invalid_input(
    decomposition: Decomposition, parts: Arguments
) -> None:
    assert decomposition.adapt(lambda *_: pytest.fail("run"))(*parts) is UNDEFINED


def test_an_adapted_program_passes_on_special_values() -> None:
    adapted = suffix_split(0, 1, list).adapt(lambda *_: pytest.fail("run"))
    assert adapted(UNDEFINED, ANGELIC) is ANGELIC
    assert adapted(PENDING, []) is PENDING


@pytest.mark.parametrize(
    ("decomposition", "arguments"),
    [
        (suffix_split(0, 1, str), ([1],)),
        (suffix_split(2, 1, str), ("ab",)),
        (unpacked_tuple(), ((1, 2), 3)),
        (unpacked_tuple(), ([1, 2],)),
    ],
)
def test_inputs_of_another_shape_are_refused(
    decomposition: Decomposition, arguments: Arguments
) -> None:
    with pytest.raises(ValueError, match="another shape"):
        decomposition.split(arguments)


OPTIONAL = (partial(payload_of_type, NONE), partial(payload_of_type, "int"))


def part(*arguments: Term) -> Term:
    return answer([list(arguments)])


def test_the_branch_of_the_output_answers() -> None:
    witness = composed(OPTIONAL, (part, part))
    assert witness(None, "context") == FullAnswer(listed([["context"]]))
    assert witness(3, "context") == FullAnswer(listed([[3, "context"]]))


@pytest.mark.parametrize("output", [3.0, True, "3", [3]])
def test_an_output_of_no_branch_is_demonic(output: Term) -> None:
    assert composed(OPTIONAL, (part, part))(output) is DEMONIC


def test_what_a_part_says_of_itself_is_kept() -> None:
    witness = composed(OPTIONAL, (lambda *_: UNDEFINED, lambda *_: PartialAnswer(listed([]))))
    assert witness(None) is UNDEFINED
    assert isinstance(witness(3), PartialAnswer)
    assert witness(ANGELIC) is ANGELIC
