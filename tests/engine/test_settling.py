"""Before a function is accused, a model is asked what its docstring says of the difference."""

from __future__ import annotations

import pytest
from typing_extensions import override

from assay_engine.check.model_sources import usable_for
from assay_engine.check.worklist import worklist
from assay_engine.cli.text import report_lines
from assay_engine.errors import (
    BudgetSpent,
    ModelError,
    ModelUnavailable,
    ReplyUnusable,
    TranscriptMiss,
)
from assay_engine.executor.executor import Executor
from assay_engine.judge.prompting import VERSIONS, Questions
from assay_engine.judge.values import JudgeSettings
from assay_engine.messages.hover import hover_markdown, hover_text
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
from support.scripted_model import Answers, ScriptedModel, fenced, preferring
from support.specifying import specified
from support.trials import put_on_trial

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
    model = answering([preferring("SECOND")])
    report = await put_on_trial(executor, OWN, "initials", model)
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.severity is Severity.WARNING
    (settling,) = report.settling
    assert settling.readings == (Reading.THEIRS,)
    line = "the docstring, as the model reads it"
    assert f'{line}: "The docstring says so."' in told(report)
    assert f"{line}: `The docstring says so.`" in hover_markdown(report).replace(
        "The d", "the d", 1
    )
    assert "inputs count" not in hover_markdown(report)
    assert "inputs count" in page_text(report)
    (prompt,) = asked(model)
    assert "'-'" in prompt.user
    assert 'or "-"' not in prompt.user


async def test_an_input_that_the_docstring_settles_is_shown_in_place_of_one_that_it_does_not(
    executor: Executor,
) -> None:
    def answer(prompt: Prompt, _sample: int) -> str:
        return preferring("SECOND" if "lovelace" in prompt.user else "UNDECIDED")

    report = await put_on_trial(executor, WRONG, "initials", answering(answer))
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.message == (
        "initials('ada lovelace'): all 10 candidates return 'AL', this returns 'A'"
    )
    assert [each.readings for each in report.settling] == [
        (Reading.OPEN, Reading.OPEN),
        (Reading.THEIRS,),
    ]


@pytest.mark.parametrize(
    "preferences",
    [
        ["I cannot say.\n"],
        [preferring("NEITHER")],
        # The second of the two, whichever that is.
        [preferring("FIRST")],
    ],
    ids=["no verdict", "neither", "by the order alone"],
)
async def test_nobody_is_acquitted_by_less(executor: Executor, preferences: list[str]) -> None:
    report = await put_on_trial(executor, OWN, "initials", answering(preferences))
    assert report.verdict.status is Status.SUSPECT
    assert report.verdict.confidence == pytest.approx(0.9, abs=0.01)


async def test_what_the_docstring_does_not_promise_either_is_not_offered(
    executor: Executor,
) -> None:
    neither = await put_on_trial(executor, OWN, "initials", answering([preferring("NEITHER")]))
    assert neither.verdict.status is Status.SUSPECT
    assert neither.replacements == ()
    theirs = await put_on_trial(executor, OWN, "initials", answering([preferring("SECOND")]))
    assert len(theirs.replacements) == 1


async def test_it_is_said_whose_outcome_a_reason_calls_the_first(executor: Executor) -> None:
    for word, order in (
        ("NEITHER", "(first: this function; second: the candidates)"),
        # Asked again, the other way round.
        ("FIRST", "(first: the candidates; second: this function)"),
    ):
        reply = f"REASON: Only the second is documented.\nVERDICT: {word}"
        report = await put_on_trial(executor, OWN, "initials", answering([reply]))
        assert f'"Only the second is documented." {order}' in told(report)
        assert f'"Only the second is documented." {order}' in hover_text(report)
        assert report.settling[0].reason == "Only the second is documented."


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
    model = answering([f"REASON: {reason}\nVERDICT: SECOND"])
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
    assert report.verdict.status is Status.SUSPECT
    assert report.findings[0].message.startswith("initials('')")
    lines = told(report)
    assert "the docstring on initials(' '), as the model reads it: it does not say" in lines
    assert (
        "the model was asked what the docstring says on initials(''); its reply could not be read"
    ) in lines


def test_a_reply_without_a_verdict_is_asked_for_again_by_a_later_check() -> None:
    specification = specified(OWN)
    usable = usable_for(specification)
    prompt = Questions(specification, JudgeSettings()).preference("initials('')", "one", "other")
    assert usable(prompt, preferring("BOTH"))
    assert not usable(prompt, "I cannot say.")


def test_reports_rest_on_the_version_of_the_question() -> None:
    (subject, _), *_ = worklist(SourceText("names.py", OWN), Tier.STANDARD, ())
    assert dict(subject.prompts)["preference"] == VERSIONS["preference"]


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
    assert report.verdict.status is Status.SUSPECT
    assert not report.settling


def test_the_docstring_is_shown_whole_below_what_it_refers_to() -> None:
    table = "TABLE = (\n" + "".join(f"    {number},\n" for number in range(4000)) + ")\n"
    promise = "It is a dash if there is no word. " + "The name may be of any length. " * 130
    own = OWN.replace("in capitals.", f"in capitals. {promise}").replace('"-"', "str(TABLE)")
    text = f"{table}\n\n{own}"
    questions = Questions(specified(text, "initials"), JudgeSettings())
    assert questions.shows_promise
    shown = questions.preference("initials('')", "one", "other").user
    assert "characters left out" in shown
    assert "It is a dash if there is no word." in shown
    assert HEADER in shown


class Failing(ScriptedModel):
    """As scripted, but for the question what the docstring says: from the request of a number on,
    that fails."""

    def __init__(self, failure: ModelError, after: int = 0) -> None:
        super().__init__(
            {
                "[candidate]": [fenced(CANDIDATE)],
                "[inputs]": [fenced(INPUTS)],
                "[preference]": [preferring("FIRST")],
            }
        )
        self._failure, self._after = failure, after

    @override
    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        if prompt.name == "preference":
            self._after -= 1
            if self._after < 0:
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
async def test_whose_model_fails_meanwhile_is_accused_and_it_is_said(
    executor: Executor, failure: ModelError, kind: ProblemKind
) -> None:
    report = await put_on_trial(executor, OWN, "initials", Failing(failure))
    assert report.verdict.status is Status.SUSPECT
    (problem,) = report.problems
    assert problem.kind is kind
    (settling,) = report.settling
    assert (settling.readings, settling.is_answered) == ((None,), False)
    said = "he model could not be asked what the docstring says of it, so this rests on the "
    for text in (told(report), hover_text(report), hover_markdown(report)):
        assert f"{said}candidates alone" in text
        assert "can be read" not in text


async def test_an_answer_that_is_no_completion_was_asked_for(executor: Executor) -> None:
    report = await put_on_trial(
        executor, OWN, "initials", Failing(ReplyUnusable("no completion", sent=True))
    )
    assert report.settling[0].is_answered
    assert "the model was asked what the docstring says; its reply could not be read" in told(
        report
    )


async def test_whose_model_fails_when_asked_again_has_what_it_said_first(
    executor: Executor,
) -> None:
    model = Failing(ModelUnavailable("the endpoint is down"), after=1)
    report = await put_on_trial(executor, OWN, "initials", model)
    assert report.settling[0].readings == (Reading.OWN, None)
    assert (
        'as the model reads it: this function is right, then no answer when asked again: "The'
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
