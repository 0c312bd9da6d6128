"""Inputs from the docstring's own examples."""

from __future__ import annotations

from assay_engine.inputs.calls import assignments, bound_in, read_call
from assay_engine.syntax.import_expressions import imports_as_expressions
from assay_engine.types import Example, Specification, UnitKind
from assay_sandbox import Call


def example_calls(specification: Specification) -> tuple[Call, ...]:
    """One call per example that is a plain call of the function.

    The statements before the example are taken into the call.
    """
    calls: list[Call] = []
    for example in specification.examples:
        call = _after_session(example, specification) or _after_setup(example, specification)
        if call is not None and call not in calls:
            calls.append(call)
    return tuple(calls)


def _after_session(example: Example, specification: Specification) -> Call | None:
    """The call of a method, or a use, after all that the session did before the example.

    Nothing is left out of the session: names do not tell which statements count. None for a plain
    function.
    """
    has_state = specification.unit.kind is UnitKind.METHOD or specification.gives_functions
    if not has_state or not example.session:
        return None
    source = "\n".join([*example.session, example.call])
    return read_call(source, specification, _imported(example, specification))


def _after_setup(example: Example, specification: Specification) -> Call | None:
    imported = _imported(example, specification)
    bound = None if specification.gives_functions else assignments(example.setup, imported)
    before = example.setup if bound is None else ()
    return read_call("\n".join([*before, example.call]), specification, bound)


def _imported(example: Example, specification: Specification) -> dict[str, str]:
    """The names that the example imports and the program does not bind, with expressions."""
    if not any("import" in text for text in example.session):
        return {}
    return imports_as_expressions(example.session, bound_in(specification.program))
