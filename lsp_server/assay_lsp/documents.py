"""The texts that the editor has open, as it last sent them, version by version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from lsprotocol import types
from msgspec import Struct
from msgspec.structs import replace

from assay_engine.types import Edit
from assay_lsp.convert import Encoding, Text, difference
from assay_lsp.paths import is_path, without_localhost, written_path


class Document(Struct, frozen=True):
    """One version of one text, which a handler can keep across an `await`.

    `uri` is spelled as the client spells it. `version` is None for a file that is not open.
    `notebook` is the URI of the notebook that it is a cell of.
    """

    uri: str
    language: str
    version: int | None
    text: Text
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
    def of(edit: Edit, after: Text) -> Change:
        return Change(edit, after.starts_line(edit.span.start + len(edit.new_text)))


class Documents:
    """The open documents. Touched on the server's loop only; what it hands out is frozen."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self._lost: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        """The document that the client mentioned last comes last."""
        return iter(tuple(self._open.values()))

    def get(self, uri: str) -> Document | None:
        return self._open.get(key(uri))

    def spoken_of(self, uri: str) -> Document | None:
        """As `get`, for a document that the client mentions."""
        document = self._open.pop(key(uri), None)
        if document is not None:
            self._open[key(uri)] = document
        return document

    def open(self, item: types.TextDocumentItem, notebook: str | None = None) -> Document:
        text = Text.of(item.text)
        document = Document(item.uri, item.language_id, item.version, text, notebook)
        self._lost.pop(key(item.uri), None)
        self._open[key(item.uri)] = document
        return document

    def change(
        self,
        identifier: types.VersionedTextDocumentIdentifier,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> tuple[Document, tuple[Change, ...]] | None:
        """Apply changes, each to the result of the one before; return the document and its edits.

        None if the document is not open, or if it is lost and not sent anew as a whole.
        """
        document = self.spoken_of(identifier.uri)
        if document is None and any(map(_is_whole, changes)):
            document = self._lost.pop(key(identifier.uri), None)
        if document is None:
            return None
        text = document.text
        done: list[Change] = []
        for change in changes:
            edit = _edit(text, change, encoding)
            text = text.edited(edit)
            done.append(Change.of(edit, text))
        document = replace(document, version=identifier.version, text=text)
        self._open[key(identifier.uri)] = document
        return document, tuple(done)

    def lose(self, document: Document) -> None:
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


def _is_whole(change: types.TextDocumentContentChangeEvent) -> bool:
    return not isinstance(change, types.TextDocumentContentChangePartial)


def _edit(text: Text, change: types.TextDocumentContentChangeEvent, encoding: Encoding) -> Edit:
    """A change as an edit; a change of everything as the smallest edit that does the same."""
    if isinstance(change, types.TextDocumentContentChangePartial):
        return text.change(change.range, change.text, encoding)
    return difference(text.content, change.text)
