"""Notebooks: their cells are shown one by one, and checked as the one text that they make."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay_lsp.convert import Text
from assay_lsp.documents import Document, Documents, key

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

    def cells(self, uri: str) -> tuple[Document, ...]:
        """The Python cells of a notebook; none if it is not one that is open."""
        found = map(self._documents.get, self._cells.get(key(uri), ()))
        return tuple(each for each in found if each is not None and each.is_python)

    def whole(self, uri: str) -> Document:
        """The text that the Python cells of a notebook make, as a document."""
        texts = [_COMMAND.sub("#", each.text.content) for each in self.cells(uri)]
        return Document(uri, "python", None, Text.of("\n".join(texts)))

    def checked_with(self, document: Document) -> Document:
        """The document that is checked for this one: the notebook's, if it is a cell."""
        return document if document.notebook is None else self.whole(document.notebook)

    def shown_in(self, uri: str) -> tuple[str, ...]:
        """The documents in which reports on a checked one are shown."""
        if key(uri) not in self._cells:
            return (uri,)
        return tuple(each.uri for each in self.cells(uri))
