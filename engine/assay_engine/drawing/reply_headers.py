"""Finds the function that a block of a reply means, and checks that it is of the kind asked for."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from assay_engine.reading.specification import listed_parameters
from assay_engine.reading.units import is_stub_body
from assay_engine.syntax.identifiers import FunctionNode, arguments_of
from assay_engine.syntax.occurrences import own_nodes
from assay_engine.syntax.statements import last_function, statements_after_docstring
from assay_engine.types import Parameter, ParameterKind, Specification, Unit, UnitKind

_AWAITING = ast.Await | ast.AsyncFor | ast.AsyncWith


def functions_named(tree: ast.Module, unit: Unit) -> list[FunctionNode]:
    """The places where a reply may have put the function: where it belongs, or at top level."""
    at_top = last_function(tree.body, unit.name)
    owner = next(iter(unit.qualname.replace(".<locals>", "").split(".")[-2::-1]), None)
    owners = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.ClassDef | FunctionNode) and each.name == owner
    ]
    inside = [found for each in owners if (found := last_function(each.body, unit.name))]
    is_method = unit.kind is not UnitKind.FUNCTION
    ordered = [*reversed(inside), at_top] if is_method else [at_top, *reversed(inside)]
    return [each for each in ordered if each is not None]


def objection(function: FunctionNode, specification: Specification) -> str | None:
    """A clause that says why a function is not of the kind asked for; None if it is."""
    unit = specification.unit
    wanted = [(each.name, each.kind) for each in specification.parameters]
    found = _parameters(function)
    if unit.kind in (UnitKind.METHOD, UnitKind.CLASS_METHOD) and found[1:] == wanted:
        # The specification may or may not list the receiver among the parameters.
        found = wanted
    if found != wanted:
        return f"its `{unit.name}` takes ({_listed(found)}) where ({_listed(wanted)}) is asked for"
    if isinstance(function, ast.AsyncFunctionDef) != unit.is_async:
        got, wanted_kind = ("a plain", "an async") if unit.is_async else ("an async", "a plain")
        return f"its `{unit.name}` is {got} function where {wanted_kind} one is asked for"
    if not unit.is_async and any(isinstance(each, _AWAITING) for each in own_nodes(function)):
        return f"its `{unit.name}` awaits without being async"
    if is_stub_body(statements_after_docstring(function)):
        return f"its `{unit.name}` has no body"
    return None


def _parameters(function: FunctionNode) -> list[tuple[str, ParameterKind]]:
    arguments = function.args
    kinds = {
        **dict.fromkeys(arguments.posonlyargs, ParameterKind.POSITIONAL_ONLY),
        **dict.fromkeys(arguments.args, ParameterKind.POSITIONAL_OR_KEYWORD),
        **dict.fromkeys(arguments.kwonlyargs, ParameterKind.KEYWORD_ONLY),
        arguments.vararg: ParameterKind.VAR_POSITIONAL,
        arguments.kwarg: ParameterKind.VAR_KEYWORD,
    }
    return [(each.arg, kinds[each]) for each in arguments_of(arguments)]


def _listed(parameters: Sequence[tuple[str, ParameterKind]]) -> str:
    return ", ".join(listed_parameters([Parameter(name, kind) for name, kind in parameters]))
