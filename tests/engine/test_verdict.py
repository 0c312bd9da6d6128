"""From votes to a verdict."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from assay_engine.compare.counterexamples import most_telling
from assay_engine.compare.evidence import Evidence
from assay_engine.compare.verdict import decide
from assay_engine.compare.votes import ACCUSING, Vote, accepts, vote
from assay_engine.types import Example, ExampleFailure, Input, Origin, Span, Status
from assay_sandbox import Call, Observation, Raised, Returned, encode
from support.specifying import specified


def r(value: object) -> Observation:
    return Returned(encode(value))


def voted(
    own: Observation,
    *candidates: Observation,
    documented: tuple[str, ...] = (),
    argument: int = 1,
) -> Vote:
    entry = Input(Call((argument,)), Origin.PROPOSED)
    return vote(entry, own, candidates, [1] * len(candidates), documented)


AGREED = voted(r(1), *[r(1)] * 10)
DIFFERS = voted(r(2), *[r(1)] * 9, r(2))
DOUBTFUL = voted(r(1), *[r(1)] * 8, r(2), r(3))
CLEARER = voted(r(2), *[r(1)] * 10)
ALONE = voted(r(3), *[r(1)] * 6, *[r(2)] * 4)
SPLIT = voted(r(1), *[r(1)] * 6, *[r(2)] * 4)
OUTSIDE = voted(r(1), *[Raised("ValueError", "")] * 10)
FAILED = ExampleFailure(Example((), "f(1)", "2", True, Span(0, 0)), "1", 0, 0, 0)
CRASHED = voted(Raised("IndexError", ""), *[r(1)] * 10)


@pytest.mark.parametrize(
    ("votes", "shown", "fails", "status", "agreeing"),
    [
        ([AGREED], None, False, Status.TRUSTED, 10),
        ([AGREED, OUTSIDE], None, False, Status.TRUSTED, 10),
        # The input on which fewest agree says how right it is.
        ([AGREED, DOUBTFUL, AGREED], None, False, Status.TRUSTED, 8),
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
    verdict = decide(
        Evidence(
            specified("def f(x):\n    pass\n"),
            failed_examples=(FAILED,) if fails else (),
            votes=tuple(votes),
            counterexamples=() if shown is None else (shown,),
        )
    )
    assert verdict.status is status
    assert (verdict.support.agreeing if verdict.support else None) == agreeing
    assert (verdict.confidence is None) == (status is Status.ABSTAINED)
    assert verdict.inputs_run == len(votes)


def test_an_example_comes_first_and_then_the_clearest_vote() -> None:
    example = replace(DIFFERS, input=Input(Call((2,)), Origin.EXAMPLE))
    votes = [ALONE, DIFFERS, AGREED, CLEARER, SPLIT, example, OUTSIDE]
    assert most_telling(votes, ACCUSING, ()) == [example, CLEARER, DIFFERS, ALONE]


def test_of_proposals_that_say_the_same_the_shortest_comes_first() -> None:
    calls = [Call(([1, 2, 2, 3],)), Call(([2, 2],)), Call(([2, 2, 1],))]
    longest, shortest, middle = [
        replace(CLEARER, input=Input(call, Origin.PROPOSED)) for call in calls
    ]
    found = most_telling([longest, shortest, middle], ACCUSING, ())
    assert found == [shortest, middle, longest]


def test_two_results_that_differ_come_before_an_exception_and_that_before_a_changed_argument() -> (
    None
):
    changed = voted(Returned(encode(1), args_after=encode(([2], {}))), *[r(1)] * 10)
    votes = [changed, CRASHED, CLEARER]
    assert most_telling(votes, ACCUSING, ()) == [CLEARER, CRASHED, changed]


def test_where_fewest_do_as_it_does_comes_before_what_is_shorter() -> None:
    joined = voted(r(2), *[r(1)] * 8, *[r(2)] * 2)
    alone = voted(r(2), *[r(1)] * 8, *[r(3)] * 2, argument=1000)
    assert most_telling([joined, alone], ACCUSING, ()) == [alone, joined]


def test_an_exception_that_the_docstring_names_is_as_plain_as_a_result() -> None:
    raised = voted(r(1), *[Raised("ValueError", "")] * 10, documented=("ValueError",))
    longer = replace(CLEARER, input=Input(Call((1000,)), Origin.PROPOSED))
    assert most_telling([longer, raised], ACCUSING, ("ValueError",)) == [raised, longer]


def test_what_was_passed_on_is_accepted_as_the_documented_type_it_derives_from() -> None:
    theirs = Raised("FileNotFoundError", "", ("OSError", "Exception"), passed_on=True)
    assert accepts(theirs, ("OSError",))
    assert not accepts(theirs, ("KeyError",))
    mistaken = Raised("UnicodeError", "", ("ValueError", "Exception"), passed_on=True)
    assert not accepts(mistaken, ())
    assert accepts(mistaken, ("ValueError",))
