"""Inputs that the model proposes, read out of a reply one line at a time."""

from __future__ import annotations

from assay_engine.inputs.calls import read_call
from assay_engine.types import Specification
from assay_sandbox import Call

PROPOSALS_MAX = 60
LINES_MAX = 2_000


def proposed_calls(reply: str, specification: Specification) -> tuple[Call, ...]:
    """Every line of the reply that is a call of the function; prose and fences are passed over."""
    calls: list[Call] = []
    for line in reply.splitlines()[:LINES_MAX]:
        call = read_call(_bare(line), specification)
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
