"""Saves what was shown as a test: an edit of another file, which may have to be made first."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from assay_engine.presence import real
from assay_engine.types import Problem, ProblemKind, Report, SourceText
from assay_lsp.convert import Text
from assay_lsp.documents import Document
from assay_lsp.features.fixes import fix
from assay_lsp.placing import Placed
from assay_lsp.session import Session

if TYPE_CHECKING:
    from assay_engine.offering.saving import SavedTest


def saving(document: Document, placed: Placed) -> Iterator[types.CodeAction]:
    """A test for each behaviour that the input tells apart: the user chooses which is right."""
    for number, expectation in enumerate(placed.report.expectations):
        if expectation.body and document.is_file:
            title = f"Save as a test that it {expectation.behaviour}"
            yield fix(title, document, placed, test=number)


async def test_edit(
    session: Session, document: Document, placed: Placed, number: int
) -> types.WorkspaceEdit | Problem:
    """The edit that saves a test. Reading the project's tests takes a while, off this loop."""
    if number not in range(len(placed.report.expectations)):
        return Problem(
            ProblemKind.NO_REPLACEMENT, "There is no such test. Check the function again."
        )
    opened = {real(Path(each.path)): each for each in session.documents if each.is_file}
    root = session.folders.root_of(document.path)
    source = SourceText(document.path, document.text.content, root)
    texts = {path: each.text.content for path, each in opened.items()}
    saved = await asyncio.to_thread(_saved, source, placed.report, number, texts)
    if isinstance(saved, Problem):
        return saved
    client, path = session.client, Path(saved.path)
    there = opened.get(real(path))
    text = Text.of(saved.before or "")
    edits = [
        types.TextEdit(text.range(each.span, client.encoding), each.new_text)
        for each in saved.edits
    ]
    uri, version = (path.as_uri(), None) if there is None else (there.uri, there.version)
    versioned = types.OptionalVersionedTextDocumentIdentifier(uri, version)
    change = types.TextDocumentEdit(versioned, list(edits))
    if saved.before is None:
        if not client.creates_files:
            return Problem(
                ProblemKind.NO_REPLACEMENT,
                f"{path} does not exist, and this editor makes no files for a server. Make an "
                "empty file there, and save the test again.",
            )
        return types.WorkspaceEdit(document_changes=[types.CreateFile(uri), change])
    if not client.versioned_edits:
        return types.WorkspaceEdit(changes={uri: edits})
    return types.WorkspaceEdit(document_changes=[change])


def _saved(
    source: SourceText, report: Report, number: int, opened: Mapping[Path, str]
) -> SavedTest | Problem:
    # Imported here: this imports half the engine, which must not hold up `initialize`.
    from assay_engine.offering.saving import saved_test

    return saved_test(source, report, number, opened)
