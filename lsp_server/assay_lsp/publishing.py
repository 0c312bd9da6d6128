"""Sends findings as diagnostics, if they differ from those that the client has."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsprotocol import types

from assay_engine.types import Finding, Severity, Span
from assay_lsp.client import Client
from assay_lsp.documents import Document, key
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


class Publisher:
    """Knows which diagnostics the client has for each document."""

    def __init__(
        self, client: Client, send: Callable[[types.PublishDiagnosticsParams], None]
    ) -> None:
        self._client = client
        self._send = send
        # With the URI as it was spelled then: clients may compare it letter by letter.
        self._told: dict[str, tuple[str, list[types.Diagnostic]]] = {}

    def publish(self, document: Document, placed: Iterable[Placed]) -> None:
        """Send the client the findings of a document, unless it already has the same."""
        diagnostics = [
            self._diagnostic(document, each, number, finding)
            for each in placed
            for number, finding in each.known.findings
        ][:DIAGNOSTICS_MAX]
        uri, told = self._told.get(key(document.uri), (document.uri, []))
        if uri != document.uri:
            self.retract(uri)
            told = []
        if diagnostics == told:
            return
        self._told[key(document.uri)] = document.uri, diagnostics
        self._send(types.PublishDiagnosticsParams(document.uri, diagnostics, document.version))

    def retract(self, uri: str) -> None:
        """Take back all diagnostics of a document that is closed or gone."""
        spelled, told = self._told.pop(key(uri), (uri, []))
        if told:
            self._send(types.PublishDiagnosticsParams(spelled, []))

    def _diagnostic(
        self, document: Document, placed: Placed, number: int, finding: Finding
    ) -> types.Diagnostic:
        data = {"report": placed.report.digest, "finding": number}
        return types.Diagnostic(
            range=self._range(document, placed, finding.span),
            message=finding.message,
            severity=_SEVERITIES[finding.severity],
            code=str(finding.code),
            source=SOURCE,
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

    def _range(self, document: Document, placed: Placed, span: Span) -> types.Range:
        return document.text.range(placed.absolute(span), self._client.encoding)
