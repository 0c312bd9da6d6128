"""Finds parameters that take functions which are called only for their effect."""

from __future__ import annotations

import ast

from assay_engine.reading.input_output import imported_names
from assay_engine.syntax.alternatives import alternatives
from assay_engine.syntax.names import last_name
from assay_engine.syntax.parsing import body_of
from assay_engine.types import Specification
from assay_engine.words import in_backticks

# Functions that keep their arguments in a list that is compared after the call. The list is the one
# that the method is bound to, or the default of a parameter of the function.
_OF_ONE = "[].append"
_OF_ANY = "lambda *given, kept=[]: kept.append(given)"
_AWAITED = "lambda *given, kept=[]: {asyncio}.sleep(0, kept.append(given))"


def sinks(specification: Specification) -> dict[str, str]:
    """The parameters that are annotated as functions which return nothing, or await to nothing.

    Each name comes with the text of a function to give there, which keeps its arguments. A function
    that gives functions has none: its prompt asks for a trace as a whole.
    """
    if specification.gives_functions:
        return {}
    imported = imported_names(body_of(specification.context))
    asyncio = next((name for name, module in imported.items() if module == "asyncio"), None)
    found: dict[str, str] = {}
    for parameter in specification.given_parameters:
        ways = [_keeping(each, asyncio) for each in alternatives(parameter.annotation)]
        if way := next(filter(None, ways), None):
            found[parameter.name] = way
    return found


def keeping_calls(specification: Specification) -> str:
    """A paragraph of a prompt that says how such functions can show that they were called."""
    found = sinks(specification)
    if not found:
        return ""
    names = list(found)
    each = f"`{names[0]}` is" if len(names) == 1 else f"{in_backticks(names)} are"
    given = [
        f"`{way}` for {in_backticks([name for name in names if found[name] == way])}"
        for way in dict.fromkeys(found.values())
    ]
    return (
        f"\n\nWhat {each} called with is compared only if it is kept: give {' and '.join(given)} "
        "wherever nothing else is needed."
    )


def _keeping(annotation: ast.expr, asyncio: str | None) -> str | None:
    match annotation:
        case ast.Subscript(value=outer, slice=ast.Tuple([given, gives])):
            is_function = last_name(outer) == "Callable"
        case _:
            return None
    if is_function and ast.unparse(gives) == "None":
        return _OF_ONE if isinstance(given, ast.List) and len(given.elts) == 1 else _OF_ANY
    if is_function and asyncio is not None and _is_nothing(_awaited(gives)):
        return _AWAITED.format(asyncio=asyncio)
    return None


def _is_nothing(gives: ast.expr | None) -> bool:
    """Whether nothing can be done with a result of this type."""
    return isinstance(gives, ast.Constant | ast.Name) and ast.unparse(gives) in ("None", "object")


def _awaited(gives: ast.expr) -> ast.expr | None:
    match gives:
        case ast.Subscript(value=outer, slice=awaited) if last_name(outer) == "Awaitable":
            return awaited
        case ast.Subscript(value=outer, slice=ast.Tuple([*_, awaited])):
            return awaited if last_name(outer) == "Coroutine" else None
        case _:
            return None
