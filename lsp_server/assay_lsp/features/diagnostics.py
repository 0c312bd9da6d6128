"""Diagnostics for clients that ask for them, from memory: those of a document, and of all."""

from __future__ import annotations

from lsprotocol import types

from assay_lsp.documents import key
from assay_lsp.publishing import SOURCE
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
    reports: list[types.WorkspaceDocumentDiagnosticReport] = [*gone]
    for where, each in told.items():
        if where in had and had[where].value == each.result:
            unchanged = types.WorkspaceUnchangedDocumentDiagnosticReport
            reports.append(unchanged(uri=each.uri, result_id=each.result, version=each.version))
        else:
            full = types.WorkspaceFullDocumentDiagnosticReport(
                uri=each.uri,
                items=each.diagnostics,
                result_id=each.result,
                version=each.version,
            )
            reports.append(full)
    return types.WorkspaceDiagnosticReport(reports)
