"""Calls on which the docstring does not decide, as the model says when it proposes inputs."""

from __future__ import annotations

import pytest

from assay_engine.check.context import CheckContext
from assay_engine.check.opinion import with_opinion
from assay_engine.check_unit import CheckUnit
from assay_engine.cli.text import report_lines
from assay_engine.compare.executor import Executor
from assay_engine.config.settings import Settings
from assay_engine.inputs.gather import OPEN_MAX
from assay_engine.inputs.proposed import proposals_in
from assay_engine.pages.hover import hover_text
from assay_engine.types import Code, Origin, Severity, SourceText, Status
from support.judging_reader import PROPERTIES, scenarios, verdict
from support.scripted_model import ScriptedModel, fenced
from support.sessions import session_of
from support.specifying import specified
from support.trials import put_on_trial, scripted

MODE = '''
def mode(items: list[int]) -> int:
    """The item that occurs most often."""
    return max(items, key=items.count)
'''
LAST = MODE.replace("max(items,", "max(reversed(items),")
DECIDED = ["# one", "mode([3])", "# several", "mode([1, 2, 2])", "mode([4, 4, 4, 1])"]
OPEN = ["# open: which item if several occur equally often", "mode([1, 2])"]


async def test_candidates_that_part_make_the_docstring_ambiguous(executor: Executor) -> None:
    report = await put_on_trial(executor, MODE, "mode", scripted([MODE, LAST], [*DECIDED, *OPEN]))
    assert report.verdict.status is Status.AMBIGUOUS
    (finding,) = report.findings
    assert (finding.code, finding.severity) == (Code.AMBIGUOUS, Severity.INFORMATION)
    assert finding.message == (
        'mode([1, 2]): the docstring leaves open "which item if several occur equally often"; '
        "5 of 10 candidates return 1, as this does, 5 return 2"
    )
    assert finding.witness is not None
    assert finding.witness.origin is Origin.OPEN
    assert [each.behaviour for each in report.clarifications] == ["returns 1", "returns 2"]
    assert not report.replacements
    told = "\n".join(report_lines(report, set(), verbose=True)), hover_text(report)
    assert all("left open by the docstring" in each for each in told)


async def test_who_does_otherwise_than_all_candidates_is_not_accused(
    executor: Executor,
) -> None:
    report = await put_on_trial(executor, MODE, "mode", scripted([LAST], [*DECIDED, *OPEN]))
    assert report.verdict.status is Status.AMBIGUOUS
    (finding,) = report.findings
    assert finding.severity is Severity.INFORMATION
    assert finding.message.endswith(
        "all 10 candidates return 2, this returns 1, as no candidate does"
    )
    assert not report.settling


async def test_no_judge_is_asked_about_them(executor: Executor) -> None:
    model = ScriptedModel(
        {
            "[candidate]": [fenced(MODE), fenced(LAST)],
            "[inputs] Choose": [fenced("\n".join([*DECIDED, *OPEN]))],
            "[scenarios]": [scenarios("several")],
            "[properties]": [PROPERTIES],
            "[inputs]": ["mode([5, 5, 7])"],
            "[conforms]": [verdict("INCORRECT")],
            "[preference]": [verdict("UNDECIDED")],
        }
    )
    subject = CheckUnit(SourceText("module.py", MODE), specified(MODE), "digest", ())
    context = CheckContext(
        session_of(model), None, executor, Settings(), lambda _: True, lambda _: None
    )
    await with_opinion(context, model, subject, await put_on_trial(executor, MODE, "mode", model))
    judged = [prompt.user for prompt, _ in model.asked if prompt.name == "conforms"]
    assert any("mode([5, 5, 7])" in each for each in judged)
    assert not any("mode([1, 2])" in each for each in judged)


async def test_where_all_do_the_same_nothing_is_said_and_four_candidates_suffice(
    executor: Executor,
) -> None:
    report = await put_on_trial(executor, MODE, "mode", scripted([MODE], [*DECIDED, *OPEN]))
    assert (report.verdict.status, report.candidates) == (Status.TRUSTED, 4)
    assert report.findings == ()


async def test_exceptions_are_answers_there(executor: Executor) -> None:
    raising = MODE.replace("    return", "    if not items:\n        return 0\n    return")
    open_call = ["# open: what of an empty list", "mode([])"]
    model = scripted([MODE, raising], [*DECIDED, *open_call])
    report = await put_on_trial(executor, MODE, "mode", model)
    assert report.verdict.status is Status.AMBIGUOUS
    assert '"what of an empty list"' in report.findings[0].message


async def test_an_accusation_comes_first(executor: Executor) -> None:
    wrong = MODE.replace("max(items, key", "min(items, key")
    report = await put_on_trial(executor, wrong, "mode", scripted([MODE, LAST], [*DECIDED, *OPEN]))
    assert report.verdict.status is Status.SUSPECT
    assert report.findings[0].message.startswith("mode([1, 2, 2])")


async def test_an_example_of_the_docstring_settles_the_question(executor: Executor) -> None:
    told = MODE.replace('often."""', 'often.\n\n    >>> mode([1, 2])\n    1\n    """')
    model = scripted([MODE, MODE, LAST], [*DECIDED, *OPEN])
    report = await put_on_trial(executor, told, "mode", model)
    assert (report.verdict.status, report.findings) == (Status.TRUSTED, ())


@pytest.mark.parametrize(
    "mark", ["# open: who wins a tie", "#Open:  who wins a tie", "## open: who wins a tie"]
)
def test_questions_are_read_however_they_are_marked(mark: str) -> None:
    read = proposals_in(f"# one\nmode([3])\n{mark}\nmode([1, 2])", specified(MODE, "mode"))
    assert [(each.partition, each.is_open) for each in read] == [
        ("one", False),
        ("who wins a tie", True),
    ]


async def test_what_is_left_open_once_is_not_decided_elsewhere(executor: Executor) -> None:
    """A model that proposes one call for both is not sure that the docstring decides it."""
    inputs = [*DECIDED, "# ties", "mode([1, 2])", *OPEN]
    report = await put_on_trial(executor, MODE, "mode", scripted([LAST], inputs))
    assert report.verdict.status is Status.AMBIGUOUS


async def test_no_more_are_run_than_were_asked_for(executor: Executor) -> None:
    many = [f"# open: {number}\nmode([{number}, 99])" for number in range(2 * OPEN_MAX)]
    other = MODE.replace(
        "    return", f"    if {OPEN_MAX} <= items[0] < 99:\n        return 99\n    return"
    )
    model = scripted([MODE, other], [*DECIDED, *many])
    report = await put_on_trial(executor, MODE, "mode", model)
    assert (report.verdict.status, report.findings) == (Status.TRUSTED, ())
