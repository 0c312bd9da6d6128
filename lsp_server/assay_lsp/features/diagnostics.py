"""Diagnostics for clients that ask for them, from memory: those of a document, and of all."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types

from assay_lsp.documents import key
from assay_lsp.publishing import SOURCE, Published
from assay_lsp.server import AssayServer


def register(server: AssayServer) -> None:
    options = types.DiagnosticOptions(
        identifier=SOURCE, inter_file_dependencies=True, workspace_diagnostics=True
    )
    server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(diagnostic)
    server.feature(types.WORKSPACE_DIAGNOSTIC)(workspace_diagnostic)


async def diagnostic(
    ls: AssayServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    told = ls.session.publisher.told(params.text_document.uri)
    if told is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    if told.result == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(told.result)
    return types.RelatedFullDocumentDiagnosticReport(told.diagnostics, result_id=told.result)


async def workspace_diagnostic(
    ls: AssayServer, params: types.WorkspaceDiagnosticParams
) -> types.WorkspaceDiagnosticReport:
    """What is known of any document, also of files that are not open, and of what is gone."""
    had = {key(each.uri): each for each in params.previous_result_ids}
    told = {key(each.uri): each for each in ls.session.publisher}
    gone = [
        types.WorkspaceFullDocumentDiagnosticReport(uri=each.uri, items=[], version=None)
        for where, each in had.items()
        if where not in told
    ]
    return types.WorkspaceDiagnosticReport([*gone, *(_report(each, had) for each in told.values())])


def _report(
    told: Published, had: Mapping[str, types.PreviousResultId]
) -> types.WorkspaceDocumentDiagnosticReport:
    before = had.get(key(told.uri))
    if before is not None and before.value == told.result:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(
            uri=told.uri, result_id=told.result, version=told.version
        )
    return types.WorkspaceFullDocumentDiagnosticReport(
        uri=told.uri, items=told.diagnostics, result_id=told.result, version=told.version
    )
