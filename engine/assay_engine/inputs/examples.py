"""Inputs that the docstring's own examples use."""

from __future__ import annotations

from assay_engine.inputs.calls import assignments, read_call
from assay_engine.types import Specification
from assay_sandbox import Call


def example_calls(specification: Specification) -> tuple[Call, ...]:
    """One call per example that is a plain call of the function after plain assignments."""
    calls: list[Call] = []
    for example in specification.examples:
        bound = assignments(example.setup)
        if bound is None:
            continue
        call = read_call(example.call, specification, bound)
        if call is not None and call not in calls:
            calls.append(call)
    return tuple(calls)
