"""Reads inputs from a reply: calls, and the settings that hold for each of them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from assay_engine.drawing.reply_blocks import code_blocks
from assay_engine.inputs.calls import assignments, read_call
from assay_engine.inputs.staging import MOCKS, SETTINGS, placed, setting
from assay_engine.running.call_keys import call_key
from assay_engine.syntax.parsing import parse
from assay_engine.types import Specification
from assay_sandbox import Call

CALLS_MAX = 20
STATEMENTS_MAX = 500


def read_inputs(
    reply: str, specification: Specification, mockable: Collection[str] = ()
) -> tuple[Call, ...]:
    """The calls of the function, from the first way of reading the reply that gives any.

    ``stdin = "…"`` before a call is the standard input of that call. ``files = {…}`` and similar
    settings hold for all calls that follow, and so does ``mocks = {…}`` if names may be mocked.
    Other plain assignments name values that a call mentions. Everything else is ignored.
    """
    for blocks in code_blocks(reply):
        distinct: dict[str, Call] = {}
        for block in blocks:
            for call in _calls(block, specification, mockable):
                distinct.setdefault(call_key(call), call)
        if distinct:
            return tuple(distinct.values())[:CALLS_MAX]
    return ()


def _calls(block: str, specification: Specification, mockable: Collection[str]) -> Iterator[Call]:
    tree = parse(block)
    if not isinstance(tree, ast.Module):
        return
    bound: dict[str, str] = {}
    settings: dict[str, object] = {}
    names = (*SETTINGS, MOCKS) if mockable else SETTINGS
    for statement in tree.body[:STATEMENTS_MAX]:
        match statement:
            case ast.Assign():
                written = ast.unparse(statement)
                said = setting(written, names)
                if said is not None:
                    settings[said[0]] = said[1]
                else:
                    bound |= assignments((written,)) or {}
            case ast.Expr(value=expression):
                call = read_call(ast.unparse(expression), specification, bound)
                call = None if call is None else placed(call, settings, mockable)
                if call is not None:
                    yield call
                    settings.pop("stdin", None)
            case _:
                pass
