"""Before a function is accused, a model is asked what its docstring says of the difference."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay_engine.cli.text import report_lines
from assay_engine.errors import ModelUnavailable
from assay_engine.running.laboratory import Laboratory
from assay_engine.saying.hover import hover_markdown
from assay_engine.types import (
    Code,
    ProblemKind,
    Prompt,
    Reading,
    Reply,
    Report,
    Severity,
    Status,
)
from support.scripted_model import Answers, ScriptedModel, fenced, preferring
from support.trials import open_laboratory, put_on_trial

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


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    with open_laboratory() as opened:
        yield opened


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


@pytest.mark.parametrize(
    "words", [("UNDECIDED", "UNDECIDED"), ("BOTH", "BOTH"), ("FIRST", "SECOND")]
)
async def test_what_the_docstring_leaves_open_accuses_nobody(
    laboratory: Laboratory, words: tuple[str, str]
) -> None:
    def answer(prompt: Prompt, _sample: int) -> str:
        own, theirs = (prompt.user.index(f"returned: {each!r}") for each in ("-", ""))
        return preferring(words[own > theirs])

    report = await put_on_trial(laboratory, OWN, "initials", answering(answer))
    assert report.verdict.status is Status.AMBIGUOUS
    assert report.verdict.confidence is None
    (finding,) = report.findings
    assert (finding.code, finding.severity) == (Code.AMBIGUOUS, Severity.INFORMATION)
    assert finding.message == (
        "initials(''): all 10 candidates return '', this returns '-'; "
        "asked, the model finds nothing in the docstring against it"
    )
    assert [each.call for each in report.settling] == ["initials('')", "initials(' ')"]
    assert all(len(each.readings) == 2 for each in report.settling)
    assert report.replacements


async def test_what_the_docstring_says_accuses_with_the_reason(laboratory: Laboratory) -> None:
    model = answering([preferring("SECOND")])
    report = await put_on_trial(laboratory, OWN, "initials", model)
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.severity is Severity.WARNING
    (settling,) = report.settling
    assert settling.readings == (Reading.THEIRS,)
    line = "as the model reads it: the candidates are right"
    assert f'{line}: "The docstring says so."' in told(report)
    assert f"{line}: `The docstring says so.`" in hover_markdown(report)
    (prompt,) = asked(model)
    assert "'-'" in prompt.user
    assert 'or "-"' not in prompt.user


async def test_an_input_that_the_docstring_settles_is_shown_in_place_of_one_that_it_does_not(
    laboratory: Laboratory,
) -> None:
    def answer(prompt: Prompt, _sample: int) -> str:
        return preferring("SECOND" if "lovelace" in prompt.user else "UNDECIDED")

    report = await put_on_trial(laboratory, WRONG, "initials", answering(answer))
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
async def test_nobody_is_acquitted_by_less(laboratory: Laboratory, preferences: list[str]) -> None:
    report = await put_on_trial(laboratory, OWN, "initials", answering(preferences))
    assert report.verdict.status is Status.SUSPECT
    assert report.verdict.confidence == pytest.approx(0.9, abs=0.01)


async def test_whose_model_fails_meanwhile_is_accused_and_it_is_said(
    laboratory: Laboratory,
) -> None:
    class Failing(ScriptedModel):
        async def reply(self, prompt: Prompt, sample: int) -> Reply:
            if prompt.name == "preference":
                raise ModelUnavailable("the endpoint is down")
            return await super().reply(prompt, sample)

    model = Failing({"[candidate]": [fenced(CANDIDATE)], "[inputs]": [fenced(INPUTS)]})
    report = await put_on_trial(laboratory, OWN, "initials", model)
    assert report.verdict.status is Status.SUSPECT
    (problem,) = report.problems
    assert problem.kind is ProblemKind.MODEL_UNAVAILABLE
    assert "as the model reads it" not in told(report)


async def test_nothing_is_asked_about_a_function_that_nobody_accuses(
    laboratory: Laboratory,
) -> None:
    model = answering([])
    text = CANDIDATE.replace(HEADER, f"{HEADER}\n{DOCSTRING}")
    report = await put_on_trial(laboratory, text, "initials", model)
    assert report.verdict.status is Status.TRUSTED
    assert not asked(model)
    assert not report.settling
