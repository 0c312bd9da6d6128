"""The texts that the editor has open, as it last sent them, version by version, and those of files
that no editor has open.

The cells of a notebook are shown one by one, and checked as the one text that they make.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from lsprotocol import types
from msgspec import Struct
from msgspec.structs import replace

from assay_engine.files.source_files import UnreadableFile, read_file
from assay_engine.types import Edit
from assay_lsp.convert import (
    Encoding,
    PositionedText,
    difference,
    is_path,
    path_of,
    without_localhost,
    written_path,
)


class TextDocument(Struct, frozen=True):
    """One version of one text, which a handler can keep across an `await`.

    `uri` is spelled as the client spells it. `version` is None for a file that is not open.
    `notebook` is the URI of the notebook that it is a cell of.
    """

    uri: str
    language: str
    version: int | None
    text: PositionedText
    notebook: str | None = None

    @property
    def path(self) -> str:
        """Where the text lies on disk; the URI itself if it lies elsewhere, such as `untitled:`."""
        uri = self.notebook or self.uri
        return written_path(uri) or uri

    @property
    def is_file(self) -> bool:
        """Whether it lies on disk, or would: not an ``untitled:`` text or a cell of a notebook."""
        return self.uri.startswith("file:")

    @property
    def is_python(self) -> bool:
        """Whether it is a Python text whose neighbours are known, if it is a cell."""
        alone = self.is_cell and self.notebook is None
        return self.language == "python" and not alone and is_path(self.path)

    @property
    def is_cell(self) -> bool:
        return self.uri.startswith("vscode-notebook-cell:")


class Change(Struct, frozen=True):
    """An edit, and whether the text behind it starts a line afterwards."""

    edit: Edit
    starts_line: bool

    @staticmethod
    def of(edit: Edit, after: PositionedText) -> Change:
        return Change(edit, after.starts_line(edit.span.start + len(edit.new_text)))


class Documents:
    """The open documents. Touched on the server's loop only; what it hands out is frozen."""

    def __init__(self) -> None:
        self._open: dict[str, TextDocument] = {}
        self._lost: dict[str, TextDocument] = {}

    def __iter__(self) -> Iterator[TextDocument]:
        """The document that the client mentioned last comes last."""
        return iter(tuple(self._open.values()))

    def get(self, uri: str) -> TextDocument | None:
        return self._open.get(key(uri))

    def mentioned(self, uri: str) -> TextDocument | None:
        """As `get`, for a document that the client mentions."""
        document = self._open.pop(key(uri), None)
        if document is not None:
            self._open[key(uri)] = document
        return document

    def open(self, item: types.TextDocumentItem, notebook: str | None = None) -> TextDocument:
        text = PositionedText.of(item.text)
        document = TextDocument(item.uri, item.language_id, item.version, text, notebook)
        self._lost.pop(key(item.uri), None)
        self._open[key(item.uri)] = document
        return document

    def change(
        self,
        identifier: types.VersionedTextDocumentIdentifier,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> tuple[TextDocument, tuple[Change, ...]] | None:
        """Apply changes, each to the result of the one before; return the document and its edits.

        None if the document is not open, or if it is lost and not sent anew as a whole.
        """
        document = self.mentioned(identifier.uri)
        part = types.TextDocumentContentChangePartial
        if document is None and not all(isinstance(change, part) for change in changes):
            document = self._lost.pop(key(identifier.uri), None)
        if document is None:
            return None
        text = document.text
        done: list[Change] = []
        for change in changes:
            if isinstance(change, part):
                edit = text.change(change.range, change.text, encoding)
            else:
                # The smallest edit that does the same.
                edit = difference(text.content, change.text)
            text = text.edited(edit)
            done.append(Change.of(edit, text))
        document = replace(document, version=identifier.version, text=text)
        self._open[key(identifier.uri)] = document
        return document, tuple(done)

    def lose(self, document: TextDocument) -> None:
        """Regard the text as unknown until the client sends all of it."""
        self._open.pop(key(document.uri), None)
        self._lost[key(document.uri)] = document

    def close(self, uri: str) -> None:
        self._open.pop(key(uri), None)
        self._lost.pop(key(uri), None)


def key(uri: str) -> str:
    """One spelling for all spellings of a URI: clients differ in escapes and drive letters."""
    plain = without_localhost(unquote(uri))
    drive = plain[len("file:///") : len("file:///") + 2]
    if plain.startswith("file:///") and drive[1:] == ":":
        return f"file:///{drive.lower()}{plain[len('file:///') + 2 :]}"
    return plain


# Commands to the notebook, which are no Python; behind a comment's mark, everything stays in place.
_COMMAND = re.compile(r"^[%!]", re.MULTILINE)


class Notebooks:
    """Which cells a notebook has, in order. Touched on the server's loop only."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._cells: dict[str, list[str]] = {}

    def open(self, uri: str, cells: Iterable[str]) -> None:
        self._cells[key(uri)] = [*cells]

    def splice(self, uri: str, start: int, removed: int, cells: Iterable[str]) -> None:
        """Replace some of the cells of an open notebook."""
        self._cells.setdefault(key(uri), [])[start : start + removed] = cells

    def close(self, uri: str) -> None:
        self._cells.pop(key(uri), None)

    def cells(self, uri: str) -> tuple[TextDocument, ...]:
        """The Python cells of a notebook; none if it is not one that is open."""
        found = map(self._documents.get, self._cells.get(key(uri), ()))
        return tuple(each for each in found if each is not None and each.is_python)

    def whole(self, uri: str) -> TextDocument:
        """The text that the Python cells of a notebook make, as a document."""
        texts = [_COMMAND.sub("#", each.text.content) for each in self.cells(uri)]
        return TextDocument(uri, "python", None, PositionedText.of("\n".join(texts)))

    def checked_with(self, document: TextDocument) -> TextDocument:
        """The document that is checked for this one: the notebook's, if it is a cell."""
        return document if document.notebook is None else self.whole(document.notebook)

    def shown_in(self, uri: str) -> tuple[str, ...]:
        """The documents in which reports on a checked one are shown."""
        if key(uri) not in self._cells:
            return (uri,)
        return tuple(each.uri for each in self.cells(uri))


def read_document(uri: str) -> TextDocument:
    """The file of a URI as a document without a version. Raises `UnreadableFile`."""
    path = path_of(uri)
    if path is None:
        raise UnreadableFile(f"{unquote(uri)} is not a file on this machine.")
    return TextDocument(uri, "python", None, PositionedText.of(_text(Path(path))))


def read_text(path: Path) -> str | None:
    """A Python file's text with its own line endings and, as in an editor, without a BOM; None if
    it is no readable Python text."""
    try:
        return _text(path)
    except UnreadableFile:
        return None


def _text(path: Path) -> str:
    return read_file(path).text.removeprefix("\ufeff")
