"""Inputs that the model proposes, read out of a reply one line at a time."""

from __future__ import annotations

from assay_engine.inputs.calls import read_call
from assay_engine.inputs.staging import SETTINGS, placed, setting
from assay_engine.types import Specification
from assay_sandbox import Call

PROPOSALS_MAX = 60
LINES_MAX = 2_000


def proposed_calls(reply: str, specification: Specification) -> tuple[Call, ...]:
    """Every line of the reply that is a call of the function; prose and fences are passed over.

    ``files = {…}`` and its like hold for the calls that follow, until they are said again.
    """
    calls: list[Call] = []
    settings: dict[str, object] = {}
    for line in reply.splitlines()[:LINES_MAX]:
        around = setting(line.strip()) if line.lstrip().startswith(SETTINGS) else None
        if around is not None:
            settings[around[0]] = around[1]
            continue
        call = read_call(_bare(line), specification)
        call = None if call is None else placed(call, settings)
        if call is not None and call not in calls:
            calls.append(call)
        if len(calls) == PROPOSALS_MAX:
            break
    return tuple(calls)


def _bare(line: str) -> str:
    """The line without list markers, prompts and a trailing comma."""
    text = line.strip().lstrip("-*").strip().removeprefix(">>>").strip().strip("`").strip()
    head, dot, rest = text.partition(". ")
    if dot and head.isdigit():
        text = rest
    return text.removesuffix(",").removesuffix(";")
