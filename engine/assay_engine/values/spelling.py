"""Writes values that have no literal: non-finite numbers, and values of types from modules."""

from __future__ import annotations

import ast
import math
import re

from assay_engine.source.input_output import imported_names
from assay_engine.source.parsing import parse_expression, statements_in
from assay_engine.source.text import read_source
from assay_engine.types import Specification
from assay_engine.values.parts import parts_of, with_parts
from assay_sandbox import Container, Expression, Scalar, Value, render

# Models write non-finite numbers by these names, whether or not the function's module has them.
MODULES = frozenset({"math", "np", "numpy"})
_OF_MODULES = re.compile(r"\b(?:math|np|numpy)\.(?:nan|inf)\b")


def source_of(value: Value) -> str:
    """Text that evaluates to the value in any program.

    `nan` is not a name there, and `datetime` need not be one.
    """
    return render(_spelled(value))


def _spelled(value: Value) -> Value:
    match value:
        case float() if not math.isfinite(value):
            return Expression(_number(value))
        case complex() if not (math.isfinite(value.real) and math.isfinite(value.imag)):
            return Expression(f"complex({_number(value.real)}, {_number(value.imag)})")
        case Scalar():
            return Expression(_imported(render(value), value.type_name))
        case Container() if parts_of(value):
            spelled = with_parts(value, list(map(_spelled, parts_of(value))))
            return Expression(_imported(render(spelled), value.type_name))
        case _:
            parts = parts_of(value)
            return with_parts(value, list(map(_spelled, parts))) if parts else value


def _imported(text: str, type_name: str) -> str:
    """The text of a value, with the module of its type imported within the text."""
    module, dot, _ = type_name.partition(".")
    if module == "datetime":
        # The text of a moment can contain a zone, of `datetime` or of `zoneinfo`.
        text = text.replace("zoneinfo.", "__import__('zoneinfo').")
        return text.replace("datetime.", "__import__('datetime').")
    return text.replace(f"{module}.", f"__import__('{module}').", 1) if dot else text


def _number(value: float) -> str:
    return repr(value) if math.isfinite(value) else f"float('{value}')"


def spelled_out(text: str, specification: Specification) -> str:
    """The line with `float('nan')` for `np.nan` and its like, where the program has no `np`."""
    expression = parse_expression(text) if _OF_MODULES.search(text) else None
    if expression is None:
        return text
    tree = read_source(specification.program).tree
    missing = MODULES.difference(imported_names(statements_in(tree.body)))
    try:
        return ast.unparse(_SpellingOut(missing).visit(expression))
    except (ValueError, RecursionError):  # too many digits, or nested too deeply, to write it
        return text


class _SpellingOut(ast.NodeTransformer):
    def __init__(self, missing: frozenset[str]) -> None:
        self._missing = missing

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr="nan" | "inf" as name) if (
                module in self._missing
            ):
                return ast.Call(ast.Name("float"), [ast.Constant(name)], [])
            case _:
                return self.generic_visit(node)
