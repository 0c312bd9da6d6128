"""Literal data in foreign text: what it says, without running any of it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import cast

from assay_engine.syntax.parsing import parse_expression
from assay_sandbox import Value, encode


class NotLiteral(ValueError):
    """It is something else: a name, a call, a set of lists, or no Python at all."""


def literal(node: ast.expr) -> Value:
    """The value that a literal stands for. Raises `NotLiteral` for anything else.

    An ellipsis is one to Python, too, though no program can be handed it.
    """
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise NotLiteral(str(error)) from None


def literal_in(text: str) -> Value:
    """The same of a lone expression's text."""
    node = parse_expression(text)
    if node is None:
        raise NotLiteral(f"no expression: {text[:40]!r}")
    return literal(node)


def arguments_in(text: str) -> tuple[Value, ...]:
    """The positional arguments that a tuple's text lists, or a list's: some record them so.

    Raises ValueError, or TypeError for what cannot be passed on, such as an ellipsis.
    """
    listed = literal_in(text)
    if not isinstance(listed, tuple | list):
        raise NotLiteral(f"it is of type {type(listed).__name__}")
    arguments = tuple(cast("Sequence[Value]", listed))
    encode([arguments])
    return arguments
