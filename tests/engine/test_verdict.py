"""From votes to a verdict."""

from __future__ import annotations

import pytest

from assay_engine.types import Input, Origin, Status
from assay_engine.voting.domain import accepts, turns_away
from assay_engine.voting.ranking import most_telling
from assay_engine.voting.statistics import support
from assay_engine.voting.verdict import MEANT_MIN, decide
from assay_engine.voting.votes import ACCUSING, Standing, Vote, vote
from assay_sandbox import Call, Observation, Raised, Returned, encode


def r(value: object) -> Observation:
    return Returned(encode(value))


def voted(own: Observation, *candidates: Observation, documented: tuple[str, ...] = ()) -> Vote:
    return vote(own, candidates, [1] * len(candidates), documented)


AGREED = voted(r(1), *[r(1)] * 10)
DIFFERS = voted(r(2), *[r(1)] * 9, r(2))
CLEARER = voted(r(2), *[r(1)] * 10)
ALONE = voted(r(3), *[r(1)] * 6, *[r(2)] * 4)
SPLIT = voted(r(1), *[r(1)] * 6, *[r(2)] * 4)
OUTSIDE = voted(r(1), *[Raised("ValueError", "")] * 10)
TURNED_AWAY = voted(Raised("ValueError", ""), *[r(1)] * 10)
CRASHED = voted(Raised("IndexError", ""), *[r(1)] * 10)


def inputs(*origins: Origin) -> list[Input]:
    return [Input(Call((number,)), origin) for number, origin in enumerate(origins)]


@pytest.mark.parametrize(
    ("votes", "shown", "fails", "status", "agreeing"),
    [
        ([AGREED], None, False, Status.TRUSTED, 10),
        ([AGREED, OUTSIDE], None, False, Status.TRUSTED, 10),
        ([AGREED, DIFFERS], DIFFERS, False, Status.SUSPECT, 9),
        ([AGREED, SPLIT], SPLIT, False, Status.AMBIGUOUS, 6),
        ([AGREED], None, True, Status.SUSPECT, None),
        ([OUTSIDE], None, False, Status.ABSTAINED, None),
        ([], None, False, Status.ABSTAINED, None),
        # A difference that did not reproduce leaves nothing to be sure of.
        ([AGREED, DIFFERS, DIFFERS], None, False, Status.ABSTAINED, None),
    ],
)
def test_the_verdict(
    votes: list[Vote], shown: Vote | None, fails: bool, status: Status, agreeing: int | None
) -> None:
    verdict = decide(votes, shown, fails_example=fails)
    assert verdict.status is status
    assert (verdict.support.agreeing if verdict.support else None) == agreeing
    assert (verdict.confidence is None) == (status is Status.ABSTAINED)
    assert verdict.inputs_run == len(votes)


def test_what_somebody_meant_comes_first_and_then_the_clearest_vote() -> None:
    votes = [CLEARER, DIFFERS, ALONE, DIFFERS, CLEARER, AGREED, ALONE]
    order = most_telling(
        votes,
        inputs(
            *(Origin.TYPED, Origin.PROPOSED, Origin.PROPOSED, Origin.EXAMPLE, Origin.MUTATED),
            *(Origin.EXAMPLE, Origin.TYPED),
        ),
        ACCUSING,
        (),
    )
    assert order == [3, 1, 2, 0, 4, 6]


def test_of_proposals_that_say_the_same_the_shortest_comes_first() -> None:
    calls = [Call(([1, 2, 2, 3],)), Call(([2, 2],)), Call(([2, 2, 1],))]
    meant = [Input(call, Origin.PROPOSED) for call in calls]
    assert most_telling([CLEARER] * 3, meant, ACCUSING, ()) == [1, 2, 0]


def test_two_results_that_differ_come_before_an_exception_and_that_before_a_changed_argument() -> (
    None
):
    changed = voted(Returned(encode(1), args_after=encode(([2], {}))), *[r(1)] * 10)
    votes = [changed, CRASHED, CLEARER]
    assert most_telling(votes, inputs(*[Origin.PROPOSED] * 3), ACCUSING, ()) == [2, 1, 0]


def test_where_fewest_do_as_it_does_comes_before_what_is_shorter() -> None:
    joined = voted(r(2), *[r(1)] * 8, *[r(2)] * 2)
    alone = voted(r(2), *[r(1)] * 8, *[r(3)] * 2)
    meant = [Input(Call((number,)), Origin.PROPOSED) for number in (1, 1000)]
    assert most_telling([joined, alone], meant, ACCUSING, ()) == [1, 0]


def test_an_exception_that_the_docstring_names_is_as_plain_as_a_result() -> None:
    raised = voted(r(1), *[Raised("ValueError", "")] * 10, documented=("ValueError",))
    votes = [raised, CLEARER]
    meant = [Input(Call((number,)), Origin.PROPOSED) for number in (1, 1000)]
    assert most_telling(votes, meant, ACCUSING, ("ValueError",)) == [0, 1]


def test_who_differs_on_what_somebody_meant_is_wrong_more_often() -> None:
    said = [
        decide([DIFFERS], DIFFERS, fails_example=False, made_up=each).confidence or 0.0
        for each in (True, False)
    ]
    assert 0.5 < said[0] < said[1] < 1.0


def test_how_right_a_function_is_hangs_on_the_inputs_that_somebody_meant() -> None:
    doubtful = voted(r(1), *[r(1)] * 8, *[r(2), r(3)])
    assert doubtful.standing is Standing.AGREES
    votes = [*[AGREED] * MEANT_MIN, doubtful]
    made_up = decide(votes, None, fails_example=False, meant_votes=votes[:-1])
    meant = decide(votes, None, fails_example=False, meant_votes=votes)
    assert (made_up.support, meant.support) == (support(10, 10), support(8, 10))


@pytest.mark.parametrize(
    ("seen", "origin", "documented", "counts"),
    [
        (TURNED_AWAY, Origin.TYPED, (), False),
        (TURNED_AWAY, Origin.PROPOSED, (), True),
        (TURNED_AWAY, Origin.EXAMPLE, (), True),
        (TURNED_AWAY, Origin.TYPED, ("ValueError",), True),
        (CRASHED, Origin.TYPED, (), True),
        (DIFFERS, Origin.TYPED, (), True),
    ],
)
def test_an_input_of_no_better_origin_than_its_type_may_be_turned_away(
    seen: Vote, origin: Origin, documented: tuple[str, ...], counts: bool
) -> None:
    assert bool(most_telling([seen], inputs(origin), ACCUSING, documented)) is counts


def test_a_refusal_is_told_by_what_it_derives_from() -> None:
    own = Raised("BadDate", "", ("ValueError", "Exception"))
    assert turns_away(own, ())
    assert not turns_away(own, ("BadDate",))
    assert not turns_away(Raised("KeyError", "", ("LookupError",)), ())
    assert not turns_away(r(1), ())


def test_what_was_passed_on_is_accepted_as_the_documented_type_it_derives_from() -> None:
    theirs = Raised("FileNotFoundError", "", ("OSError", "Exception"), passed_on=True)
    assert accepts(theirs, ("OSError",))
    assert not accepts(theirs, ("KeyError",))
    mistaken = Raised("UnicodeError", "", ("ValueError", "Exception"), passed_on=True)
    assert turns_away(mistaken, ())
    assert not turns_away(mistaken, ("ValueError",))
