"""Texts of files that no editor has open."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

from pygls.uris import to_fs_path

from assay_lsp.convert import Text
from assay_lsp.documents import Document

# Generated tables grow beyond this; functions that somebody reads do not.
MAX_FILE_BYTES = 2 << 20


def read_document(uri: str) -> Document | None:
    """The file of a URI as a document without a version; None if it is no readable Python text."""
    path = to_fs_path(uri)
    text = read_text(Path(path)) if path else None
    return None if text is None else Document(uri, "python", None, Text.of(text))


def read_text(path: Path) -> str | None:
    """A Python file's text with its own line endings and, as in an editor, without a BOM."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            return None
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding)
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError):
        return None
