"""Reads texts of files that no editor has open."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from assay_engine.reading.files import UnreadableFile, read_file
from assay_lsp.convert import Text
from assay_lsp.documents import Document
from assay_lsp.paths import path_of


def read_document(uri: str) -> Document:
    """The file of a URI as a document without a version. Raises `UnreadableFile`."""
    path = path_of(uri)
    if path is None:
        raise UnreadableFile(f"{unquote(uri)} is not a file on this machine.")
    return Document(uri, "python", None, Text.of(_text(Path(path))))


def read_text(path: Path) -> str | None:
    """A Python file's text with its own line endings and, as in an editor, without a BOM; None if
    it is no readable Python text."""
    try:
        return _text(path)
    except UnreadableFile:
        return None


def _text(path: Path) -> str:
    return read_file(path).text.removeprefix("\ufeff")
