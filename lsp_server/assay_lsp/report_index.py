"""The reports about each document, their present positions, and what the client sees of them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from pathlib import PurePath

from msgspec import Struct, field

from assay_engine.messages.at_a_glance import refusal_of
from assay_engine.types import ProblemKind, Report, Span, Status
from assay_lsp.documents import Change, TextDocument, key
from assay_lsp.placing import FunctionPlace, Identity, Known, Placed, moved, outline, place
from assay_lsp.publishing import Publisher

# The delay after the last edit: long enough not to parse at every keystroke, short enough to bring
# findings back soon after an undo.
SETTLE_SECONDS = 0.3
# The delay after a report: a file's hundreds of stored reports make one message, not hundreds.
GATHER_SECONDS = 0.05
# Reports kept per document, oldest dropped first; reports on former texts are kept for an undo.
KNOWN_MAX = 2000


class FunctionRow(Struct, frozen=True):
    """A function, what is known about it, or was before something that it uses has changed,
    whether the user has cancelled its check, and whether they have saved a test of it."""

    place: FunctionPlace
    known: Known | None
    former: Status | None
    was_cancelled: bool
    is_covered: bool


class VerdictCounts(Struct, frozen=True):
    """How many functions have which verdict, and how many could be checked and have none."""

    verdicts: Counter[Status]
    not_checked: int


class _Page(Struct):
    document: TextDocument
    known: dict[Identity, Known] = field(default_factory=dict[Identity, Known])
    # The verdicts of reports that hold no longer, though the function is as it was.
    former: dict[Identity, Status] = field(default_factory=dict[Identity, Status])
    cancelled: set[Identity] = field(default_factory=set[Identity])
    # The functions, at first none; `is_parsed` if they are those of the present text.
    places: tuple[FunctionPlace, ...] = ()
    is_parsed: bool = False
    settling: asyncio.Task[None] | None = None

    @property
    def is_settling(self) -> bool:
        return self.settling is not None and not self.settling.done()

    @property
    def has_lost(self) -> bool:
        """Whether there are functions of which a report held until something else changed."""
        return any(each.identity in self.former for each in self.places)

    @property
    def placed(self) -> tuple[Placed, ...]:
        return place(self.places, self.known)


class ReportIndex:
    """Keeps reports beside the text they are about. Touched on the server's loop only.

    An edit at once moves the functions behind it, and no report holds for those it touches, by
    arithmetic. When the text has come to rest, it is parsed, off the loop, and every function is
    placed anew: reports on text that an undo restored come back, and errors of arithmetic are
    mended. `changed` is called when anything may be shown otherwise than before.
    """

    def __init__(self, publisher: Publisher, changed: Callable[[], None]) -> None:
        self._publisher = publisher
        self._changed = changed
        self._pages: dict[str, _Page] = {}
        # Documents and functions of which a test was saved, be they closed since or not.
        self._covered: set[tuple[str, str]] = set()

    def open(self, document: TextDocument) -> None:
        """Start a page; an existing page of the file on disk keeps its reports."""
        page = self._pages.setdefault(key(document.uri), _Page(document))
        page.document, page.places, page.is_parsed = document, (), False
        self._settle(page, 0)

    def __iter__(self) -> Iterator[tuple[TextDocument, tuple[Report, ...]]]:
        """The documents of which something is shown, or was until it held no longer, with the
        reports shown."""
        for page in tuple(self._pages.values()):
            # A line says of a function that it is trusted, too.
            shown = tuple(each.report for each in page.placed)
            if shown or page.has_lost:
                yield page.document, shown

    @property
    def documents(self) -> tuple[TextDocument, ...]:
        """The documents that have a page, whether or not anything is shown of them."""
        return tuple(page.document for page in self._pages.values())

    def document(self, uri: str) -> TextDocument | None:
        """The document as its page has it; None if there is no page."""
        page = self._pages.get(key(uri))
        return None if page is None else page.document

    def rows(self, uri: str) -> Iterator[FunctionRow]:
        """Every function of a document about which there is something to say."""
        page = self._pages.get(key(uri))
        is_suite = page is not None and _is_test_file(page.document.path)
        for each in page.places if page else ():
            known = page.known.get(each.identity) if page else None
            # What a comment has ignored is gone.
            if each.is_silenced and not (known and any(known.findings)):
                continue
            # A test says itself what is expected.
            is_test = is_suite and each.qualname.rpartition(".")[2].startswith("test")
            if is_test and not (known and known.report.verdict.status.is_verdict):
                continue
            if each.is_addressed or known is not None:
                yield FunctionRow(
                    each,
                    known,
                    page.former.get(each.identity) if page else None,
                    page is not None and each.identity in page.cancelled,
                    (key(uri), each.qualname) in self._covered,
                )

    def tally(self) -> VerdictCounts:
        """The verdicts on all documents that have a page."""
        rows = [row for page in self._pages.values() for row in self.rows(page.document.uri)]
        return VerdictCounts(
            Counter(row.known.report.verdict.status for row in rows if row.known is not None),
            sum(row.known is None and row.place.can_be_checked for row in rows),
        )

    def refusals(self) -> list[ProblemKind | None]:
        """Why each function that was looked at could not be tried; None for those that could."""
        rows = (row for page in self._pages.values() for row in self.rows(page.document.uri))
        return [refusal_of(row.known.report) for row in rows if row.known is not None]

    def change(self, document: TextDocument, changes: Iterable[Change]) -> None:
        page = self._pages.get(key(document.uri))
        if page is None:
            return
        page.document, page.is_parsed = document, False
        for change in changes:
            page.places = moved(page.places, change)
        self._show(page)
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
            page.former.pop(identity, None)
            page.cancelled.discard(identity)
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
                if report.verdict.status.is_verdict:
                    page.former[identity] = report.verdict.status
        if not page.is_settling:
            self._settle(page, 0)

    def has_lost(self, uri: str) -> bool:
        """See `_Page.has_lost`."""
        page = self._pages.get(key(uri))
        return page is not None and page.has_lost

    def cover(self, uri: str, report: Report) -> None:
        """Note that a test of a function has been saved, which holds for what it will be, too."""
        self._covered.add((key(uri), report.qualname))
        self._changed()

    def cancel(self, uri: str, names: frozenset[str] | None) -> None:
        """Note that the user has cancelled the check of these functions, or of all."""
        page = self._pages.get(key(uri))
        if page is not None:
            page.cancelled |= {
                each.identity
                for each in page.places
                if each.can_be_checked and (names is None or each.qualname in names)
            }
            self._changed()

    def close(self, uri: str) -> None:
        page = self._pages.pop(key(uri), None)
        if page is not None and page.settling is not None:
            page.settling.cancel()
        self._publisher.retract(uri)
        self._changed()

    def at(self, uri: str, span: Span) -> tuple[Placed, ...]:
        """The reports whose function's name or findings meet a span, nearest first."""
        page = self._pages.get(key(uri))
        if page is None:
            return ()
        near: list[tuple[int, int, Placed]] = []
        for number, each in enumerate(page.placed):
            widths = [
                own.end - own.start
                for own in each.spans()
                if own.start <= span.end and span.start <= own.end
            ]
            if widths:
                # The narrowest span is the nearest.
                near.append((min(widths), number, each))
        return tuple(each for _, _, each in sorted(near, key=lambda found: found[:2]))

    def around(self, uri: str, span: Span) -> tuple[Placed, ...]:
        """The reports of `at`, and then those with findings on functions that a span is in, the
        innermost first."""
        page, near = self._pages.get(key(uri)), self.at(uri, span)
        wider = [
            each
            for each in (page.placed if page else ())
            if each not in near
            and any(each.known.findings)
            and each.span.start <= span.start
            and span.end <= each.span.end
        ]
        return (*near, *sorted(wider, key=lambda each: each.span.end - each.span.start))

    def find(self, uri: str, qualname: str, digest: str | None = None) -> Placed | None:
        """The present report on a function; with a digest, that very report."""
        page = self._pages.get(key(uri))
        for each in page.placed if page else ():
            if each.report.qualname == qualname and digest in (None, each.report.digest):
                return each
        return None

    def former(self, uri: str, digest: str) -> Report | None:
        """A report that was shown of a document, whether or not its function is still the same."""
        page = self._pages.get(key(uri))
        reports = (known.report for known in page.known.values()) if page else ()
        return next((report for report in reports if report.digest == digest), None)

    def _settle(self, page: _Page, seconds: float) -> None:
        if page.settling is not None:
            page.settling.cancel()
        page.settling = asyncio.create_task(self._place_anew(page, seconds))

    async def _place_anew(self, page: _Page, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if not page.is_parsed and page.document.is_python:
            # An edit meanwhile cancels this, so the places belong to the text that was parsed.
            page.places = await asyncio.to_thread(outline, page.document.text.content)
            page.is_parsed = True
        self._show(page)

    def _show(self, page: _Page) -> None:
        self._publisher.publish(page.document, page.placed)
        self._changed()


def _is_test_file(path: str) -> bool:
    """Whether pytest would look for tests in a file, as far as nobody has named others."""
    name = PurePath(path).name
    return name == "conftest.py" or fnmatch(name, "test_*.py") or fnmatch(name, "*_test.py")
