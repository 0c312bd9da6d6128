"""Code actions: replace by a candidate, show the evidence, triangulate, check again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, cast

from lsprotocol import types

from assay_engine.types import Edit, Problem, ProblemKind, Report
from assay_lsp.documents import Document
from assay_lsp.features import names
from assay_lsp.placing import Placed
from assay_lsp.publishing import SOURCE
from assay_lsp.server import AssayServer
from assay_lsp.session import Session


def register(server: AssayServer) -> None:
    options = types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix], resolve_provider=True
    )
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(code_action)
    server.feature(types.CODE_ACTION_RESOLVE)(resolve)


async def code_action(ls: AssayServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Answered from memory. Clients that cannot resolve an edit later get it at once."""
    session = ls.session
    document = session.documents.spoken_of(params.text_document.uri)
    if document is None or not _wants_quick_fixes(params.context):
        return []
    span = document.text.span(params.range, session.client.encoding)
    actions: list[types.CodeAction] = []
    for placed in session.board.at(document.uri, span):
        attached = [each for each in params.context.diagnostics if _is_about(each, placed)]
        for number in range(len(placed.report.replacements)):
            action = _replacement(session, document, placed, number, attached)
            if session.client.resolves_edits:
                actions.append(action)
                continue
            edit = await _workspace_edit(session, document, placed, number)
            if session.documents.get(document.uri) is not document:
                # Nothing in a bare edit says which text it is for.
                return []
            if not isinstance(edit, Problem):
                action.edit, action.data = edit, None
                actions.append(action)
        actions += _commands(session, document, placed)
    return actions


async def resolve(ls: AssayServer, action: types.CodeAction) -> types.CodeAction:
    """Compute the edit on the text as it is now, or say why there is none any more.

    Helix and Neovim resolve actions that have their edit, too: those are returned as they are.
    """
    session = ls.session
    data = cast("Any", action.data)
    if action.edit is not None or not isinstance(data, Mapping):
        return action
    uri, qualname, digest, number = (
        cast("Mapping[str, Any]", data).get(part) for part in ("uri", "function", "report", "index")
    )
    document = session.documents.get(str(uri))
    placed = session.board.find(str(uri), str(qualname), str(digest))
    if document is None or placed is None or not isinstance(number, int):
        session.notices.warn(f"{qualname} has changed since it was checked. Check it again.")
        return action
    edit = await _workspace_edit(session, document, placed, number)
    if isinstance(edit, Problem):
        session.notices.warn(edit.message)
    elif session.documents.get(str(uri)) is not document:
        session.notices.warn("The text has changed meanwhile. Ask for the fix again.")
    else:
        action.edit = edit
    return action


def _replacement(
    session: Session,
    document: Document,
    placed: Placed,
    number: int,
    diagnostics: list[types.Diagnostic],
) -> types.CodeAction:
    """Never preferred: no editor shall put generated code in a file by itself."""
    tags = [types.CodeActionTag.LlmGenerated] if session.client.knows_generated_tag else None
    return types.CodeAction(
        title=f"Replace with the candidate that {placed.report.replacements[number].behaviour}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=diagnostics or None,
        tags=tags,
        data={
            "uri": document.uri,
            "function": placed.report.qualname,
            "report": placed.report.digest,
            "index": number,
        },
    )


def _commands(session: Session, document: Document, placed: Placed) -> Iterable[types.CodeAction]:
    name = placed.report.qualname
    start = document.text.position(placed.name_span.start, session.client.encoding)
    position = {"line": start.line, "character": start.character}
    for title, command, arguments in (
        (f"Show evidence for {name}", names.SHOW_EVIDENCE, [document.uri, name]),
        (f"Triangulate {name}", names.TRIANGULATE_FUNCTION, [document.uri, position]),
        (f"Check {name} again", names.CHECK_FUNCTION, [document.uri, position, True]),
    ):
        yield types.CodeAction(
            title=title,
            kind=types.CodeActionKind.QuickFix,
            command=types.Command(title, command, arguments=cast("list[Any]", arguments)),
        )


async def _workspace_edit(
    session: Session, document: Document, placed: Placed, number: int
) -> types.WorkspaceEdit | Problem:
    """The edit for one version of the document. Parsing takes a while: not on this loop."""
    text = document.text
    edits = await asyncio.to_thread(_edits, text.content, placed.report, number)
    if isinstance(edits, Problem):
        return edits
    encoding = session.client.encoding
    text_edits = [types.TextEdit(text.range(edit.span, encoding), edit.new_text) for edit in edits]
    if not session.client.versioned_edits:
        return types.WorkspaceEdit(changes={document.uri: text_edits})
    versioned = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(versioned, list(text_edits))]
    )


def _edits(text: str, report: Report, number: int) -> tuple[Edit, ...] | Problem:
    # Brings half the engine with it, which must not hold up `initialize`.
    from assay_engine.offering.replacing import edits_for

    if number not in range(len(report.replacements)):
        return Problem(ProblemKind.NO_REPLACEMENT, "There is no such candidate. Check it again.")
    return edits_for(text, report, number)


def _wants_quick_fixes(context: types.CodeActionContext) -> bool:
    """`only` names kinds, each of which includes those below it; the empty kind includes all."""
    return context.only is None or any(
        kind in ("", types.CodeActionKind.QuickFix) for kind in context.only
    )


def _is_about(diagnostic: types.Diagnostic, placed: Placed) -> bool:
    """Whether a diagnostic that came back from the client is of this report.

    eglot and others drop `data`: then its code and message have to tell.
    """
    if diagnostic.source != SOURCE:
        return False
    data = cast("Any", diagnostic.data)
    if isinstance(data, Mapping):
        return cast("Mapping[str, Any]", data).get("report") == placed.report.digest
    said = {(str(finding.code), finding.message) for _, finding in placed.known.findings}
    return (str(diagnostic.code), diagnostic.message) in said
