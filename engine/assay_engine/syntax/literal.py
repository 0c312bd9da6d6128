"""Reads literal data in foreign text without running any of it."""

from __future__ import annotations

import ast

from assay_engine.syntax.parsing import parse_expression
from assay_sandbox import Value


class NotLiteral(ValueError):
    """The text is no literal: it is a name, a call, a set of lists, or no Python at all."""


def literal(node: ast.expr) -> Value:
    """The value that a literal stands for. Raises `NotLiteral` for anything else.

    To Python, an ellipsis is a literal, too, though no program can be handed one.
    """
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise NotLiteral(str(error)) from None


def literal_in(text: str) -> Value:
    """The value of the text of a lone literal. Raises `NotLiteral` for anything else."""
    node = parse_expression(text)
    if node is None:
        raise NotLiteral(f"no expression: {text[:40]!r}")
    return literal(node)
