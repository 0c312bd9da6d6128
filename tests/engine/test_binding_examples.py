"""What the docstring shows binds the candidates, and what a user accepts ends the matter."""

from __future__ import annotations

from assay_engine.compare.executor import Executor
from assay_engine.fixes.clarifying import clarified
from assay_engine.fixes.replacing import edits_for
from assay_engine.splicing import apply_edits
from assay_engine.types import Problem, ProblemKind, Status
from support.trials import put_on_trial, scripted

SHOWN = '''
def doubled(items: list[int]) -> list[int]:
    """The items, each twice.

    >>> doubled([1, 2])
    [1, 1, 2, 2]
    """
    return [item for item in items for _ in range(2)]
'''
BREAKING = "def doubled(items: list[int]) -> list[int]:\n    return []\n"
MEETING = "def doubled(items):\n    return sorted([*items, *items])\n"
CALLS = [f"doubled({items})" for items in ([], [3], [2, 1], [1, 1], [5, 6, 7])]


async def test_candidates_that_all_break_an_example_hold_nothing_against_a_function_that_meets_it(
    executor: Executor,
) -> None:
    report = await put_on_trial(executor, SHOWN, "doubled", scripted([BREAKING], CALLS))
    assert report.verdict.status is Status.ABSTAINED
    assert (report.findings, report.replacements) == ((), ())
    (problem,) = [each for each in report.problems if each.kind is ProblemKind.NO_CONSENSUS]
    assert problem.message.startswith("All 10 candidates break an example of the docstring")
    assert "may contradict the prose" in problem.message


async def test_only_candidates_that_meet_the_example_vote(executor: Executor) -> None:
    wrong = SHOWN.replace("return [item", "return [0] if items == [3] else [item")
    model = scripted([BREAKING, MEETING], [*CALLS[:2], CALLS[3]])
    report = await put_on_trial(executor, wrong, "doubled", model)
    assert report.verdict.status is Status.SUSPECT
    assert "all 5 candidates return [3, 3]" in report.findings[0].message
    assert "sorted" in report.replacements[0].candidate


async def test_a_replacement_that_would_be_accused_itself_is_not_offered(
    executor: Executor,
) -> None:
    """Each candidate is right about one input, and wrong about another in its own way."""
    text = SHOWN.replace("return [item", "return [0] if len(items) == 1 else [item")
    good = SHOWN[SHOWN.index("def") :]
    voters = [
        good.replace(
            "    return", f"    if items == [{number}, {number}]:\n        return []\n    return"
        )
        for number in range(4, 14)
    ]
    calls = [*CALLS[:2], *(f"doubled([{number}, {number}])" for number in range(4, 14))]
    report = await put_on_trial(executor, text, "doubled", scripted(voters, calls))
    assert report.verdict.status is Status.SUSPECT
    assert report.replacements == ()
    assert any(each.kind is ProblemKind.NO_REPLACEMENT for each in report.problems)
    (accepted,) = (
        await put_on_trial(executor, text, "doubled", scripted([good], calls))
    ).replacements
    assert "for _ in range(2)" in accepted.candidate


async def test_after_a_replacement_the_next_check_finds_nothing(executor: Executor) -> None:
    wrong = SHOWN.replace("range(2)]", "range(2 + (item == 3))]")
    model = scripted([SHOWN], CALLS)
    report = await put_on_trial(executor, wrong, "doubled", model)
    edits = edits_for(wrong, report)
    assert not isinstance(edits, Problem)
    again = await put_on_trial(executor, apply_edits(wrong, edits), "doubled", model)
    assert (again.verdict.status, again.findings) == (Status.TRUSTED, ())


async def test_after_an_example_was_accepted_its_input_is_no_question_any_more(
    executor: Executor,
) -> None:
    text = 'def half(number: int) -> int:\n    """Half of the number."""\n    return number // 2\n'
    up = text.replace("number // 2", "-(-number // 2)")
    calls = ["half(2)", "half(4)", "half(0)", "half(3)", "half(10)"]
    model = scripted([text, up], calls, "UNDECIDED")
    report = await put_on_trial(executor, text, "half", model)
    assert report.verdict.status is Status.AMBIGUOUS
    for number, kept in ((0, text), (1, up)):
        edits = clarified(kept, await put_on_trial(executor, kept, "half", model), 0)
        assert not isinstance(edits, Problem)
        settled = apply_edits(kept, edits)
        again = await put_on_trial(executor, settled, "half", model)
        assert (again.verdict.status, again.findings) == (Status.TRUSTED, ()), number
