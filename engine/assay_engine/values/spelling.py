"""Writes non-finite numbers, which have no literal, so that they can be read in any program."""

from __future__ import annotations

import ast
import re

from assay_engine.syntax.input_output import imported_names
from assay_engine.syntax.parsing import parse, statements_in
from assay_engine.syntax.text import read_source
from assay_engine.types import Specification

# Models write non-finite numbers by these names, whether or not the function's module has them.
MODULES = frozenset({"math", "np", "numpy"})
_OF_MODULES = re.compile(r"\b(?:math|np|numpy)\.(?:nan|inf)\b")


def spelled_out(text: str, specification: Specification) -> str:
    """The text with `float('nan')` for `np.nan` and its like, where the program has no `np`."""
    module = parse(text) if _OF_MODULES.search(text) else None
    if not isinstance(module, ast.Module):
        return text
    tree = read_source(specification.program).tree
    missing = MODULES.difference(imported_names(statements_in(tree.body)))
    try:
        return ast.unparse(_SpellingOut(missing).visit(module))
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
