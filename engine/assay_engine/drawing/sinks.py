"""Parameters that are functions which are called for their effect alone."""

from __future__ import annotations

import ast

from assay_engine.syntax.alternatives import alternatives
from assay_engine.syntax.names import last_name
from assay_engine.types import Specification


def sinks(specification: Specification) -> tuple[str, ...]:
    """The names of parameters annotated as functions of one argument that return nothing, of a
    function that is called by itself: a use is asked for a trace as a whole.

    `[].append` is such a function, and one whose list can be compared after the call: other ones
    leave nothing behind that shows how often they were called, and with what.
    """
    return tuple(
        parameter.name
        for parameter in specification.given_parameters
        if not specification.gives_functions
        and any(map(_is_sink, alternatives(parameter.annotation)))
    )


def _is_sink(alternative: ast.expr) -> bool:
    match alternative:
        case ast.Subscript(value=outer, slice=ast.Tuple([ast.List([_]), ast.Constant(None)])):
            return last_name(outer) == "Callable"
        case _:
            return False
