"""Functions whose results are functions: decorators, and what makes functions to measure.

And those whose results are entered by ``with``, which are tried in the same way.
"""

from __future__ import annotations

import ast

from assay_engine.reading.units import Cut, decorator_name
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.names import last_name
from assay_engine.syntax.occurrences import own_nodes
from assay_engine.syntax.parsing import parse_expression

# What gives a function that does what another one does.
_OF_OTHERS = frozenset(("cast", "partial", "update_wrapper", "wraps"))
# Functions within functions within functions are followed so far.
_DEPTH_MAX = 5


def gives_functions(cut: Cut) -> bool:
    """Whether a function or method says that it returns functions, or returns nothing else."""
    node = cut.node
    if not isinstance(node, ast.FunctionDef) or cut.unit.is_generator or cut.unit.getter:
        return False
    return _is_callable(node.returns) or returns_functions(node)


def gives_managers(cut: Cut) -> bool:
    """Whether it is what `contextlib.contextmanager` makes context managers of."""
    names = [decorator_name(each).rpartition(".")[2] for each in cut.node.decorator_list]
    return cut.unit.is_generator and "contextmanager" in names


def _is_callable(annotation: ast.expr | None) -> bool:
    match annotation:
        case ast.Constant(value=str() as text):
            return _is_callable(parse_expression(text))
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return last_name(annotation) == "Callable"
        case _:
            return False


def returns_functions(function: FunctionNode, depth: int = _DEPTH_MAX) -> bool:
    """Whether all that it returns are functions that are made in it."""
    own = list(own_nodes(function))
    stored = {
        each.id for each in own if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    made = {
        each.name: each
        for each in own
        if isinstance(each, FunctionNode) and each.name not in stored
    }

    def is_function(value: ast.expr | None) -> bool:
        match value:
            case ast.Lambda():
                return True
            case ast.Name(id=name):
                return name in made
            case ast.IfExp(body=one, orelse=other):
                return is_function(one) and is_function(other)
            case ast.Call(func=ast.Name(id=name)) if name in made:
                return depth > 0 and returns_functions(made[name], depth - 1)
            case ast.Call(func=ast.Call(func=inner)):
                return last_name(inner) in _OF_OTHERS
            case ast.Call(func=called):
                return last_name(called) in _OF_OTHERS
            case _:
                return False

    returned = [each.value for each in own if isinstance(each, ast.Return)]
    return bool(returned) and all(map(is_function, returned))
