"""Commands that show what a verdict rests on, or what a replacement changes, or save it as a test:
an edit of another file, which may have to be made first.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from lsprotocol import types
from msgspec.structs import replace
from pygls.exceptions import JsonRpcInvalidParams

from assay_engine.files.bounded import real
from assay_engine.pages.hover import hover_text
from assay_engine.types import Expectation, Problem, ProblemKind, Report, SourceText
from assay_lsp.convert import PositionedText
from assay_lsp.documents import TextDocument
from assay_lsp.features import names
from assay_lsp.features.fixes import (
    clarifying_title,
    defends,
    edit_of_file,
    fix,
    fix_edits,
    workspace_edit,
)
from assay_lsp.features.names import name_in, text_in, uri_in
from assay_lsp.lifetime import spawn
from assay_lsp.placing import Placed
from assay_lsp.server import AssayServer
from assay_lsp.session import Session

if TYPE_CHECKING:
    from assay_engine.fixes.saving import SavedTest
    from assay_engine.pages.evidence_page import Links

log = logging.getLogger(__name__)

# Clients show a document at once, or ask the user whether they may.
SHOW_SECONDS = 60.0


def register(server: AssayServer) -> None:
    server.command(names.SHOW_EVIDENCE)(show_evidence)
    server.command(names.EVIDENCE)(evidence)
    server.command(names.SAVE_TEST)(save_test)
    server.command(names.APPLY_FIX)(apply_fix)
    server.command(names.PLACE)(place)
    server.command(names.SHOW_DIFFERENCE)(show_difference)
    server.command(names.DIFFERENCE)(difference)


async def show_evidence(ls: AssayServer, *args: Any) -> None:
    """Arguments: the document's URI and the function's qualified name."""
    from assay_engine.pages.evidence_page import Links

    session = ls.session
    uri, placed = _placed(ls, args)
    if placed is None:
        return
    if not session.client.shows_documents:
        session.notices.inform(hover_text(placed.report))
        return
    page = await asyncio.to_thread(_page, placed.report, Links(function=uri))
    name = f"{placed.report.qualname}.html"
    path = await asyncio.to_thread(session.evidence.write, uri, name, page)
    spawn(_show(ls, path, external=True))


async def evidence(ls: AssayServer, *args: Any) -> dict[str, str] | None:
    """Arguments as for `show_evidence`, and optionally the digest of the report that the client
    shows: then there is no message if nothing is known, and a report that no longer holds has a
    page that says so. Returns a title, the page, and its report's digest."""
    from assay_engine.pages.evidence_page import Links

    session, shown = ls.session, name_in(args, 2)
    if shown is None:
        uri, placed = _placed(ls, args)
    else:
        uri = uri_in(args)
        placed = session.report_index.find(uri, text_in(args, 1))
    report = placed.report if placed else session.report_index.former(uri, shown or "")
    if report is None:
        return None
    links, document = Links(is_outdated=placed is None), session.report_index.document(uri)
    if placed is not None and document is not None:
        # Lines above it may have come or gone.
        name = document.text.position(placed.name_span.start, session.client.encoding)
        report = replace(report, line=name.line + 1)
    if session.client.command_links and document is not None:
        buttons = _buttons(document, report, is_outdated=placed is None)
        links = Links(
            _link(names.PLACE, [uri, report.qualname]),
            tuple((title, _link(command, about)) for title, command, about in buttons),
            placed is None,
        )
    html = await asyncio.to_thread(_page, report, links)
    return {"title": f"Evidence for {report.qualname}", "html": html, "report": report.digest}


def _buttons(
    document: TextDocument, report: Report, *, is_outdated: bool
) -> Iterator[tuple[str, str, list[Any]]]:
    """What can be done about a report: titles, commands and arguments."""
    about = [document.uri, report.qualname]
    if is_outdated:
        start = {"line": 0, "character": 0}
        yield "Check Again", names.CHECK_FUNCTION, [document.uri, start, False, report.qualname]
        return
    accused = report.verdict.status.accuses
    if report.replacements:
        yield "Show the Difference", names.SHOW_DIFFERENCE, [*about, 0]
        yield "Replace", names.APPLY_FIX, [*about, {"index": 0}]
    for number, expectation in _savable(document, report):
        if not accused:
            yield _saving_title(expectation), names.SAVE_TEST, [*about, number]
        elif not expectation.is_original:
            yield "Save as Test", names.SAVE_TEST, [*about, number]
    for number, each in enumerate(report.clarifications):
        title = "It Is Right: Write It into the Docstring"
        if not defends(each, report):
            title = clarifying_title(each)
        yield title, names.APPLY_FIX, [*about, {"clarification": number}]


def _link(command: str, arguments: list[Any]) -> str:
    return f"command:{command}?{quote(json.dumps(arguments))}"


async def place(ls: AssayServer, *args: Any) -> types.Location | None:
    """Arguments as for `show_evidence`. Returns where the function's name stands."""
    session = ls.session
    uri, name = uri_in(args), text_in(args, 1)
    document = session.documents.get(uri) or session.report_index.document(uri)
    row = next(
        (each for each in session.report_index.rows(uri) if each.place.qualname == name), None
    )
    if document is None or row is None:
        session.notices.inform(f"{name} no longer exists in this file.")
        return None
    return types.Location(
        document.uri, document.text.range(row.place.name_span, session.client.encoding)
    )


async def apply_fix(ls: AssayServer, *args: Any) -> None:
    """Arguments as for `show_evidence`, and which fix: an object with the number of a replacement
    as `index`, or of an example for the docstring as `clarification`."""
    session = ls.session
    which = args[2] if len(args) > 2 else None
    if not isinstance(which, Mapping):
        raise JsonRpcInvalidParams("argument 3 should be an object")
    uri, placed = _placed(ls, args)
    document = session.documents.get(uri)
    if placed is None or document is None:
        return
    if await session.check_service.outdated(document, [placed.report]):
        session.notices.warn(
            f"Something {placed.report.qualname} depends on has changed since it was checked. "
            "Check it again."
        )
        return
    edit = await workspace_edit(session, document, placed, cast("Mapping[str, Any]", which))
    if isinstance(edit, Problem):
        session.notices.warn(edit.message)
    else:

        async def make() -> None:
            await _apply(ls, edit, "the change is not made")

        # Not awaited: a client may wait for this command's end before it does anything else.
        spawn(make())


async def save_test(ls: AssayServer, *args: Any) -> None:
    """Arguments as for `show_evidence`, and optionally the number of one of the report's
    expectations; without it, what the candidates do is expected."""
    from assay_engine.fixes.saving import chosen
    from assay_engine.messages.fixes import no_test_phrase

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
        spawn(_save_and_show(ls, edit, document, placed, number))


async def _save_and_show(
    ls: AssayServer, edit: types.WorkspaceEdit, document: TextDocument, placed: Placed, number: int
) -> None:
    """Have the client write a test, unless it is there, and show it."""
    has_edits = bool(edit.changes or edit.document_changes)
    if has_edits and not await _apply(ls, edit, "the test is not saved"):
        return
    session = ls.session
    session.report_index.cover(document.uri, placed.report)
    there = await _saved_test(session, document, placed, number)
    if isinstance(there, Problem) or not session.client.shows_documents:
        return
    text = PositionedText.of(there.before or "")
    # The client may not have told its change of the file yet: then at the file's end.
    start = text.content.find(f"def {there.name}(")
    offset = len(text.content) if start < 0 else start + len("def ")
    position = text.position(offset, session.client.encoding)
    shown = types.ShowDocumentParams(
        Path(there.path).as_uri(), take_focus=True, selection=types.Range(position, position)
    )
    try:
        async with asyncio.timeout(SHOW_SECONDS):
            await ls.window_show_document_async(shown)
    except Exception as refusal:
        log.info("the client does not show documents: %s", refusal)


async def _apply(ls: AssayServer, edit: types.WorkspaceEdit, otherwise: str) -> bool:
    """Have the client make an edit, or say what has not come about, and why."""
    try:
        applied = await ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, "Assay"))
        reason = "" if applied.applied else applied.failure_reason or "the editor did not apply it"
    except Exception as refusal:
        reason = str(refusal)
    if reason:
        ls.session.notices.warn(f"{otherwise}: {reason}.")
    return not reason


def _page(report: Report, links: Links) -> str:
    # Imported here: this imports a template engine.
    from assay_engine.pages.evidence_page import evidence_page

    return evidence_page(report, nonce=secrets.token_urlsafe(), links=links)


def _placed(ls: AssayServer, args: tuple[Any, ...]) -> tuple[str, Placed | None]:
    """The present report on a function; None, after a message, if there is none any more."""
    uri, qualname = uri_in(args), text_in(args, 1)
    placed = ls.session.report_index.find(uri, qualname)
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
    spawn(_show(ls, path))


async def difference(ls: AssayServer, *args: Any) -> dict[str, str] | None:
    """Arguments as for `show_difference`. Returns a title, and the whole text as it would be."""
    from assay_engine.splicing import apply_edits

    session = ls.session
    uri, placed, number = await _replacement(ls, args)
    document = session.documents.get(uri)
    if placed is None or document is None:
        return None
    edits = await fix_edits(document, placed, {"index": number})
    if isinstance(edits, Problem):
        session.notices.warn(edits.message)
        return None
    text = apply_edits(document.text.content, edits)
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


def saving(document: TextDocument, placed: Placed) -> Iterator[types.CodeAction]:
    """A test for each behaviour that the input tells apart: the user chooses which is right."""
    for number, expectation in _savable(document, placed.report):
        yield fix(_saving_title(expectation), document, placed, test=number)


def _saving_title(expectation: Expectation) -> str:
    return f"Save as a test that it {expectation.behaviour}"


def _savable(document: TextDocument, report: Report) -> list[tuple[int, Expectation]]:
    """The expectations of a report that a test can state, in the order in which examples for the
    docstring say the same; none of a cell, which no test imports."""
    said = [each.behaviour for each in report.clarifications if not defends(each, report)]
    numbered = enumerate(report.expectations) if document.is_file else ()
    savable = [(number, each) for number, each in numbered if each.body]
    return sorted(savable, key=lambda pair: pair[1].behaviour not in said[:1])


def opening(document: TextDocument, placed: Placed, number: int) -> types.Command:
    """What shows a test once its edit is made: it finds the test there."""
    arguments = [document.uri, placed.report.qualname, number]
    return types.Command("Open the Test", names.SAVE_TEST, arguments=arguments)


async def test_edit(
    session: Session, document: TextDocument, placed: Placed, number: int
) -> types.WorkspaceEdit | Problem:
    """The edit that saves a test: an empty one if it is there already."""
    saved = await _saved_test(session, document, placed, number)
    if isinstance(saved, Problem):
        return saved
    if not saved.edits:
        return types.WorkspaceEdit()
    path = Path(saved.path)
    is_new = saved.before is None
    if is_new and not session.client.creates_files:
        return Problem(
            ProblemKind.NO_REPLACEMENT,
            f"{path} does not exist, and this editor creates no files for a server. Create an "
            "empty file there, and save the test again.",
        )
    opened = {real(Path(each.path)): each for each in session.documents if each.is_file}
    there = opened.get(real(path))
    text = PositionedText.of(saved.before or "")
    uri, version = (path.as_uri(), None) if there is None else (there.uri, there.version)
    return edit_of_file(session.client, uri, version, text, saved.edits, is_new=is_new)


async def _saved_test(
    session: Session, document: TextDocument, placed: Placed, number: int
) -> SavedTest | Problem:
    """The test to save. Reading the project's tests takes a while, off this loop."""
    if number not in range(len(placed.report.expectations)):
        return Problem(
            ProblemKind.NO_REPLACEMENT, "There is no such test. Check the function again."
        )
    opened = {real(Path(each.path)): each for each in session.documents if each.is_file}
    root = session.folders.root_of(document.path)
    source = SourceText(document.path, document.text.content, root)
    texts = {path: each.text.content for path, each in opened.items()}

    def saved() -> SavedTest | Problem:
        # Imported here: this imports half the engine, which must not hold up `initialize`.
        from assay_engine.fixes.saving import saved_test

        return saved_test(source, placed.report, number, texts)

    return await asyncio.to_thread(saved)
