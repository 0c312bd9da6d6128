"""Code actions: replace by a candidate, show the evidence, triangulate, check again, ignore."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, cast

from lsprotocol import types

from assay_engine.types import Code, Edit, Problem, ProblemKind, Report
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
        replacing = [
            _replacement(session, document, placed, number, attached)
            for number in range(len(placed.report.replacements))
        ]
        codes = dict.fromkeys(finding.code for _, finding in placed.known.findings)
        ignoring = [
            _ignoring(document, placed, code, attached)
            for code in codes
            if code is not Code.NOT_CHECKED
        ]
        commands = _commands(session, document, placed)
        for action in (*replacing, *commands, *ignoring):
            if action.data is None or session.client.resolves_edits:
                actions.append(action)
                continue
            edit = await _workspace_edit(session, document, placed, action.data)
            if session.documents.get(document.uri) is not document:
                # Nothing in a bare edit says which text it is for.
                return []
            if not isinstance(edit, Problem):
                action.edit, action.data = edit, None
                actions.append(action)
    return actions


async def resolve(ls: AssayServer, action: types.CodeAction) -> types.CodeAction:
    """Compute the edit on the text as it is now, or say why there is none any more.

    Helix and Neovim resolve actions that have their edit, too: those are returned as they are.
    """
    session = ls.session
    data = cast("Any", action.data)
    if action.edit is not None or not isinstance(data, Mapping):
        return action
    about = cast("Mapping[str, Any]", data)
    uri, qualname, digest = (about.get(part) for part in ("uri", "function", "report"))
    document = session.documents.get(str(uri))
    placed = session.board.find(str(uri), str(qualname), str(digest))
    if document is None or placed is None:
        session.notices.warn(f"{qualname} has changed since it was checked. Check it again.")
        return action
    edit = await _workspace_edit(session, document, placed, about)
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
        data=_identity(document, placed) | {"index": number},
    )


def _ignoring(
    document: Document, placed: Placed, code: Code, diagnostics: list[types.Diagnostic]
) -> types.CodeAction:
    """Adds a comment to the function's header; in force with the next check, which costs nothing
    more: neither prompts nor replies know of it."""
    return types.CodeAction(
        title=f"Ignore {code} for {placed.report.qualname}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=diagnostics or None,
        data=_identity(document, placed) | {"code": str(code)},
    )


def _identity(document: Document, placed: Placed) -> dict[str, Any]:
    report = placed.report
    return {"uri": document.uri, "function": report.qualname, "report": report.digest}


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
    session: Session, document: Document, placed: Placed, about: Mapping[str, Any]
) -> types.WorkspaceEdit | Problem:
    """The edit for one version of the document. Parsing takes a while: not on this loop."""
    text = document.text
    edits = await asyncio.to_thread(_edits, text.content, placed.report, about)
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


def _edits(text: str, report: Report, about: Mapping[str, Any]) -> tuple[Edit, ...] | Problem:
    """By an action's `data`: what ignores a code, or the replacement of that number."""
    # Both bring half the engine with them, which must not hold up `initialize`.
    from assay_engine.offering.replacing import edits_for
    from assay_engine.offering.silencing import ignoring

    code, number = about.get("code"), about.get("index")
    if code in tuple(Code):
        return ignoring(text, report.qualname, Code(code))
    if not isinstance(number, int) or number not in range(len(report.replacements)):
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
