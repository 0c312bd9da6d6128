"""What a save checks, what a check may cost, and what is said when it is done."""

from __future__ import annotations

import asyncio

import pytest

from support.lsp_editor import Editor, Start


def text_of(functions: int, words: str = "") -> str:
    return "".join(
        f'def f{number}(n):\n    """Return {number}. {words}"""\n    return {number}\n\n\n'
        for number in range(functions)
    )


def questions(editor: Editor) -> list[str]:
    return getattr(editor.client, "questions", [])


def checks(editor: Editor) -> list[str]:
    return [each for each in editor.history() if each.startswith("check ")]


async def test_a_save_of_what_is_committed_checks_nothing(start: Start) -> None:
    editor = await start()
    await editor.open(text_of(30, "[committed]"))
    await editor.save()
    await editor.settled()
    assert (checks(editor), questions(editor), editor.messages()) == ([], [], [])
    one = text_of(30, "[committed]").replace("Return 7. [committed]", "Return seven.")
    await editor.change(one)
    await editor.save()
    await editor.until(lambda: checks(editor) == ["check f7"], "a check of what has changed")
    await editor.settled()
    # Nobody asked for it, so nothing is said of it.
    assert editor.messages() == []


async def test_a_save_checks_everything_only_if_that_is_wanted(start: Start) -> None:
    editor = await start(options={"trigger": "save"})
    await editor.open(text_of(2, "[committed]"))
    await editor.save()
    await editor.until(lambda: checks(editor) == ["check f0,f1"])


@pytest.mark.parametrize("answer", ["Check", "Not now", None])
async def test_a_check_that_would_send_much_asks_first(start: Start, answer: str | None) -> None:
    editor = await start()
    editor.client.answer = answer
    text = text_of(9)
    await editor.open(text)
    await editor.save()
    await editor.until(lambda: questions(editor), "the question")
    (question,) = questions(editor)
    assert "check 9 functions of module.py?" in question
    assert "45 requests to scripted at 127.0.0.1:9" in question
    if answer == "Check":
        await editor.until(lambda: checks(editor) == ["check f0,f1,f2,f3,f4,f5,f6,f7,f8"])
        await editor.until(editor.messages, "what it came to")
        assert editor.messages() == ["Assay: 9 checked: 9 trusted; no requests"]
        return
    await editor.settled()
    await editor.save()
    await editor.settled()
    assert checks(editor) == []
    # The rest is not asked about again, and what has changed since is checked.
    await editor.change(text.replace("Return 3.", "Return three."))
    await editor.save()
    await editor.until(lambda: checks(editor) == ["check f3"])
    assert len(questions(editor)) == 1


async def test_an_unanswered_question_keeps_no_other_check_away(start: Start) -> None:
    editor = await start()
    editor.client.waits, editor.client.answer = asyncio.Event(), "Check"
    for name in ("a", "b", "c"):
        uri = (editor.folder / f"{name}.py").as_uri()
        await editor.open(text_of(9), uri)
        await editor.save(uri)
    await editor.until(lambda: len(questions(editor)) == 3)
    await editor.open(text_of(1))
    await editor.save()
    await editor.until(lambda: checks(editor) == ["check f0"])
    # Another save of the same file asks nothing more: the answer is for the newest text.
    uri = (editor.folder / "a.py").as_uri()
    await editor.change(text_of(10), uri=uri)
    await editor.save(uri)
    await editor.settled()
    assert len(questions(editor)) == 3
    editor.client.waits.set()
    await editor.until(lambda: "check f0,f1,f2,f3,f4,f5,f6,f7,f8" in checks(editor))


async def test_the_bound_is_a_setting_and_what_was_told_is_not_asked(start: Start) -> None:
    editor = await start(options={"askAbove": 20})
    editor.client.answer = "Not now"
    await editor.open(text_of(4))
    position = {"line": 0, "character": 4}
    await editor.command("triangulateFunction", editor.uri, position, "f0")
    await editor.until(lambda: len(questions(editor)) == 1, "the question")
    await editor.command("triangulateFunction", editor.uri, position, "f0", 25)
    await editor.until(lambda: checks(editor) == ["check f0 thorough"])
    await editor.change(text_of(4, "Anew."))
    await editor.command("checkFile", editor.uri)
    await editor.until(lambda: checks(editor)[1:] == ["check f0,f1,f2,f3"], "twenty requests")
    assert len(questions(editor)) == 1
