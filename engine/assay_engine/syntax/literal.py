"""Reads literal data in foreign text without running any of it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import cast

from assay_engine.syntax.parsing import parse_expression
from assay_sandbox import Value, encode


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


def arguments_in(text: str) -> tuple[Value, ...]:
    """The positional arguments that the text of a tuple or list holds: some record them like that.

    Raises ValueError, or TypeError for arguments that cannot be passed on, such as an ellipsis.
    """
    listed = literal_in(text)
    if not isinstance(listed, tuple | list):
        raise NotLiteral(f"it is of type {type(listed).__name__}")
    arguments = tuple(cast("Sequence[Value]", listed))
    encode([arguments])
    return arguments
