"""Code actions: what solves a finding first (see `fixes`), then the evidence and other checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from lsprotocol import types

from assay_engine.types import Problem, Tier
from assay_lsp.documents import TextDocument
from assay_lsp.features import names
from assay_lsp.features.fixes import clarifying, ignoring, replacing, rests_on_more, workspace_edit
from assay_lsp.features.showing import opening, saving, test_edit
from assay_lsp.placing import Placed
from assay_lsp.publishing import SOURCE
from assay_lsp.server import AssayServer
from assay_lsp.session import Session

# For how many functions all fixes are computed at once, if a client cannot resolve them one by one:
# a user who selects a whole file wants none of them.
EDITED_MAX = 20
# What is offered first for one function; the rest has a kind of its own, which editors group apart.
QUICK_FIXES_MAX = 5
MORE = "assay.more"


def register(server: AssayServer) -> None:
    options = types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix, MORE], resolve_provider=True
    )
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(code_action)
    server.feature(types.CODE_ACTION_RESOLVE)(resolve)


async def code_action(ls: AssayServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Answer from memory. Clients that cannot resolve an edit later get it at once."""
    session = ls.session
    document = session.documents.mentioned(params.text_document.uri)
    if document is None:
        return []
    span = document.text.span(params.range, session.client.encoding)
    actions: list[types.CodeAction] = []
    pointed_at = session.report_index.around(document.uri, span)
    if not session.client.resolves_edits:
        pointed_at = pointed_at[:EDITED_MAX]
    reports = [] if session.client.resolves_edits else [each.report for each in pointed_at]
    outdated = (
        await session.check_service.outdated(document, reports) if reports else frozenset[str]()
    )
    for placed in pointed_at:
        name = placed.report.qualname
        attached = [each for each in params.context.diagnostics if _is_about(each, placed)]
        evidence = _command(f"Show evidence for {name}", names.SHOW_EVIDENCE, [document.uri, name])
        # Return takes the first one: that is never to say that an accused function is right.
        first = [evidence] if not placed.report.replacements else []
        groups = (
            replacing(session, document, placed, attached),
            first,
            _differences(document, placed),
            clarifying(document, placed),
            saving(document, placed),
            ignoring(document, placed),
            [] if first else [evidence],
            _checks(session, document, placed),
        )
        for action in _ordered([list(group) for group in groups], params.context):
            if action.data is None or session.client.resolves_edits:
                actions.append(action)
                continue
            if rests_on_more(action.data) and placed.report.digest in outdated:
                continue
            edit = await _edit(session, document, placed, action.data)
            if session.documents.get(document.uri) is not document:
                # An edit without a version does not say which text it is for.
                return []
            if not isinstance(edit, Problem):
                action.edit, action.data = edit, None
                actions.append(action)
    return actions


def _ordered(
    groups: list[list[types.CodeAction]], context: types.CodeActionContext
) -> list[types.CodeAction]:
    """The actions that the client wants: the first of each group as quick fixes, then the rest."""
    firsts = [group[0] for group in groups if group][:QUICK_FIXES_MAX]
    rest = [each for group in groups for each in group if each not in firsts]
    for action in rest:
        action.kind = MORE
    return [each for each in (*firsts, *rest) if _is_wanted(each.kind or "", context)]


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
    placed = session.report_index.find(str(uri), str(qualname), str(digest))
    if document is None or placed is None:
        session.notices.warn(f"{qualname} has changed since it was checked. Check it again.")
        return action
    if rests_on_more(about) and await session.check_service.outdated(document, [placed.report]):
        session.notices.warn(
            f"Something {qualname} depends on has changed since it was checked. Check it again."
        )
        return action
    edit = await _edit(session, document, placed, about)
    if isinstance(edit, Problem):
        session.notices.warn(edit.message)
    elif session.documents.get(str(uri)) is not document:
        session.notices.warn("The text has changed meanwhile. Ask for the fix again.")
    else:
        action.edit = edit
        if isinstance(number := about.get("test"), int):
            action.command = opening(document, placed, number)
    return action


async def _edit(
    session: Session, document: TextDocument, placed: Placed, about: Mapping[str, Any]
) -> types.WorkspaceEdit | Problem:
    match about:
        case {"test": int(number)}:
            return await test_edit(session, document, placed, number)
        case _:
            return await workspace_edit(session, document, placed, about)


def _differences(document: TextDocument, placed: Placed) -> Iterator[types.CodeAction]:
    report = placed.report
    several = len(report.replacements) > 1
    for number, replacement in enumerate(report.replacements):
        which = f" to the one that {replacement.behaviour}" if several else ""
        arguments = [document.uri, report.qualname, number]
        yield _command(f"Show the difference{which}", names.SHOW_DIFFERENCE, arguments)


def _checks(session: Session, document: TextDocument, placed: Placed) -> Iterator[types.CodeAction]:
    """Other checks, with what they cost."""
    if not session.folders.settings_of(document.path).may_run:
        return
    name = placed.report.qualname
    start = document.text.position(placed.name_span.start, session.client.encoding)
    position = {"line": start.line, "character": start.character}
    arguments = [document.uri, position, True, name]
    yield _command(f"Check {name} again (from stored replies)", names.CHECK_FUNCTION, arguments)
    where = [document.uri, position, name]
    yield _command(f"Compare {name} with the last commit", names.COMPARE_FUNCTION, where)
    if placed.report.verdict.status.is_untried:
        # A function that cannot be compared (without a docstring, say) cannot be triangulated.
        return
    costs = session.folders.engine_of(document.path).costs
    # Empty until the engine is open, which recalled or made this report.
    most = costs.get(Tier.THOROUGH, 0)
    # Not as what the user has been told: a click on a title that long is no answer to a question.
    title = f"Check {name} thoroughly (up to {most} requests)"
    yield _command(title, names.TRIANGULATE_FUNCTION, where)


def _command(title: str, command: str, arguments: list[Any]) -> types.CodeAction:
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.QuickFix,
        command=types.Command(title, command, arguments=arguments),
    )


def _is_wanted(kind: str, context: types.CodeActionContext) -> bool:
    """`only` names kinds, each of which includes those below it; the empty kind includes all."""
    return context.only is None or any(
        wanted in ("", kind) or kind.startswith(wanted + ".") for wanted in context.only
    )


def _is_about(diagnostic: types.Diagnostic, placed: Placed) -> bool:
    """Whether a diagnostic that the client sent back belongs to this report.

    eglot and others drop `data`: then its code and message decide.
    """
    if diagnostic.source != SOURCE:
        return False
    data = cast("Any", diagnostic.data)
    if isinstance(data, Mapping):
        return cast("Mapping[str, Any]", data).get("report") == placed.report.digest
    said = {(str(finding.code), finding.message) for _, finding in placed.known.findings}
    return (str(diagnostic.code), diagnostic.message) in said
