"""The reports about each document, their present positions, and what the client sees of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from assay_engine.types import Report, Span
from assay_lsp.documents import Change, Document, key
from assay_lsp.placing import Known, Place, Placed, moved, outline, place
from assay_lsp.publishing import Publisher

# The delay after the last edit: long enough not to parse at every keystroke, short enough to bring
# findings back soon after an undo.
SETTLE_SECONDS = 0.3
# The delay after a report: a file's hundreds of stored reports make one message, not hundreds.
GATHER_SECONDS = 0.05
# Reports kept per document, oldest dropped first; reports on former texts are kept for an undo.
KNOWN_MAX = 2000


class _Page(Struct):
    document: Document
    known: dict[tuple[str, str], Known] = field(default_factory=dict[tuple[str, str], Known])
    placed: tuple[Placed, ...] = ()
    places: tuple[Place, ...] | None = None
    settling: asyncio.Task[None] | None = None

    @property
    def is_settling(self) -> bool:
        return self.settling is not None and not self.settling.done()

    @property
    def unsettled(self) -> bool:
        """Whether a new text has to be parsed: there are reports to place, or a task is placing
        them in the former text, which would then pass for this one."""
        return bool(self.known) or self.is_settling


class Board:
    """Keeps reports beside the text they are about. Touched on the server's loop only.

    An edit at once moves the reports behind it and drops those it touches, by arithmetic. When the
    text has come to rest, it is parsed, off the loop, and every report is placed anew by name and
    digest: reports on text that an undo restored come back, and errors of arithmetic are mended.
    """

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._pages: dict[str, _Page] = {}

    def open(self, document: Document) -> None:
        """Start a page; an existing page of the file on disk keeps its reports."""
        page = self._pages.setdefault(key(document.uri), _Page(document))
        page.document, page.placed, page.places = document, (), None
        if page.unsettled:
            self._settle(page, 0)

    def __iter__(self) -> Iterator[tuple[Document, tuple[Report, ...]]]:
        """The documents of which something is shown, with the reports shown."""
        for page in tuple(self._pages.values()):
            shown = tuple(each.report for each in page.placed if any(each.known.findings))
            if shown:
                yield page.document, shown

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents that have a page, whether or not anything is shown of them."""
        return tuple(page.document for page in self._pages.values())

    def document(self, uri: str) -> Document | None:
        """The document as its page has it; None if there is no page."""
        page = self._pages.get(key(uri))
        return None if page is None else page.document

    def change(self, document: Document, changes: Iterable[Change]) -> None:
        page = self._pages.get(key(document.uri))
        if page is None:
            return
        page.document, page.places = document, None
        for change in changes:
            page.placed = moved(page.placed, change)
        self._publisher.publish(document, page.placed)
        if page.unsettled:
            self._settle(page, SETTLE_SECONDS)

    def learn(self, uri: str, reports: Iterable[Report], *, demanded: bool) -> None:
        """Take in reports. Reports that no longer fit the text are never shown."""
        page = self._pages.get(key(uri))
        if page is None:
            return
        for report in reports:
            identity = report.qualname, report.text_digest
            before = page.known.pop(identity, None)
            # A report that was demanded once stays so until the function changes.
            page.known[identity] = Known(report, demanded or bool(before and before.demanded))
        while len(page.known) > KNOWN_MAX:
            del page.known[next(iter(page.known))]
        if not page.is_settling:
            self._settle(page, GATHER_SECONDS)

    def forget(self, uri: str, reports: Iterable[Report]) -> None:
        """Take back reports, except for those that others have replaced."""
        page = self._pages.get(key(uri))
        if page is None:
            return
        for report in reports:
            identity = report.qualname, report.text_digest
            known = page.known.get(identity)
            if known is not None and known.report.digest == report.digest:
                del page.known[identity]
        if not page.is_settling:
            self._settle(page, 0)

    def close(self, uri: str) -> None:
        page = self._pages.pop(key(uri), None)
        if page is not None and page.settling is not None:
            page.settling.cancel()
        self._publisher.retract(uri)

    def at(self, uri: str, span: Span) -> tuple[Placed, ...]:
        """The reports whose function's name or findings meet a span, nearest first."""
        page = self._pages.get(key(uri))
        if page is None:
            return ()
        near = [
            (min(_distance(own, span) for own in meeting), number, each)
            for number, each in enumerate(page.placed)
            if (meeting := [own for own in each.spans() if _meets(own, span)])
        ]
        return tuple(each for _, _, each in sorted(near, key=lambda found: found[:2]))

    def find(self, uri: str, qualname: str, digest: str | None = None) -> Placed | None:
        """The present report on a function; with a digest, that very report."""
        page = self._pages.get(key(uri))
        for each in page.placed if page else ():
            if each.report.qualname == qualname and digest in (None, each.report.digest):
                return each
        return None

    def _settle(self, page: _Page, seconds: float) -> None:
        if page.settling is not None:
            page.settling.cancel()
        page.settling = asyncio.create_task(self._place_anew(page, seconds))

    async def _place_anew(self, page: _Page, seconds: float) -> None:
        await asyncio.sleep(seconds)
        # An edit meanwhile cancels this, so the places belong to the text that was parsed.
        page.places = page.places or await asyncio.to_thread(outline, page.document.text.content)
        page.placed = place(page.places, page.known)
        self._publisher.publish(page.document, page.placed)


def _meets(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _distance(own: Span, span: Span) -> int:
    """How much wider a span is than the one pointed at: the narrowest span is the nearest."""
    return (own.end - own.start) - (span.end - span.start)
