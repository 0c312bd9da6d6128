"""Scripts: inputs of several statements, of which the last is an expression, as in a doctest.

A script that ends with a plain call travels within the call's first argument, and the other
arguments see what it binds. Any other script stands in the place of the call.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise

from assay_engine.syntax.parsing import parse

STATEMENTS_MAX = 40


def script_text(statements: Sequence[ast.stmt]) -> str:
    """The script of these statements, each on lines of its own."""
    return "\n".join(map(ast.unparse, statements))


def statements_of(source: str) -> list[ast.stmt]:
    """The statements of a script; none for a lone expression or text that is no Python."""
    # Nearly all expressions stand alone, and parsing takes time.
    tree = parse(source) if "\n" in source else None
    return tree.body if isinstance(tree, ast.Module) and len(tree.body) > 1 else []


def steps_apart(source: str) -> tuple[str, str]:
    """The steps of a script, written on one line, and the value that they lead to.

    ``it = Cache(2); `` and ``it`` are such a pair. Any other text gives an empty text and itself.
    """
    match statements_of(source):
        case [*steps, ast.Expr(value=value)]:
            return "".join(f"{on_one_line(step)}; " for step in steps), ast.unparse(value)
        case _:
            return "", source


def step_text(source: str, number: int) -> str:
    """Step `number` of a script, counted from 1, on one line; else nothing."""
    statements = statements_of(source)
    return on_one_line(statements[number - 1]) if 0 < number <= len(statements) else ""


def on_one_line(statement: ast.stmt) -> str:
    """A statement as one reads it on one line, a block behind its colon."""
    lines = [line.strip() for line in ast.unparse(statement).splitlines() if line.strip()]
    gaps = [" " if before.endswith(":") else "; " for before, _ in pairwise(lines)]
    return "".join(f"{line}{gap}" for line, gap in zip(lines, [*gaps, ""], strict=True))


def assigned(name: str, value: ast.expr) -> ast.stmt:
    """``name = value``."""
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=1)


def is_call_of(node: ast.AST, name: str) -> bool:
    """Whether a node calls something of this name, be it a variable or an attribute."""
    match node:
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)):
            return called == name
        case _:
            return False
