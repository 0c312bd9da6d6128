"""The commands. They return when the check is requested, not when it is done.

eglot waits for a command's result with the editor frozen, and gives up after ten seconds. All take
`*args`, because each validates itself what a client has sent.
"""

from __future__ import annotations

import asyncio
from pathlib import PurePath
from typing import Any

from msgspec import structs, to_builtins

from assay_engine.errors import AssayError
from assay_engine.files.source_files import UnreadableFile
from assay_engine.messages.at_a_glance import reach
from assay_engine.messages.versions import compared_line
from assay_engine.syntax.units import find_units, innermost
from assay_engine.types import SourceText, Tier
from assay_lsp.asking import CheckRequest
from assay_lsp.documents import TextDocument, read_document
from assay_lsp.features import names
from assay_lsp.features.names import name_in, position_in, uri_in
from assay_lsp.lifetime import spawn
from assay_lsp.notices import Answer
from assay_lsp.server import AssayServer
from assay_lsp.session import Session

_UNTRUSTED = "this workspace is not trusted, so nothing is run or sent. Trust it to check."


def register(server: AssayServer) -> None:
    server.command(names.CHECK_FILE)(check_file)
    server.command(names.CHECK_FUNCTION)(check_function)
    server.command(names.TRIANGULATE_FUNCTION)(triangulate_function)
    server.command(names.COMPARE_FUNCTION)(compare_function)
    server.command(names.CANCEL_ALL)(cancel_all)
    server.command(names.ASK_CONSENT)(ask_consent)
    server.command(names.STATUS)(status)


async def check_file(ls: AssayServer, *args: Any) -> None:
    """Arguments: the document's URI. Without one, as Helix cannot give any, the command checks the
    document that the client mentioned last."""
    mentioned = [each.uri for each in ls.session.documents if each.is_python]
    if not args and not mentioned:
        ls.session.notices.inform("no Python file is open.")
        return
    uri = uri_in(args or tuple(mentioned[-1:]))
    document = await _document(ls, uri)
    if document is not None:
        checked = ls.session.notebooks.checked_with(document)
        ls.session.checks.demand(CheckRequest(checked, demanded=True))


async def check_function(ls: AssayServer, *args: Any) -> None:
    """Arguments: the URI, a position inside the function, and optionally whether to run anew, and
    the function's qualified name, which takes precedence, as the text may have changed."""
    again = len(args) > 2 and args[2] is True
    await _check_function(ls, args, Tier.STANDARD, again=again, name=name_in(args, 3))


async def triangulate_function(ls: AssayServer, *args: Any) -> None:
    """Arguments: the URI, a position inside the function, and optionally its qualified name, and
    the number of requests that the user has been told."""
    told = args[3] if len(args) > 3 and isinstance(args[3], int) else 0
    await _check_function(ls, args, Tier.THOROUGH, again=False, name=name_in(args, 2), told=told)


async def compare_function(ls: AssayServer, *args: Any) -> None:
    """Arguments: the URI, a position inside the function, and optionally its qualified name. Says
    whether the function does what it did in the last commit; asks no model."""
    session = ls.session
    found = await _function(ls, args, name_in(args, 2))
    if found is None:
        return
    document, name = found

    document = session.notebooks.checked_with(document)
    root = session.folders.root_of(document.path)
    source = SourceText(document.path, document.text.content, root)

    async def compare() -> None:
        try:
            report = await session.folders.engine_of(document.path).compared(source, name)
        except AssayError as failure:
            session.notices.warn(str(failure))
            return
        session.notices.inform(compared_line(report))

    spawn(compare())


async def _check_function(
    ls: AssayServer,
    args: tuple[Any, ...],
    tier: Tier,
    *,
    again: bool,
    name: str | None,
    told: int = 0,
) -> None:
    found = await _function(ls, args, name)
    if found is None:
        return
    document, name = found
    checked = ls.session.notebooks.checked_with(document)
    names = frozenset([name])
    request = CheckRequest(checked, names, demanded=True, again=again, tier=tier, told=told)
    ls.session.checks.demand(request)


async def _function(
    ls: AssayServer, args: tuple[Any, ...], name: str | None
) -> tuple[TextDocument, str] | None:
    """The document, and the name of the function in it that a command is about. None, with a
    message to the user, if there is none."""
    uri, position = uri_in(args), position_in(args, 1)
    document = await _document(ls, uri)
    if document is None:
        return None
    offset = document.text.offset(position, ls.session.client.encoding)
    units, faults = await asyncio.to_thread(find_units, document.text.content)
    if name is None:
        unit = innermost(units, offset)
        missing = "there is no function here. Put the cursor inside one."
    else:
        unit = next((each for each in units if each.qualname == name), None)
        missing = f"{name} no longer exists in this file."
    if unit is None:
        ls.session.notices.inform(faults[0].message if faults else missing)
        return None
    # The document may have been edited or saved meanwhile.
    return ls.session.documents.get(uri) or document, unit.qualname


async def cancel_all(ls: AssayServer, *_args: Any) -> int:
    """Returns how many checks were running or waiting."""
    return await ls.session.checks.stop_all()


async def ask_consent(ls: AssayServer, *_args: Any) -> None:
    """Put the questions that wait for an answer once more. If there are none, ask about model
    servers found on this machine, even if that question was dismissed before."""
    session = ls.session
    await session.ready()
    if not session.settings.may_run:
        session.notices.inform(_UNTRUSTED, Answer.TRUST)
        return
    if session.cost_questions.ask_again():
        return
    try:
        asked = await session.consent.ask_again(session.engine)
    except AssayError as failure:
        session.notices.warn(str(failure))
        return
    if not asked:
        session.notices.inform("no question waits for an answer.")


async def status(ls: AssayServer, *_args: Any) -> dict[str, Any]:
    """What the server works with, and what it is busy with. Opens the engine only if trusted; if it
    cannot be opened, `problem` says why and `engine` is None."""
    session = ls.session
    # Earlier saves wait for the same, so a status requested after a save includes its check.
    await session.ready()
    engine, problem = None, None
    if session.settings.may_run:
        try:
            engine = await session.engine.status()
        except AssayError as failure:
            problem = str(failure)
    settings = structs.asdict(session.settings)
    busy = {"running": session.checks.running, "waiting": session.checks.waiting}
    standing = await session.standing()
    return {
        "server": ls.version,
        "status": to_builtins(standing),
        "settings": settings,
        "checks": busy,
        "reach": reach(session.report_index.refusals()),
        "engine": engine,
        "problem": problem,
    }


async def _document(ls: AssayServer, uri: str) -> TextDocument | None:
    """The document to check: the open document of a URI, or else the file on disk.

    None, with a message to the user, if nothing may be checked or there is nothing to read.
    """
    session = ls.session
    await session.ready()
    if not session.settings.may_run:
        session.notices.inform(_UNTRUSTED, Answer.TRUST)
        return None
    document = session.documents.get(uri)
    if document is not None:
        return _if_checkable(session, document)
    try:
        on_disk = await asyncio.to_thread(read_document, uri)
    except UnreadableFile as problem:
        on_disk = str(problem)
    document = session.documents.get(uri)
    if document is not None:
        # It has been opened meanwhile.
        return _if_checkable(session, document)
    if isinstance(on_disk, str):
        session.notices.inform(on_disk)
        return None
    session.report_index.open(on_disk)
    session.watching.opened(on_disk)
    return on_disk


def _if_checkable(session: Session, document: TextDocument) -> TextDocument | None:
    if document.is_cell and document.notebook is None:
        session.notices.inform(
            "this editor does not send notebook structure, so cells cannot be checked. Move the "
            "function into a module."
        )
        return None
    if not document.is_python:
        session.notices.inform(f"{PurePath(document.path).name} is not Python source.")
        return None
    return document
