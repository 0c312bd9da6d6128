"""Texts of files that no editor has open."""

from __future__ import annotations

from pathlib import Path

from pygls.uris import to_fs_path

from assay_engine.reading.files import UnreadableFile, read_file
from assay_lsp.convert import Text
from assay_lsp.documents import Document


def read_document(uri: str) -> Document | None:
    """The file of a URI as a document without a version; None if it is no readable Python text."""
    path = to_fs_path(uri)
    text = read_text(Path(path)) if path else None
    return None if text is None else Document(uri, "python", None, Text.of(text))


def read_text(path: Path) -> str | None:
    """A Python file's text with its own line endings and, as in an editor, without a BOM."""
    try:
        return read_file(path).text.removeprefix("\ufeff")
    except UnreadableFile:
        return None
