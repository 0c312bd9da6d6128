"""Notebooks: cells are checked with those around them, and each shows what is about it."""

from __future__ import annotations

import pytest
from lsprotocol import types

from support.lsp_editor import Editor, Start

HELPERS = "%matplotlib inline\nTWO = 2\n"
ONE = 'def one(n):\n    """Return one. [differs]"""\n    return 0\n'
OTHER = 'def other(n):\n    """Return two."""\n    return TWO\n'
CODE, PROSE = types.NotebookCellKind.Code, types.NotebookCellKind.Markup


class Notebook:
    """One that is open in an editor, with a cell for each text."""

    def __init__(self, editor: Editor, *texts: str) -> None:
        self.client = editor.client
        self.uri = (editor.folder / "n.ipynb").as_uri()
        self.identifier = types.NotebookDocumentIdentifier(self.uri)
        items = [self.item(number, text) for number, text in enumerate(texts)]
        cells = [types.NotebookCell(CODE, each.uri) for each in items]
        prose = types.NotebookCell(PROSE, self.cell(99))
        document = types.NotebookDocument(self.uri, "jupyter-notebook", 1, [prose, *cells])
        self.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, items))

    def cell(self, number: int) -> str:
        return self.uri.replace("file:", "vscode-notebook-cell:") + f"#W{number}"

    def item(self, number: int, text: str) -> types.TextDocumentItem:
        return types.TextDocumentItem(self.cell(number), "python", 1, text)

    def change(self, changes: types.NotebookDocumentCellChanges) -> None:
        version = types.VersionedNotebookDocumentIdentifier(2, self.uri)
        event = types.NotebookDocumentChangeEvent(cells=changes)
        self.client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(version, event)
        )

    def save(self) -> None:
        self.client.notebook_document_did_save(types.DidSaveNotebookDocumentParams(self.identifier))


def checks(editor: Editor) -> list[str]:
    return [each for each in editor.history() if each.startswith("check ")]


@pytest.fixture
async def editor(start: Start) -> Editor:
    return await start()


async def test_a_save_checks_all_cells_as_one_text_and_each_shows_its_own(editor: Editor) -> None:
    notebook = Notebook(editor, HELPERS, ONE, OTHER)
    notebook.save()
    await editor.until(lambda: editor.codes(notebook.cell(1)) == ["ASY101"], "the finding")
    assert checks(editor) == ["check one,other"]
    assert editor.diagnostics(notebook.cell(1))[0].range.start == types.Position(0, 4)
    await editor.settled()
    assert await editor.lenses(notebook.cell(1)) == ["suspect: one(0) gives 0, candidates 1"]
    assert await editor.lenses(notebook.cell(2)) == ["trusted"]
    assert editor.codes(notebook.cell(2)) == []


async def test_a_function_of_a_cell_is_checked_on_demand(editor: Editor) -> None:
    notebook = Notebook(editor, HELPERS, ONE, OTHER)
    await editor.command("checkFunction", notebook.cell(2), {"line": 0, "character": 5})
    await editor.until(lambda: checks(editor) == ["check other"])
    await editor.until(editor.messages)
    assert editor.messages() == ["Assay: 1 checked: 1 trusted; no requests"]


async def test_cells_come_change_and_go(editor: Editor) -> None:
    notebook = Notebook(editor, ONE)
    added = types.NotebookCellArrayChange(2, 0, [types.NotebookCell(CODE, notebook.cell(7))])
    notebook.change(
        types.NotebookDocumentCellChanges(
            types.NotebookDocumentCellChangeStructure(added, [notebook.item(7, OTHER)])
        )
    )
    notebook.save()
    await editor.until(lambda: checks(editor) == ["check one,other"])
    await editor.until(lambda: editor.codes(notebook.cell(0)) == ["ASY101"])
    text = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(2, notebook.cell(0)),
        [types.TextDocumentContentChangeWholeDocument(f"# above\n{ONE}")],
    )
    notebook.change(types.NotebookDocumentCellChanges(text_content=[text]))
    await editor.until(lambda: editor.diagnostics(notebook.cell(0))[0].range.start.line == 1)
    gone = types.NotebookCellArrayChange(1, 1)
    notebook.change(
        types.NotebookDocumentCellChanges(
            types.NotebookDocumentCellChangeStructure(
                gone, did_close=[types.TextDocumentIdentifier(notebook.cell(0))]
            )
        )
    )
    await editor.until(lambda: editor.codes(notebook.cell(0)) == [])
    notebook.save()
    await editor.until(lambda: checks(editor)[1:] == ["check other"])
