"""Commands that show what a verdict rests on, or what a replacement changes, or save a test."""

from __future__ import annotations

import asyncio
import logging
import secrets
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from assay_engine.saying.hover import hover_text
from assay_engine.types import Problem, Report
from assay_lsp.features import names
from assay_lsp.features.arguments import text_in, uri_in
from assay_lsp.features.fixes import fix_edits
from assay_lsp.features.saving import test_edit
from assay_lsp.placing import Placed
from assay_lsp.server import AssayServer

log = logging.getLogger(__name__)

# Clients show a document at once, or ask the user whether they may.
SHOW_SECONDS = 60.0


def register(server: AssayServer) -> None:
    server.command(names.SHOW_EVIDENCE)(show_evidence)
    server.command(names.EVIDENCE)(evidence)
    server.command(names.SAVE_TEST)(save_test)
    server.command(names.SHOW_DIFFERENCE)(show_difference)
    server.command(names.DIFFERENCE)(difference)


async def show_evidence(ls: AssayServer, *args: Any) -> None:
    """Arguments: the document's URI and the function's qualified name."""
    session = ls.session
    uri, placed = _placed(ls, args)
    if placed is None:
        return
    if not session.client.shows_documents:
        session.notices.inform(hover_text(placed.report))
        return
    page = await asyncio.to_thread(_page, placed.report)
    name = f"{placed.report.qualname}.html"
    path = await asyncio.to_thread(session.evidence.write, uri, name, page)
    session.spawn(_show(ls, path, external=True))


async def evidence(ls: AssayServer, *args: Any) -> dict[str, str] | None:
    """Arguments as for `show_evidence`. Returns a title and the page."""
    _, placed = _placed(ls, args)
    if placed is None:
        return None
    html = await asyncio.to_thread(_page, placed.report)
    return {"title": f"Evidence for {placed.report.qualname}", "html": html}


async def save_test(ls: AssayServer, *args: Any) -> None:
    """Arguments as for `show_evidence`, and optionally the number of one of the report's
    expectations; without it, what the candidates do is expected."""
    from assay_engine.offering.saving import chosen
    from assay_engine.saying.clarifying import no_test_phrase

    session = ls.session
    uri, placed = _placed(ls, args)
    document = session.documents.get(uri)
    if placed is None or document is None:
        return
    report = placed.report
    number = args[2] if len(args) > 2 else chosen(report.expectations, of_function=False)
    if number is None:
        session.notices.inform(f"there is no test to save: {no_test_phrase(report)}.")
        return
    if not isinstance(number, int):
        raise JsonRpcInvalidParams("argument 3 should be a number")
    edit = await test_edit(session, document, placed, number)
    if isinstance(edit, Problem):
        session.notices.warn(edit.message)
    else:
        session.spawn(_apply(ls, edit))


async def _apply(ls: AssayServer, edit: types.WorkspaceEdit) -> None:
    try:
        applied = await ls.workspace_apply_edit_async(
            types.ApplyWorkspaceEditParams(edit, "Save as a test")
        )
        reason = "" if applied.applied else applied.failure_reason or "the editor did not apply it"
    except Exception as refusal:
        reason = str(refusal)
    if reason:
        ls.session.notices.warn(f"the test is not saved: {reason}.")


def _page(report: Report) -> str:
    # Imported here: this imports a template engine.
    from assay_engine.saying.evidence_page import evidence_page

    return evidence_page(report, nonce=secrets.token_urlsafe())


def _placed(ls: AssayServer, args: tuple[Any, ...]) -> tuple[str, Placed | None]:
    """The present report on a function; None, after a message, if there is none any more."""
    uri, qualname = uri_in(args), text_in(args, 1)
    placed = ls.session.board.find(uri, qualname)
    if placed is None:
        ls.session.notices.inform(f"{qualname} has changed since it was checked. Check it again.")
    return uri, placed


async def show_difference(ls: AssayServer, *args: Any) -> None:
    """Arguments: the document's URI, the function's qualified name and the replacement's number."""
    session = ls.session
    uri, placed, number = await _replacement(ls, args)
    if placed is None:
        return
    diff = placed.report.replacements[number].diff
    if not session.client.shows_documents:
        session.notices.inform(diff)
        return
    name = f"{placed.report.qualname}.diff"
    path = await asyncio.to_thread(session.evidence.write, uri, name, diff)
    session.spawn(_show(ls, path))


async def difference(ls: AssayServer, *args: Any) -> dict[str, str] | None:
    """Arguments as for `show_difference`. Returns a title, and the whole text as it would be."""
    session = ls.session
    uri, placed, number = await _replacement(ls, args)
    document = session.documents.get(uri)
    if placed is None or document is None:
        return None
    edits = await fix_edits(document, placed, {"index": number})
    if isinstance(edits, Problem):
        session.notices.warn(edits.message)
        return None
    text = document.text.content
    for edit in sorted(edits, key=lambda each: each.span.start, reverse=True):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    report = placed.report
    behaviour = report.replacements[number].behaviour
    return {"title": f"{report.qualname}: the candidate that {behaviour}", "text": text}


async def _replacement(ls: AssayServer, args: tuple[Any, ...]) -> tuple[str, Placed | None, int]:
    """The report with a replacement; None, after a message, if there is none any more."""
    number = args[2] if len(args) > 2 else None
    if not isinstance(number, int) or number < 0:
        raise JsonRpcInvalidParams("argument 3 should be a number")
    uri, placed = _placed(ls, args)
    if placed is not None and number >= len(placed.report.replacements):
        ls.session.notices.inform("there is no such replacement. Check the function again.")
        placed = None
    return uri, placed, number


async def _show(ls: AssayServer, path: Path, *, external: bool = False) -> None:
    """Show a file in the editor, or in what the system shows it in."""
    document = types.ShowDocumentParams(path.as_uri(), external=external, take_focus=True)
    try:
        async with asyncio.timeout(SHOW_SECONDS):
            shown = (await ls.window_show_document_async(document)).success
    except Exception as refusal:
        log.info("the client does not show documents: %s", refusal)
        shown = False
    if not shown:
        ls.session.notices.inform(f"the evidence cannot be shown; it is in {path}.")
