"""Findings as diagnostics: sent if they differ from those that the client has, or kept for it to
ask for.

Asks the client to ask anew, once for many changes.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from lsprotocol import types
from msgspec import Struct

import assay_engine
from assay_engine.types import Code, Finding, Severity, Span
from assay_lsp.client import Client
from assay_lsp.documents import TextDocument, key
from assay_lsp.lifetime import spawn
from assay_lsp.placing import Placed

SOURCE = "assay"

# Further diagnostics help nobody and slow down editors.
DIAGNOSTICS_MAX = 500

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


_numbers = itertools.count(1)


class Published(Struct, frozen=True):
    """The diagnostics of a document. `result` is another one whenever they are others.

    The URI is as it was spelled then: clients may compare it letter by letter.
    """

    uri: str
    version: int | None
    diagnostics: list[types.Diagnostic]
    result: str


class Publisher:
    """Knows which diagnostics the client has, or may ask for, of each document.

    `send` is for a client that has to be sent them, `due` for one that asks: it then asks anew.
    """

    def __init__(
        self,
        client: Client,
        send: Callable[[types.PublishDiagnosticsParams], None],
        due: Callable[[], None],
    ) -> None:
        self._client = client
        self._send = send
        self._due = due
        self._told: dict[str, Published] = {}

    def publish(self, document: TextDocument, placed: Iterable[Placed]) -> None:
        """Send the client the findings of a document, unless it already has the same."""
        diagnostics = [
            self._diagnostic(document, each, number, finding)
            for each in placed
            for number, finding in each.known.findings
        ][:DIAGNOSTICS_MAX]
        told = self._told.get(key(document.uri))
        if told is not None and told.uri != document.uri:
            self.retract(told.uri)
            told = None
        if diagnostics == (told.diagnostics if told else []):
            return
        version, result = document.version, str(next(_numbers))
        self._told[key(document.uri)] = Published(document.uri, version, diagnostics, result)
        self._tell(document.uri, diagnostics, document.version)

    def retract(self, uri: str) -> None:
        """Take back all diagnostics of a document that is closed or gone."""
        told = self._told.pop(key(uri), None)
        if told is not None and told.diagnostics:
            self._tell(told.uri, [], None)

    def told(self, uri: str) -> Published | None:
        return self._told.get(key(uri))

    def __iter__(self) -> Iterator[Published]:
        return iter(tuple(self._told.values()))

    def _tell(self, uri: str, diagnostics: list[types.Diagnostic], version: int | None) -> None:
        if self._client.pulls_diagnostics:
            self._due()
        else:
            self._send(types.PublishDiagnosticsParams(uri, diagnostics, version))

    def _diagnostic(
        self, document: TextDocument, placed: Placed, number: int, finding: Finding
    ) -> types.Diagnostic:
        data = {"report": placed.report.digest, "finding": number}
        return types.Diagnostic(
            range=self._range(document, placed, finding.span),
            message=finding.message,
            severity=_SEVERITIES[finding.severity],
            code=str(finding.code),
            source=SOURCE,
            code_description=_page_of(finding.code) if self._client.code_descriptions else None,
            related_information=[
                types.DiagnosticRelatedInformation(
                    types.Location(document.uri, self._range(document, placed, related.span)),
                    related.message,
                )
                for related in finding.related
            ]
            if finding.related and self._client.related_information
            else None,
            data=data if self._client.diagnostic_data else None,
        )

    def _range(self, document: TextDocument, placed: Placed, span: Span) -> types.Range:
        return document.text.range(placed.absolute(span), self._client.encoding)


@cache
def _page_of(code: Code) -> types.CodeDescription | None:
    """The page on a code: in the package, or among the documentation beside it in a clone."""
    package = Path(assay_engine.__file__).parent
    for folder in (package / "findings", package.parents[1] / "docs" / "findings"):
        page = folder / f"{code}.md"
        if page.is_file():
            return types.CodeDescription(page.as_uri())
    return None


log = logging.getLogger(__name__)

# The client then asks about every document that it shows.
GATHER_SECONDS = 0.2


class Refreshing:
    """One kind of refresh. Touched on the server's loop only."""

    def __init__(self, ask: Callable[[], Awaitable[object]], *, works: bool) -> None:
        """`works`: the client can be asked."""
        self._works = works
        self._ask = ask
        self._is_due = False

    def due(self) -> None:
        """Something that the client has asked for is another now."""

        async def refresh() -> None:
            await asyncio.sleep(GATHER_SECONDS)
            self._is_due = False
            try:
                await self._ask()
            except Exception as refusal:
                log.info("the client does not refresh: %s", refusal)

        if self._works and not self._is_due:
            self._is_due = True
            spawn(refresh())
