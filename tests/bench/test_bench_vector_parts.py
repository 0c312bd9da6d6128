"""What vectors alone take apart or connect: heads, added lengths, disjuncts, disjunctions."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import strategies as st

from assay_bench.vectors.adapting import head_split, with_length
from assay_bench.vectors.disjuncts import Disjunct, constant, tagged, witness_of
from assay_bench.vectors.expressions import disjunction
from assay_engine.methods.triangulation.formulas.decompositions import Decomposition
from assay_engine.methods.triangulation.formulas.outcomes import answer
from assay_engine.methods.triangulation.formulas.values import (
    ANGELIC,
    DEMONIC,
    FALSE,
    PENDING,
    TRUE,
    UNDEFINED,
    VACUOUS,
    Arguments,
    FullAnswer,
    Judgement,
    PartialAnswer,
    Term,
    listed,
)
from support.properties import given

judgements = st.sampled_from([TRUE, VACUOUS, FALSE, UNDEFINED, ANGELIC, DEMONIC, PENDING])


def echo(*arguments: Term) -> Term:
    return arguments


def part(*arguments: Term) -> Term:
    return answer([list(arguments)])


@given(st.lists(st.integers(0, 3)))
def test_a_head_is_joined_as_it_was_split(whole: list[int]) -> None:
    parts = head_split(0).split((whole,))
    assert parts == ((None, []) if not whole else (whole[0], whole[1:]))
    assert head_split(0).adapt(echo)(*parts) == (whole,)


@pytest.mark.parametrize(
    ("place", "parts"), [(0, (2, "x", [5, 6])), (1, ("x", 2, [5, 6])), (2, ("x", [5, 6], 2))]
)
def test_a_length_is_added_where_it_is_wanted(place: int, parts: Arguments) -> None:
    adding = with_length(place, 1)
    assert adding.split(("x", [5, 6])) == parts
    assert adding.adapt(echo)(*parts) == ("x", [5, 6])


@pytest.mark.parametrize(
    ("decomposition", "parts"),
    [
        (head_split(0), (None, [1])),
        (head_split(0), (1, None)),
        (with_length(0, 0), (3, [5, 6])),
        (with_length(0, 0), (True, [5])),
        (with_length(0, 0), (2, 2)),
    ],
)
def test_what_no_split_produces_is_an_invalid_input(
    decomposition: Decomposition, parts: Arguments
) -> None:
    assert decomposition.adapt(lambda *_: pytest.fail("run"))(*parts) is UNDEFINED


def test_a_head_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="another shape"):
        head_split(0).split(("ab",))


def test_an_answer_of_a_disjunct_that_is_not_exhaustive_is_marked() -> None:
    disjuncts = (Disjunct(partial(constant, "NO"), False), Disjunct(partial(tagged, "YES"), True))
    witness = witness_of(disjuncts, (part, part))
    assert witness("NO", "context") == PartialAnswer(listed([["context"]]))
    assert witness(("YES", 3), "context") == FullAnswer(listed([[3, "context"]]))
    assert witness(("PERHAPS", 3)) is DEMONIC
    assert witness(()) is DEMONIC
    assert witness_of(disjuncts, (lambda *_: UNDEFINED, part))("NO") is UNDEFINED


@given(judgements, judgements, judgements)
def test_disjunction_commutes_and_associates(x: Judgement, y: Judgement, z: Judgement) -> None:
    assert disjunction(x, y) is disjunction(y, x)
    assert disjunction(x, disjunction(y, z)) is disjunction(disjunction(x, y), z)
    assert disjunction(x, x) is x
    assert (disjunction(x, y) is DEMONIC) == (DEMONIC in (x, y))
