"""Writes uses as statements: ``with`` and ``try`` for our helpers `inside` and `caught`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from assay_engine.syntax.uses import CAUGHT, INSIDE, is_call_of

# The name for a block's value.
RESULT = "result"


def as_blocks(asked: ast.expr) -> tuple[tuple[ast.stmt, ...], ast.expr | None]:
    """Statements that do the same as a use without the helpers, and what is asked after them.

    For ``(caught(f, 1), seen)``, `seen` is asked after the statements. There are no statements, and
    None is asked, if the use cannot do without the helpers.
    """
    match asked:
        case ast.Tuple(elts=parts):
            pass
        case ast.Call(func=ast.Name(id=name), args=[ast.Name() as function, *args]) if (
            name == CAUGHT and function.id != INSIDE
        ):
            # A prompt shows what is raised, so the helper is not needed.
            return (), ast.Call(function, args, asked.keywords)
        case _:
            parts = [asked]
    blocks: list[ast.stmt] = []
    left: list[ast.expr] = []
    for part in parts:
        done = as_block(part)
        if done is None:
            left.append(part)
            continue
        if left:
            # The block would be run before the parts that stand before it.
            return (), None
        blocks.append(done)
    results = [ast.Name(RESULT, ast.Load())] if _gives_result(blocks) else []
    shown: Sequence[ast.expr] = (*results, *left)
    if not blocks or not shown or _has_helpers(shown):
        return (), None
    return tuple(blocks), shown[0] if len(shown) == 1 else ast.Tuple([*shown], ast.Load())


def as_block(part: ast.expr) -> ast.stmt | None:
    """The statement for a call of a helper; None if a part is no such call, or too involved."""
    match part:
        case ast.Call(func=ast.Name(id=name), args=[manager, function], keywords=[]) if (
            name == INSIDE
        ):
            return _with(manager, function, RESULT)
        case ast.Call(
            func=ast.Name(id=name), args=[ast.Name(id=called), manager, function], keywords=[]
        ) if (name, called) == (CAUGHT, INSIDE):
            block = _with(manager, function)
        case ast.Call(func=ast.Name(id=name), args=[function, *args], keywords=named) if (
            name == CAUGHT
        ):
            block = ast.Expr(ast.Call(function, args, named))
        case _:
            return None
    return None if block is None else trying(block, "Exception")


def trying(statement: ast.stmt, raised: str) -> ast.stmt:
    """A ``try`` around a statement that passes over an exception."""
    handler = ast.ExceptHandler(ast.Name(raised, ast.Load()), None, [ast.Pass()])
    return ast.Try([statement], [handler], [], [])


def _with(manager: ast.expr, function: ast.expr, result: str = "") -> ast.stmt | None:
    match function:
        case ast.Lambda(args=ast.arguments(args=[parameter]), body=value):
            used = any(isinstance(n, ast.Name) and n.id == parameter.arg for n in ast.walk(value))
            entered = ast.Name(parameter.arg, ast.Store()) if used else None
        case _:
            return None
    body: ast.stmt = ast.Expr(value)
    if result:
        body = ast.Assign([ast.Name(result, ast.Store())], value, lineno=1)
    return ast.With([ast.withitem(manager, entered)], [body], lineno=1)


def _gives_result(blocks: Sequence[ast.stmt]) -> bool:
    return any(isinstance(each, ast.With) for each in blocks)


def _has_helpers(parts: Sequence[ast.expr]) -> bool:
    return any(
        isinstance(node, ast.expr) and (is_call_of(node, CAUGHT) or is_call_of(node, INSIDE))
        for part in parts
        for node in ast.walk(part)
    )
