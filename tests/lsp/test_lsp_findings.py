"""Findings in the editor: they appear, move with the text, and go with the function's text."""

from __future__ import annotations

import pytest
from lsprotocol import types

from support.lsp_editor import Editor, Start, pointed_at

TEXT = '''\
import os


def one(n):
    """Return one. [differs]"""
    return 0


def two(n):
    """Return two."""
    return 2


def three(n):
    """Return three. [differs]"""
    return 0
'''


async def opened(editor: Editor, text: str = TEXT) -> None:
    await editor.open(text)
    await editor.save()
    await editor.until(editor.diagnostics, "diagnostics")
    await editor.settled()


async def test_a_save_brings_findings_with_all_they_carry(editor: Editor) -> None:
    await opened(editor)
    first, second = editor.diagnostics()
    published = editor.client.capabilities.text_document.publish_diagnostics
    assert (first.source, first.code, first.severity) == (
        "assay",
        "ASY101",
        types.DiagnosticSeverity.Warning,
    )
    assert first.message == "one(0): 9 of 10 candidates return 1, this returns 0"
    assert first.range == types.Range(types.Position(3, 4), types.Position(3, 7))
    assert second.range == types.Range(types.Position(13, 4), types.Position(13, 9))
    assert bool(first.data) == bool(published.data_support)
    assert bool(first.related_information) == bool(published.related_information)
    if first.related_information:
        assert first.related_information[0].location.range.start == types.Position(5, 11)


async def test_findings_move_with_the_text_above_them(editor: Editor) -> None:
    await opened(editor)
    await editor.change(((0, 0, 0, 0), "# a line\n# another\n"))
    await editor.until(lambda: editor.diagnostics()[0].range.start.line == 5)
    assert editor.codes() == ["ASY101", "ASY101"]
    assert [each.range.start.line for each in editor.diagnostics()] == [5, 15]


async def test_an_undo_brings_them_back(start: Start) -> None:
    editor = await start()
    await opened(editor)
    await editor.change(((5, 11, 5, 12), "7"))
    await editor.until(lambda: len(editor.diagnostics()) == 1)
    assert editor.diagnostics()[0].range.start.line == 13
    await editor.change(((5, 11, 5, 12), "0"))
    await editor.until(lambda: len(editor.diagnostics()) == 2)
    assert sum(line.startswith("check ") for line in editor.history()) == 1


async def test_a_change_of_everything_moves_findings_as_well(start: Start) -> None:
    editor = await start()
    await opened(editor)
    await editor.change("# a line\n" + TEXT)
    await editor.until(lambda: [e.range.start.line for e in editor.diagnostics()] == [4, 14])


async def test_a_decorator_above_a_function_is_part_of_it(start: Start) -> None:
    editor = await start()
    await opened(editor)
    await editor.change(((3, 0, 3, 0), "@os.fspath\n"))
    await editor.until(lambda: len(editor.diagnostics()) == 1, "the finding to go")


async def test_typing_elsewhere_publishes_nothing(start: Start) -> None:
    editor = await start()
    await opened(editor)
    seen: list[object] = []
    watch = editor.client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]

    def count(params: types.PublishDiagnosticsParams) -> None:
        seen.append(params)
        watch(params)

    editor.client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = count
    for character in range(5):
        await editor.change(((16, character, 16, character), "#"))
    await editor.settled()
    assert seen == []


async def test_the_version_is_that_of_the_text(start: Start) -> None:
    editor = await start()
    await editor.open(TEXT)
    await editor.change(((0, 0, 0, 0), "\n"))
    published = editor.client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    await editor.save()
    params = await published
    assert params.version == 2


async def test_a_result_for_a_text_that_is_gone_is_discarded(start: Start) -> None:
    editor = await start()
    await editor.open(TEXT)
    await editor.save()
    # In one breath with the save: the check answers for the text before this change.
    await editor.change(((5, 11, 5, 12), "1"))
    await editor.until(editor.diagnostics)
    await editor.settled()
    assert [each.range.start.line for each in editor.diagnostics()] == [13]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_astral_characters_in_and_around_names_are_counted_right(
    start: Start, encoding: str
) -> None:
    encodings = types.GeneralClientCapabilities(position_encodings=[encoding])
    related = types.PublishDiagnosticsClientCapabilities(related_information=True)
    editor = await start(
        types.ClientCapabilities(
            general=encodings,
            text_document=types.TextDocumentClientCapabilities(publish_diagnostics=related),
        )
    )
    text = 'x = "👋🏽"\ndef 𝔣𝔲𝔫(n):\n    """[differs]"""\n    return "👋🏽", n\n'
    await editor.open(text)
    await editor.save()
    await editor.until(editor.diagnostics)
    (found,) = editor.diagnostics()
    assert pointed_at(text, found.range, encoding) == "𝔣𝔲𝔫"
    end = found.related_information[0].location.range
    assert pointed_at(text, types.Range(found.range.start, end.end), encoding).endswith('", n')


@pytest.mark.parametrize("language", ["rust", "plaintext"])
async def test_other_languages_are_left_alone(start: Start, language: str) -> None:
    editor = await start()
    await editor.open(TEXT, language=language)
    await editor.save()
    await editor.settled()
    assert editor.codes() == []
