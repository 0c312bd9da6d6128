"""The commands' identifiers, which are global in VS Code, hence the long prefix; and their
arguments, which may be anything: those who read them raise `JsonRpcInvalidParams`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from assay_lsp.convert import is_path

CHECK_FILE = "assay.server.checkFile"
CHECK_FUNCTION = "assay.server.checkFunction"
TRIANGULATE_FUNCTION = "assay.server.triangulateFunction"
COMPARE_FUNCTION = "assay.server.compareFunction"
CANCEL_ALL = "assay.server.cancelAll"
SHOW_EVIDENCE = "assay.server.showEvidence"
EVIDENCE = "assay.server.evidence"
SHOW_DIFFERENCE = "assay.server.showDifference"
DIFFERENCE = "assay.server.difference"
APPLY_FIX = "assay.server.applyFix"
PLACE = "assay.server.place"
SAVE_TEST = "assay.server.saveTest"
ASK_CONSENT = "assay.server.askConsent"
STATUS = "assay.server.status"


def uri_in(args: tuple[Any, ...]) -> str:
    uri = text_in(args, 0)
    if not is_path(unquote(uri)):
        raise JsonRpcInvalidParams("argument 1 should be a URI")
    return uri


def text_in(args: tuple[Any, ...], number: int) -> str:
    if len(args) <= number or not isinstance(args[number], str):
        raise JsonRpcInvalidParams(f"argument {number + 1} should be a string")
    return args[number]


def name_in(args: tuple[Any, ...], number: int) -> str | None:
    return text_in(args, number) if len(args) > number else None


def position_in(args: tuple[Any, ...], number: int) -> types.Position:
    given = args[number] if len(args) > number else None
    if isinstance(given, Mapping):
        position = cast("Mapping[str, object]", given)
        line, character = position.get("line"), position.get("character")
        if isinstance(line, int) and isinstance(character, int):
            # Positions of the protocol have bounds.
            with suppress(ValueError):
                return types.Position(line, character)
    raise JsonRpcInvalidParams(f"argument {number + 1} should be a position")
