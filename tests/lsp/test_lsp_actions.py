"""Hover and code actions, as each client wants them."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from support.lsp_editor import Editor, Start, applied

TEXT = '''\
x = 1


def one(n):
    """Return one. [differs]"""
    return 0
'''
TITLES = [
    "Replace with the candidate that returns 1",
    "Show the difference to the one that returns 1",
    "It is right: write it into the docstring",
    "Ignore ASY101 for one",
    "Show evidence for one",
    # Apart, so that five stay.
    "Replace with the candidate that returns 2",
    "Show the difference to the one that returns 2",
    "Check one again (from stored replies)",
    "Compare one with the last commit",
    "Check one thoroughly (up to 25 requests)",
]


async def action(editor: Editor, title: str) -> types.CodeAction:
    """The one with this title, with its edit."""
    (found,) = [each for each in await editor.actions(3, 5) if each.title == title]
    if found.edit is None:
        found = await editor.client.code_action_resolve_async(found)
    return found


async def checked(editor: Editor, text: str = TEXT) -> None:
    await editor.open(text)
    await editor.save()
    await editor.until(editor.diagnostics, "diagnostics")


async def test_hover_tells_the_evidence_in_the_clients_format(editor: Editor) -> None:
    await checked(editor)
    hover = await editor.hover(3, 5)
    formats = editor.client.capabilities.text_document.hover.content_format
    assert hover.contents.kind in formats
    assert "one(0)" in hover.contents.value
    assert ("**" in hover.contents.value) == (hover.contents.kind == types.MarkupKind.Markdown)
    assert hover.range == types.Range(types.Position(3, 4), types.Position(3, 7))
    assert await editor.hover(0, 0) is None
    assert await editor.hover(5, 4) is None


async def test_the_quick_fix_replaces_the_function(editor: Editor) -> None:
    await checked(editor)
    actions = await editor.actions(3, 5)
    assert [action.title for action in actions] == TITLES
    fix = actions[0]
    assert (fix.kind, fix.is_preferred) == (types.CodeActionKind.QuickFix, None)
    assert [each.code for each in fix.diagnostics] == ["ASY101"]
    if fix.edit is None:
        fix = await editor.client.code_action_resolve_async(fix)
    (edit,) = editor.text_edits(fix.edit)
    assert (edit.range.start.line, edit.new_text.strip()) == (5, "return 1")


async def test_no_replacement_is_preferred_and_an_unasked_question_is_told(start: Start) -> None:
    editor = await start()
    await checked(editor, TEXT.replace("[differs]", "[differs] [once] [unasked]"))
    actions = await editor.actions(3, 5)
    assert actions[0].title == "Replace with the candidate that returns 1"
    assert not any(getattr(each, "is_preferred", None) for each in actions)
    told = (await editor.hover(3, 5)).contents.value
    assert "he model could not be asked what" in told


async def test_what_cannot_be_compared_is_not_offered_to_be_triangulated(start: Start) -> None:
    editor = await start()
    await editor.open(TEXT.replace("[differs]", "[unsupported]"))
    await editor.command("checkFile", editor.uri)
    await editor.until(editor.diagnostics, "the hint")
    titles = [action.title for action in await editor.actions(3, 5)]
    again = ["Check one again (from stored replies)", "Compare one with the last commit"]
    assert titles == ["Show evidence for one", *again]


async def test_what_is_meant_is_said_in_the_docstring(editor: Editor) -> None:
    await checked(editor)
    say = await action(editor, "It is right: write it into the docstring")
    # VS Code puts what has one first, where Return takes it.
    assert say.diagnostics is None
    said = '[differs]\n\n    >>> one(0)\n    0\n    """'
    assert applied(TEXT, editor.text_edits(say.edit), editor.encoding) == TEXT.replace(
        '[differs]"""', said
    )


async def test_a_finding_is_ignored_by_a_comment(editor: Editor) -> None:
    await checked(editor)
    ignore = await action(editor, "Ignore ASY101 for one")
    edits = editor.text_edits(ignore.edit)
    silent = TEXT.replace("one(n):", "one(n):  # assay: ignore[ASY101]")
    assert applied(TEXT, edits, editor.encoding) == silent
    (edit,) = edits
    at = edit.range.start
    await editor.change(((at.line, at.character, at.line, at.character), edit.new_text))
    await editor.until(lambda: not editor.diagnostics(), "the finding to go")


async def test_an_action_that_has_its_edit_resolves_to_itself(start: Start) -> None:
    editor = await start()
    await checked(editor)
    action = (await editor.actions(3, 5))[0]
    once = await editor.client.code_action_resolve_async(action)
    assert await editor.client.code_action_resolve_async(once) == once
    bare = types.CodeAction("somebody else's")
    assert await editor.client.code_action_resolve_async(bare) == bare


async def test_a_fix_for_a_function_that_has_changed_is_refused(start: Start) -> None:
    editor = await start()
    await checked(editor)
    action = (await editor.actions(3, 5))[0]
    await editor.change(((5, 11, 5, 12), "5"))
    assert (await editor.client.code_action_resolve_async(action)).edit is None
    await editor.until(editor.messages)
    assert "one has changed since it was checked" in editor.messages()[0]


async def test_a_fix_after_an_edit_elsewhere_lands_where_the_function_is_now(start: Start) -> None:
    editor = await start()
    await checked(editor)
    action = (await editor.actions(3, 5))[0]
    await editor.change(((0, 0, 0, 0), "# one\n# two\n"))
    resolved = await editor.client.code_action_resolve_async(action)
    (edit,) = editor.text_edits(resolved.edit)
    assert edit.range.start.line == 7
    assert resolved.edit.document_changes[0].text_document.version == 2


async def test_only_the_kinds_asked_for_are_offered_and_nothing_elsewhere(start: Start) -> None:
    editor = await start()
    await checked(editor)
    for kind, count in (("quickfix", 5), ("assay", 5), ("source.fixAll", 0), ("", 10)):
        assert len(await editor.actions(3, 5, only=[kind])) == count, kind
    assert await editor.actions(0, 0) == []
    await editor.command("checkFunction", editor.uri, {"line": 3, "character": 4}, True)
    await editor.until(lambda: "check one again" in editor.history())


async def test_generated_code_is_tagged_for_clients_that_know_the_tag(start: Start) -> None:
    tags = types.CodeActionTagOptions(value_set=[types.CodeActionTag.LlmGenerated])
    editor = await start(
        types.ClientCapabilities(
            text_document=types.TextDocumentClientCapabilities(
                code_action=types.CodeActionClientCapabilities(tag_support=tags)
            )
        )
    )
    await checked(editor)
    actions = await editor.actions(3, 5)
    replacements = [action for action in actions if action.title.startswith("Replace")]
    assert [each.tags for each in replacements] == [(types.CodeActionTag.LlmGenerated,)] * 2
    # Such a client can neither resolve nor apply versioned edits: it gets them at once and bare.
    assert actions[0].edit.changes[editor.uri]


async def test_a_fix_that_an_edit_overtakes_is_not_offered_to_who_cannot_resolve_it(
    start: Start,
) -> None:
    editor = await start(types.ClientCapabilities())
    # Takes a while to look through.
    plenty = "".join(f"\n\ndef g{number}(n):\n    return {number}\n" for number in range(1500))
    await checked(editor, TEXT + plenty)
    asked = asyncio.ensure_future(editor.actions(3, 5))
    # By when this is answered, the edits are being looked for.
    await editor.hover(0, 0)
    await editor.change(((0, 0, 0, 0), "# one\n# two\n"))
    assert await asked == []


async def test_evidence_opens_as_a_file_where_that_is_possible(editor: Editor) -> None:
    await checked(editor)
    await editor.command("showEvidence", editor.uri, "one")
    window = editor.client.capabilities.window
    if window and window.show_document and window.show_document.support:
        await editor.until(lambda: editor.client.shown_documents)
        assert "/one-" in editor.client.shown_documents[0].uri
    else:
        await editor.until(editor.messages)
        assert "one(0)" in editor.messages()[0]


async def test_a_client_with_a_place_for_it_is_given_the_page_and_the_text(start: Start) -> None:
    editor = await start()
    await checked(editor)
    page = await editor.command("evidence", editor.uri, "one")
    assert page["title"] == "Evidence for one"
    assert page["html"].startswith("<!DOCTYPE html>")
    changed = await editor.command("difference", editor.uri, "one", 1)
    assert changed["title"] == "one: the candidate that returns 2"
    assert changed["text"] == TEXT.replace("return 0", "return 2")
    assert await editor.command("difference", editor.uri, "one", 2) is None
    assert await editor.command("evidence", editor.uri, "two") is None
    assert [each.split(".")[0] for each in editor.messages()] == [
        "Assay: there is no such replacement",
        "Assay: two has changed since it was checked",
    ]
    await editor.command("showDifference", editor.uri, "one", 0)
    await editor.until(lambda: editor.client.shown_documents)
    assert editor.client.shown_documents[0].uri.endswith(".diff")
