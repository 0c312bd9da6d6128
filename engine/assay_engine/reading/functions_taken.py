"""Finds parameters that take functions, by their annotation or by their use."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay_engine.reading.units import Cut
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.names import names_in

# Functions that call their first argument.
_CALLING = frozenset(("filter", "map", "reduce", "starmap"))


def functions_taken(cut: Cut) -> tuple[str, ...]:
    """The names of parameters that are annotated as functions (or as holding some), or called.

    A receiver that is called does not count, because no argument of a call could give it.
    """
    called = set(_called(cut.node))
    several = (cut.node.args.vararg, cut.node.args.kwarg)
    return tuple(
        each.arg
        for each in cut.given
        if each not in several and (each.arg in called or _is_of_functions(each.annotation))
    )


def _is_of_functions(annotation: ast.expr | None) -> bool:
    return annotation is not None and any("Callable" in name for name in names_in(annotation))


def _called(function: FunctionNode) -> Iterator[str]:
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                yield name
                if name in _CALLING and node.args and isinstance(node.args[0], ast.Name):
                    yield node.args[0].id
            case ast.keyword(arg="key", value=ast.Name(id=name)):
                yield name
            case _:
                pass
