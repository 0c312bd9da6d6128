"""`assay/status`: where the server stands, told to clients that want to know."""

from __future__ import annotations

from collections import Counter

import pytest
from lsprotocol import types

from assay_engine.models import Day
from assay_engine.status import Supplied
from assay_engine.types import ProblemKind, Status
from assay_lsp.report_index import VerdictCounts
from assay_lsp.standing import standing
from support.lsp_editor import Editor, Start

WANTED = types.ClientCapabilities(experimental={"assay": {"status": True}})
TEXT = '''\
def one(n):
    """Return one. [differs]"""
    return 0


def two(n):
    """Return two."""
    return 2
'''
UNTRUSTED = "not trusted, so nothing is run or sent"
FOUND = "http://127.0.0.1:8/v1"


async def until(editor: Editor, state: str, **members: object) -> dict[str, object]:
    def told() -> bool:
        last = editor.statuses()[-1:] or [{}]
        return {"state": state, **members}.items() <= last[0].items()

    await editor.until(told, f"{state}; told {editor.statuses()[-1:]}")
    return editor.statuses()[-1]


async def test_it_tells_what_was_found_and_spent(start: Start) -> None:
    editor = await start(WANTED)
    await editor.open(TEXT)
    await until(editor, "idle", message="nothing checked")
    await editor.save()
    found = await until(editor, "idle", message="1 suspect")
    assert found["counts"] == {
        "trusted": 1,
        "suspect": 1,
        "ambiguous": 0,
        "abstained": 0,
        "unsupported": 0,
        "notChecked": 0,
    }
    assert found["spent"] == {
        "requests": 7,
        "tokens": 900,
        "tokensPerDay": 1000,
        "price": "0.02 USD",
    }
    assert (found["model"], found["host"]) == ("scripted", "127.0.0.1:9")
    assert (await editor.command("status"))["status"] == found


async def test_it_counts_the_seconds_of_a_check(start: Start) -> None:
    editor = await start(WANTED)
    await editor.open(TEXT.replace("[differs]", "[slow]"))
    await editor.save()
    await editor.until(
        lambda: editor.statuses() and (editor.statuses()[-1]["checking"] or {}).get("seconds"),
        "a second",
    )
    found = editor.statuses()[-1]
    assert found["state"] == "checking"
    seconds = found["checking"]["seconds"]
    assert found["checking"] == {"done": 0, "total": 2, "seconds": seconds}
    assert found["message"] == f"checking 0 of 2 ({seconds} s)"
    await editor.command("cancelAll")
    await until(editor, "idle", checking=None)


async def test_the_question_of_consent_can_be_found_again(start: Start) -> None:
    editor = await start(WANTED, environment={"ASSAY_TEST_SERVERS": f"Ollama={FOUND}"})
    await editor.open(TEXT)
    await until(editor, "askingConsent")
    await editor.save()
    await editor.until(lambda: len(getattr(editor.client, "questions", [])) == 1, "the question")
    editor.client.answer = "Yes"
    await editor.command("askConsent")
    await editor.until(lambda: f"consent {FOUND} True" in editor.history())
    assert "use Ollama at 127.0.0.1:8 (found-model)" in editor.client.questions[-1]
    await until(editor, "idle")


async def test_all_that_waited_for_consent_is_checked(start: Start) -> None:
    editor = await start(WANTED, environment={"ASSAY_TEST_SERVERS": f"Ollama={FOUND}"})
    uri = await editor.open(
        TEXT.replace("[differs]", "[no-consent]").replace("two.", "two. [no-consent]")
    )
    for line in (0, 5):
        await editor.command("checkFunction", uri, {"line": line, "character": 5})
        await editor.settled()
    editor.client.answer = "Yes"
    await editor.command("askConsent")
    await editor.until(lambda: "check one,two" in editor.history(), "both")


@pytest.mark.parametrize("wanted", [True, False])
async def test_an_outcome_is_no_message_where_there_is_a_place_for_it(
    start: Start, wanted: bool
) -> None:
    own = {"status": True, "outcomes": wanted}
    editor = await start(types.ClientCapabilities(experimental={"assay": own}))
    uri = await editor.open(TEXT)
    await editor.command("checkFile", uri)
    said = "2 checked: 1 trusted, 1 suspect; no requests"
    expected = ([said], []) if wanted else ([], [f"Assay: {said}"])
    await editor.until(lambda: (editor.outcomes(), editor.messages()) == expected)


@pytest.mark.parametrize(
    ("word", "options", "state", "message"),
    [
        ("no-model", {}, "problem", "No model. Set ASSAY_BASE_URL."),
        ("", {"trusted": False}, "restricted", f"this workspace is {UNTRUSTED}"),
    ],
)
async def test_it_tells_what_keeps_checks_away(
    start: Start, word: str, options: dict[str, object], state: str, message: str
) -> None:
    editor = await start(WANTED, options=options)
    await editor.open(TEXT.replace("[differs]", f"[{word}]"))
    await editor.save()
    await until(editor, state, message=message)


@pytest.mark.parametrize(("waits", "state"), [(True, "askingConsent"), (False, "noModel")])
def test_what_is_missing_is_told_before_the_problem_of_a_check_without_it(
    waits: bool, state: str
) -> None:
    supplied = Supplied("m" if waits else None, "127.0.0.1:9", waits, None, Day(0, 0), 1000)
    tally = VerdictCounts(Counter(), 1)
    found = standing(
        may_run=True,
        advance=None,
        problem="No model.",
        supplied=supplied,
        tally=tally,
        question=None,
    )
    assert found.state == state


@pytest.mark.parametrize(
    ("verdicts", "message"),
    [
        ({Status.SUSPECT: 1, Status.TRUSTED: 2}, "1 suspect"),
        ({Status.AMBIGUOUS: 1, Status.TRUSTED: 2}, "1 ambiguous"),
        ({Status.TRUSTED: 1, Status.ABSTAINED: 1}, "1 trusted, 1 abstained"),
        ({Status.UNSUPPORTED: 3}, "nothing checked"),
    ],
)
def test_it_sums_up_in_a_few_words(verdicts: dict[Status, int], message: str) -> None:
    tally = VerdictCounts(Counter(verdicts), 0)
    found = standing(
        may_run=True, advance=None, problem=None, supplied=None, tally=tally, question=None
    )
    assert found.message == message


@pytest.mark.parametrize(
    ("refusals", "reach"),
    [
        ([None, ProblemKind.NO_DOCSTRING], None),
        (
            [None, ProblemKind.NO_DOCSTRING, ProblemKind.MISSING_IMPORT],
            "1 of 2 documented functions can be checked here; 1 import what is not installed",
        ),
    ],
)
def test_it_tells_how_many_can_be_tried_where_some_cannot(
    refusals: list[ProblemKind | None], reach: str | None
) -> None:
    tally = VerdictCounts(Counter(), 0)
    found = standing(
        may_run=True,
        advance=None,
        problem=None,
        supplied=None,
        tally=tally,
        refusals=refusals,
        question=None,
    )
    assert found.reach == reach
