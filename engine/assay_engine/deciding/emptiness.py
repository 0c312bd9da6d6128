"""How much of an input is nothing: a limit of nought, an empty text.

What a function does there is the first thing that a reader waves aside, though it may be all that
there is to show.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from assay_engine.inputs.parts import nodes_of
from assay_engine.syntax.parsing import parse_expression
from assay_sandbox import Call, Expression, Value

_PLAIN = (int, float, str, bytes, list, tuple, set, dict)


def emptiness(call: Call) -> int:
    """How many arguments, or parts of them, are nought, empty or None."""
    return sum(_nothings(node) for value in call.values for node in nodes_of(value))


def _nothings(value: Value) -> int:
    if isinstance(value, Expression):
        return _nothings_in(value.source)
    plain = value is None or isinstance(value, _PLAIN)
    return int(plain and not value and value is not False)


# The same inputs are ranked again whenever some are added to them.
@lru_cache(maxsize=4096)
def _nothings_in(source: str) -> int:
    expression = parse_expression(source)
    return 0 if expression is None else sum(map(_says_nothing, ast.walk(expression)))


def _says_nothing(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=value):
            return value is None or (not value and value is not False)
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
        case _:
            return False
