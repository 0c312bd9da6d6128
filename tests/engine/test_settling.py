"""Before a function is accused, a model is asked what its docstring says of the difference."""

from __future__ import annotations

import pytest
from typing_extensions import override

from assay_engine.check.model_supply import usable_for
from assay_engine.check.worklist import worklist
from assay_engine.cli.outcome import exit_code
from assay_engine.cli.output import COULD_NOT_RUN, FINDINGS
from assay_engine.cli.text import report_lines
from assay_engine.compare.executor import Executor
from assay_engine.compare.statistics import CONTRADICTED
from assay_engine.errors import (
    BudgetSpent,
    ModelError,
    ModelUnavailable,
    ReplyUnusable,
    TranscriptMiss,
)
from assay_engine.pages.hover import hover_markdown, hover_text
from assay_engine.settling.questions import PREFERENCE_VERSION, Questions, own_comes_first
from assay_engine.types import (
    Code,
    ProblemKind,
    Prompt,
    Reading,
    Reply,
    Report,
    Severity,
    SourceText,
    Status,
    Tier,
)
from support.saying import page_text
from support.scripted_model import Answers, ScriptedModel, Siding, fenced, preferring
from support.specifying import specified
from support.trials import put_on_trial, scripted

HEADER = "def initials(name: str) -> str:"
DOCSTRING = '    """The first letters of all words of the name, in capitals."""'
# Of nothing but blanks: a dash, where the candidates give nothing.
OWN = f"""{HEADER}
{DOCSTRING}
    return "".join(word[0].upper() for word in name.split()) or "-"
"""
# Of several words wrong, too.
WRONG = f"""{HEADER}
{DOCSTRING}
    return name.strip()[:1].upper() or "-"
"""
CANDIDATE = f'{HEADER}\n    return "".join(word[0].upper() for word in name.split())\n'
INPUTS = """# one word
initials("ada")
# no word
initials(" ")
initials("")
# several words
initials("ada lovelace")
"""


def answering(preferences: Answers) -> ScriptedModel:
    return ScriptedModel(
        {
            "[candidate]": [fenced(CANDIDATE)],
            "[inputs]": [fenced(INPUTS)],
            "[preference]": preferences,
        }
    )


def told(report: Report) -> str:
    return "\n".join(report_lines(report, set(), verbose=False))


def asked(model: ScriptedModel) -> list[Prompt]:
    return [prompt for prompt, _ in model.asked if prompt.name == "preference"]


def by_order(own: str, theirs: str) -> Answers:
    """One word where the function's own outcome is shown first, another where it is not."""

    def answer(prompt: Prompt, _sample: int) -> str:
        first, second = (prompt.user.index(f"returned: {each!r}") for each in ("-", ""))
        return preferring(own if first < second else theirs)

    return answer


@pytest.mark.parametrize(
    ("words", "caveat", "offered"),
    [
        (("UNDECIDED", "UNDECIDED"), "found nothing in the docstring against it", 1),
        (("BOTH", "UNDECIDED"), "found nothing in the docstring against it", 1),
        (("FIRST", "SECOND"), "read the docstring as this does", 0),
    ],
)
async def test_what_the_docstring_leaves_open_accuses_nobody(
    executor: Executor, words: tuple[str, str], caveat: str, offered: int
) -> None:
    model = answering(by_order(*words))
    report = await put_on_trial(executor, OWN, "initials", model)
    assert report.verdict.status is Status.AMBIGUOUS
    assert report.verdict.confidence is None
    (finding,) = report.findings
    assert (finding.code, finding.severity) == (Code.AMBIGUOUS, Severity.INFORMATION)
    assert finding.message == (
        f"initials(' '): all 10 candidates return '', this returns '-'; when asked, the model "
        f"{caveat}"
    )
    assert [each.call for each in report.settling] == ["initials(' ')", "initials('')"]
    assert all(len(each.readings) == 2 for each in report.settling)
    assert len(report.replacements) == offered
    assert report.cost.paid.requests == report.cost.drawn.requests == 11 + len(asked(model)) == 15


async def test_a_stray_candidate_is_no_reading_that_is_offered(executor: Executor) -> None:
    stray = f'{HEADER}\n    return "".join(word[0].upper() for word in name.split()) or "?"\n'
    model = ScriptedModel(
        {
            "[candidate]": [fenced(CANDIDATE)] * 9 + [fenced(stray)],
            "[inputs]": [fenced(INPUTS)],
            "[preference]": [preferring("UNDECIDED")],
        }
    )
    report = await put_on_trial(executor, OWN, "initials", model)
    assert report.verdict.status is Status.AMBIGUOUS
    assert [each.behaviour for each in report.replacements] == ["returns ''"]


async def test_what_the_docstring_says_accuses_with_the_reason(executor: Executor) -> None:
    model = answering(Siding())
    report = await put_on_trial(executor, OWN, "initials", model)
    assert report.verdict.status is Status.SUSPECT
    assert report.verdict.confidence == pytest.approx(0.9, abs=0.01)
    (finding,) = report.findings
    assert finding.severity is Severity.WARNING
    (settling,) = report.settling
    assert settling.readings == (Reading.THEIRS, Reading.THEIRS)
    line = "the docstring, as the model reads it"
    assert f'{line}: "The docstring says so."' in told(report)
    assert f"{line}: `The docstring says so.`" in hover_markdown(report).replace(
        "The d", "the d", 1
    )
    assert "inputs used" not in hover_markdown(report)
    assert "inputs used" in page_text(report)
    one, other = (prompt.user for prompt in asked(model))
    assert (one.index("'-'") < one.index("''")) is not (other.index("'-'") < other.index("''"))
    assert 'or "-"' not in one


async def test_an_input_that_the_docstring_settles_is_shown_in_place_of_one_that_it_does_not(
    executor: Executor,
) -> None:
    theirs = Siding()

    def answer(prompt: Prompt, sample: int) -> str:
        return theirs(prompt, sample) if "lovelace" in prompt.user else preferring("UNDECIDED")

    report = await put_on_trial(executor, WRONG, "initials", answering(answer))
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.message == (
        "initials('ada lovelace'): all 10 candidates return 'AL', this returns 'A'"
    )
    assert [each.readings for each in report.settling] == [
        (Reading.OPEN, Reading.OPEN),
        (Reading.THEIRS, Reading.THEIRS),
    ]


@pytest.mark.parametrize(
    "preferences",
    [["I cannot say.\n"], [preferring("FIRST")], [preferring("SECOND")]],
    ids=["no verdict", "the first", "the second"],
)
async def test_nobody_is_accused_by_an_answer_that_does_not_read(
    executor: Executor, preferences: list[str]
) -> None:
    report = await put_on_trial(executor, OWN, "initials", answering(preferences))
    assert report.verdict.status is Status.AMBIGUOUS
    (finding,) = report.findings
    assert finding.severity is Severity.INFORMATION
    assert finding.caveat == "it is not settled which of the two the docstring asks for"


def test_which_outcome_stands_first_follows_from_the_input() -> None:
    calls = [f"initials('{' ' * number}')" for number in range(1, 9)]
    assert {own_comes_first(call) for call in calls} == {True, False}


async def test_what_the_docstring_does_not_promise_either_is_not_offered(
    executor: Executor,
) -> None:
    neither = await put_on_trial(executor, OWN, "initials", answering([preferring("NEITHER")]))
    assert neither.verdict.status is Status.SUSPECT
    assert neither.replacements == ()
    theirs = await put_on_trial(executor, OWN, "initials", answering(Siding()))
    assert len(theirs.replacements) == 1


async def test_it_is_said_whose_outcome_a_reason_calls_the_first(executor: Executor) -> None:
    orders = set[str]()
    for text in (OWN, WRONG):
        reply = "REASON: Only the second is documented.\nVERDICT: NEITHER"
        report = await put_on_trial(executor, text, "initials", answering([reply]))
        (settling,) = report.settling
        names = ("this function", "the candidates")[:: 1 if settling.own_first else -1]
        order = f"(first: {names[0]}; second: {names[1]})"
        assert f'"Only the second is documented." {order}' in told(report)
        assert f'"Only the second is documented." {order}' in hover_text(report)
        assert settling.reason == "Only the second is documented."
        orders.add(order)
    assert orders


@pytest.mark.parametrize(
    "reason",
    ["The amounts are equal and a was added first.", "The second request makes it the newest."],
)
async def test_a_reason_that_speaks_of_neither_is_quoted_alone(
    executor: Executor, reason: str
) -> None:
    reply = f"REASON: {reason}\nVERDICT: NEITHER"
    report = await put_on_trial(executor, OWN, "initials", answering([reply]))
    assert f'as the model reads it: neither is right: "{reason}"\n' in told(report)


async def test_a_reason_commands_neither_terminal_nor_hover(executor: Executor) -> None:
    reason = 'It `` [see](https://evil.test) \x1b]0;owned\x07 \u202e **bold** " <img src=x>'
    theirs = Siding()
    model = answering(lambda *asked: theirs(*asked).replace("The docstring says so.", reason))
    report = await put_on_trial(executor, OWN, "initials", model)
    assert told(report).replace("\n", "").isprintable()
    (line,) = [each for each in hover_markdown(report).split("\n\n") if "reads it" in each]
    before, fence, rest = line.partition("```")
    assert before.endswith("as the model reads it: ")
    assert rest.endswith(fence)
    assert "evil.test" in rest
    assert fence not in rest[: -len(fence)]
    (plain,) = [each for each in hover_text(report).split("\n\n") if "reads it" in each]
    assert plain.count('"') == 2


async def test_only_the_last_reply_is_unread_and_it_is_said(executor: Executor) -> None:
    def answer(prompt: Prompt, _sample: int) -> str:
        return "I cannot say." if "initials('')" in prompt.user else preferring("UNDECIDED")

    report = await put_on_trial(executor, OWN, "initials", answering(answer))
    assert report.verdict.status is Status.AMBIGUOUS
    lines = told(report)
    assert "the docstring on initials(' '), as the model reads it: it does not say" in lines
    assert (
        "the model was asked what the docstring says on initials(''); its reply could not be read"
    ) in lines


def test_a_reply_without_a_verdict_is_asked_for_again_by_a_later_check() -> None:
    specification = specified(OWN)
    usable = usable_for(specification)
    prompt = Questions(specification).preference("initials('')", "one", "other")
    assert usable(prompt, preferring("BOTH"))
    assert not usable(prompt, "I cannot say.")


def test_reports_rest_on_the_version_of_the_question() -> None:
    (subject, _), *_ = worklist(SourceText("names.py", OWN), Tier.STANDARD, ())
    assert dict(subject.prompts)["preference"] == PREFERENCE_VERSION


async def test_nothing_is_asked_about_who_fails_an_example(executor: Executor) -> None:
    shown = DOCSTRING.replace(
        'capitals."""', "capitals.\n\n    >>> initials(' ')\n    ''\n    \"\"\""
    )
    model = answering([])
    report = await put_on_trial(executor, OWN.replace(DOCSTRING, shown), "initials", model)
    assert report.verdict.status is Status.SUSPECT
    assert not asked(model)


async def test_nobody_is_asked_who_would_see_a_part_only(executor: Executor) -> None:
    header = "def squares(count: int) -> list[int]:"
    right = f"{header}\n    return [number * number for number in range(count)]\n"
    wrong = f"{header}\n    return [number * number + (number == 700) for number in range(count)]\n"
    text = wrong.replace(header, f'{header}\n    """The first squares, from 0 on."""')
    model = ScriptedModel(
        {"[candidate]": [fenced(right)], "[inputs]": [fenced("squares(3)\nsquares(1000)")]}
    )
    report = await put_on_trial(executor, text, "squares", model)
    assert report.verdict.status is Status.AMBIGUOUS
    assert not report.settling


def test_the_docstring_is_shown_whole_below_what_it_refers_to() -> None:
    table = "TABLE = (\n" + "".join(f"    {number},\n" for number in range(4000)) + ")\n"
    promise = "It is a dash if there is no word. " + "The name may be of any length. " * 130
    own = OWN.replace("in capitals.", f"in capitals. {promise}").replace('"-"', "str(TABLE)")
    text = f"{table}\n\n{own}"
    questions = Questions(specified(text, "initials"))
    assert questions.shows_promise
    shown = questions.preference("initials('')", "one", "other").user
    assert "characters left out" in shown
    assert "It is a dash if there is no word." in shown
    assert HEADER in shown


class Failing(ScriptedModel):
    """Reads the docstring as the candidates do, but for the questions of these numbers: they
    fail."""

    def __init__(self, failure: ModelError, *failing: int) -> None:
        super().__init__(
            {
                "[candidate]": [fenced(CANDIDATE)],
                "[inputs]": [fenced(INPUTS)],
                "[preference]": Siding(),
            }
        )
        self._failure, self._failing, self._number = failure, failing, -1

    @override
    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        if prompt.name == "preference":
            self._number += 1
            if self._number in self._failing:
                raise self._failure
        return await super().reply(prompt, sample)


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (ModelUnavailable("the endpoint is down"), ProblemKind.MODEL_UNAVAILABLE),
        (ModelUnavailable("no answer within 60 s", sent=True), ProblemKind.MODEL_UNAVAILABLE),
        (BudgetSpent("the budget is spent"), ProblemKind.BUDGET_SPENT),
        (TranscriptMiss("not in the transcript"), ProblemKind.OFFLINE),
    ],
)
async def test_nobody_is_accused_whose_model_fails_meanwhile_and_it_is_said(
    executor: Executor, failure: ModelError, kind: ProblemKind
) -> None:
    report = await put_on_trial(executor, OWN, "initials", Failing(failure, *range(9)))
    assert report.verdict.status is Status.AMBIGUOUS
    assert report.findings[0].severity is Severity.INFORMATION
    (problem,) = report.problems
    assert problem.kind is kind
    assert [(each.readings, each.is_answered) for each in report.settling] == [((None,), False)] * 2
    for text in (told(report), hover_text(report), hover_markdown(report)):
        assert "he model could not be asked what the docstring says on " in text
        assert "can be read" not in text
    # It may be asked the next time, and a CI must not take this for a check that passed.
    assert exit_code([report], ()) == COULD_NOT_RUN


async def test_no_single_lost_reply_costs_a_verdict(executor: Executor) -> None:
    for lost in range(3):
        model = Failing(ModelUnavailable("the endpoint is down"), lost)
        report = await put_on_trial(executor, OWN, "initials", model)
        assert report.verdict.status is Status.SUSPECT
        assert exit_code([report], ()) == FINDINGS


async def test_an_answer_that_is_no_completion_was_asked_for(executor: Executor) -> None:
    report = await put_on_trial(
        executor, OWN, "initials", Failing(ReplyUnusable("no completion", sent=True), *range(9))
    )
    assert report.settling[0].is_answered
    assert (
        "the model was asked what the docstring says on initials(''); its reply could not"
        in told(report)
    )


async def test_nothing_is_asked_about_a_function_that_nobody_accuses(
    executor: Executor,
) -> None:
    model = answering([])
    text = CANDIDATE.replace(HEADER, f"{HEADER}\n{DOCSTRING}")
    report = await put_on_trial(executor, text, "initials", model)
    assert report.verdict.status is Status.TRUSTED
    assert not asked(model)
    assert not report.settling


RANKED = """def middle(numbers: list[int]) -> int:
    \"\"\"The number in the middle; of two, the lower.\"\"\"
    return sorted(numbers)[(len(numbers) - 1) // 2]
"""
MIDDLES = ["middle([3])", "middle([1, 2, 3])", "middle([1, 4, 9, 16])", "middle([2, 4])"]


async def divided(executor: Executor, own: str, reading: str, lower: int = 6) -> Report:
    upper = RANKED.replace("(len(numbers) - 1) // 2", "len(numbers) // 2")
    text = RANKED if own == "lower" else upper
    further = [RANKED if lower > 4 else upper] * 2
    model = scripted([*[RANKED, upper] * 4, *further], MIDDLES, reading)
    return await put_on_trial(executor, text, "middle", model)


@pytest.mark.parametrize("lower", [4, 6])
async def test_where_candidates_divide_the_docstring_accuses(
    executor: Executor, lower: int
) -> None:
    report = await divided(executor, "upper", "SECOND", lower)
    assert report.verdict.status is Status.SUSPECT
    assert report.verdict.confidence == pytest.approx(CONTRADICTED.probability(lower, 10))
    (finding,) = report.findings
    assert finding.severity is Severity.WARNING
    assert finding.message == (
        f"middle([2, 4]): {lower} of 10 candidates return 2, this returns 4, "
        f"as {10 - lower} others do"
    )
    assert [each.behaviour for each in report.replacements] == ["returns 2"]


@pytest.mark.parametrize("lower", [4, 6])
async def test_where_candidates_divide_the_docstring_acquits(
    executor: Executor, lower: int
) -> None:
    report = await divided(executor, "lower", "FIRST", lower)
    assert report.verdict.status is Status.TRUSTED
    assert report.verdict.confidence == pytest.approx(0.55, abs=0.01)
    assert report.findings == ()


@pytest.mark.parametrize("reading", ["UNDECIDED", "BOTH", "I cannot say."])
async def test_where_candidates_divide_and_the_docstring_does_not_say_it_is_ambiguous(
    executor: Executor, reading: str
) -> None:
    report = await divided(executor, "upper", reading)
    assert report.verdict.status is Status.AMBIGUOUS
    assert "6 of 10 candidates return 2, 4 return 4, as this does" in report.findings[0].message
    assert report.settling
    assert "as the model reads it: it does not say" in told(report) or reading != "UNDECIDED"
