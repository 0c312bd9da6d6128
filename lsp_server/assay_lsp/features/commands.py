"""The commands. They return when the check is requested, not when it is done.

eglot waits for a command's result with the editor frozen, and gives up after ten seconds. All take
`*args`, because each validates itself what a client has sent.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any, cast
from urllib.parse import unquote

from lsprotocol import types
from msgspec import structs, to_builtins
from pygls.exceptions import JsonRpcInvalidParams

from assay_engine.errors import AssayError
from assay_engine.reading.files import UnreadableFile
from assay_engine.reading.units import find_units, innermost
from assay_engine.saying.hover import evidence_markdown, hover_text
from assay_engine.types import Problem, Tier
from assay_lsp.checks import Wish
from assay_lsp.disk import read_document
from assay_lsp.documents import Document
from assay_lsp.features import names
from assay_lsp.features.fixes import fix_edits
from assay_lsp.paths import is_path
from assay_lsp.placing import Placed
from assay_lsp.server import AssayServer
from assay_lsp.session import Session

log = logging.getLogger(__name__)

# Clients show a document at once, or ask the user whether they may.
SHOW_SECONDS = 60.0

_UNTRUSTED = "this workspace is not trusted, so nothing is run or sent. Trust it to check."


def register(server: AssayServer) -> None:
    server.command(names.CHECK_FILE)(check_file)
    server.command(names.CHECK_FUNCTION)(check_function)
    server.command(names.TRIANGULATE_FUNCTION)(triangulate_function)
    server.command(names.CANCEL_ALL)(cancel_all)
    server.command(names.SHOW_EVIDENCE)(show_evidence)
    server.command(names.SHOW_DIFFERENCE)(show_difference)
    server.command(names.DIFFERENCE)(difference)
    server.command(names.ASK_CONSENT)(ask_consent)
    server.command(names.STATUS)(status)


async def check_file(ls: AssayServer, *args: Any) -> None:
    """Arguments: the document's URI. Without one, as Helix cannot give any, the command checks the
    document that the client mentioned last."""
    spoken_of = [each.uri for each in ls.session.documents if each.is_python]
    if not args and not spoken_of:
        ls.session.notices.inform("no Python file is open.")
        return
    uri = _uri(args or tuple(spoken_of[-1:]))
    document = await _document(ls, uri)
    if document is not None:
        ls.session.check_demanded(Wish(document, demanded=True))


async def check_function(ls: AssayServer, *args: Any) -> None:
    """Arguments: the URI, a position inside the function, and optionally whether to run anew, and
    the function's qualified name, which takes precedence, as the text may have changed."""
    again = len(args) > 2 and args[2] is True
    await _check_function(ls, args, Tier.STANDARD, again=again, name=_name(args, 3))


async def triangulate_function(ls: AssayServer, *args: Any) -> None:
    """Arguments: the URI, a position inside the function, and optionally its qualified name, and
    the number of requests that the user has been told."""
    told = args[3] if len(args) > 3 and isinstance(args[3], int) else 0
    await _check_function(ls, args, Tier.THOROUGH, again=False, name=_name(args, 2), told=told)


async def _check_function(
    ls: AssayServer,
    args: tuple[Any, ...],
    tier: Tier,
    *,
    again: bool,
    name: str | None,
    told: int = 0,
) -> None:
    uri, position = _uri(args), _position(args, 1)
    document = await _document(ls, uri)
    if document is None:
        return
    offset = document.text.offset(position, ls.session.client.encoding)
    units, faults = await asyncio.to_thread(find_units, document.text.content)
    if name is None:
        unit = innermost(units, offset)
        missing = "there is no function here. Put the cursor inside one."
    else:
        unit = next((each for each in units if each.qualname == name), None)
        missing = f"there is no {name} in this text any more."
    if unit is None:
        ls.session.notices.inform(faults[0].message if faults else missing)
        return
    # The document may have been edited or saved meanwhile.
    document = ls.session.documents.get(uri) or document
    names = frozenset([unit.qualname])
    wish = Wish(document, names, demanded=True, again=again, tier=tier, told=told)
    ls.session.check_demanded(wish)


async def cancel_all(ls: AssayServer, *_args: Any) -> int:
    """Returns how many checks were running or waiting."""
    return await ls.session.cancel_all()


async def show_evidence(ls: AssayServer, *args: Any) -> None:
    """Arguments: the document's URI and the function's qualified name."""
    session = ls.session
    uri, qualname = _uri(args), _text(args, 1)
    placed = session.board.find(uri, qualname)
    if placed is None:
        session.notices.inform(f"{qualname} has changed since it was checked. Check it again.")
        return
    if not session.client.shows_documents:
        session.notices.inform(hover_text(placed.report).removeprefix("Assay: "))
        return
    text = evidence_markdown(placed.report)
    path = await asyncio.to_thread(session.evidence.write, uri, f"{qualname}.md", text)
    session.spawn(_show(ls, path))


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
    uri, qualname, number = _uri(args), _text(args, 1), args[2] if len(args) > 2 else None
    if not isinstance(number, int) or number < 0:
        raise JsonRpcInvalidParams("argument 3 should be a number")
    placed = ls.session.board.find(uri, qualname)
    if placed is None or number >= len(placed.report.replacements):
        ls.session.notices.inform(f"{qualname} has changed since it was checked. Check it again.")
        return uri, None, number
    return uri, placed, number


async def ask_consent(ls: AssayServer, *_args: Any) -> None:
    """Ask about model servers found on this machine, even if the question was dismissed before."""
    session = ls.session
    await session.ready()
    if not session.settings.may_run:
        session.notices.inform(_UNTRUSTED)
        return
    try:
        asked = await session.consent.ask_again(session.engine)
    except AssayError as failure:
        session.notices.warn(str(failure))
        return
    if not asked:
        session.notices.inform("there is no model server to ask about.")


async def _show(ls: AssayServer, path: Path) -> None:
    document = types.ShowDocumentParams(path.as_uri(), take_focus=True)
    try:
        async with asyncio.timeout(SHOW_SECONDS):
            shown = (await ls.window_show_document_async(document)).success
    except Exception as refusal:
        log.info("the client does not show documents: %s", refusal)
        shown = False
    if not shown:
        ls.session.notices.inform(f"the evidence cannot be shown; it is in {path}.")


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
        "engine": engine,
        "problem": problem,
    }


async def _document(ls: AssayServer, uri: str) -> Document | None:
    """The document to check: the open document of a URI, or else the file on disk.

    None, with a message to the user, if nothing may be checked or there is nothing to read.
    """
    session = ls.session
    await session.ready()
    if not session.settings.may_run:
        session.notices.inform(_UNTRUSTED)
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
    session.board.open(on_disk)
    session.watching.opened(on_disk)
    return on_disk


def _if_checkable(session: Session, document: Document) -> Document | None:
    if document.is_cell:
        session.notices.inform(
            "a cell of a notebook needs its neighbours. Move the function into a module."
        )
        return None
    if not document.is_python:
        session.notices.inform(f"{PurePath(document.path).name} is not Python source.")
        return None
    return document


def _uri(args: tuple[Any, ...]) -> str:
    uri = _text(args, 0)
    if not is_path(unquote(uri)):
        raise JsonRpcInvalidParams("argument 1 should be a URI")
    return uri


def _text(args: tuple[Any, ...], number: int) -> str:
    if len(args) <= number or not isinstance(args[number], str):
        raise JsonRpcInvalidParams(f"argument {number + 1} should be a string")
    return args[number]


def _name(args: tuple[Any, ...], number: int) -> str | None:
    return _text(args, number) if len(args) > number else None


def _position(args: tuple[Any, ...], number: int) -> types.Position:
    given = args[number] if len(args) > number else None
    if isinstance(given, Mapping):
        position = cast("Mapping[str, object]", given)
        line, character = position.get("line"), position.get("character")
        if isinstance(line, int) and isinstance(character, int):
            # Positions of the protocol have bounds.
            with suppress(ValueError):
                return types.Position(line, character)
    raise JsonRpcInvalidParams(f"argument {number + 1} should be a position")
