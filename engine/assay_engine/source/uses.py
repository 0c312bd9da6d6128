"""Uses of a function that returns functions: ``f = counted(len); (f("ab"), f.calls)``.

Functions that return context managers, asynchronous ones among them, have uses, too:
``inside(changed(d, "a", 1), lambda entered: dict(d))``. The function or manager that is returned
cannot be compared, but what it does can. A use travels as one argument, the text of a lambda, which
is called in the place of the function.

Writes uses as statements: ``with`` and ``try`` for our helpers `inside` and `caught`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

from assay_engine.source.parsing import SyntaxFault, parse, parse_expression
from assay_engine.source.scopes import occurrences
from assay_engine.source.steps import after, as_statements, in_steps
from assay_sandbox import AWAITED

USER = "_assay_use"
# `caught` makes a call that may raise, and `inside` stands for a ``with`` block: the lines of a use
# are expressions.
CAUGHT, INSIDE = "caught", "inside"
# This is no function of its own, because frames tell which calls the use made and which we made.
_USER_SOURCE = f"""

{USER} = type(lambda: None).__call__
"""
_HELPERS = {
    CAUGHT: f"""

def {CAUGHT}(function, *arguments, **named):
    try:
        return function(*arguments, **named)
    except Exception as error:
        return type(error)
""",
    INSIDE: f"""

def {INSIDE}(manager, function):
    with manager as entered:
        return function(entered)
""",
}
# The same where there may be coroutines.
_AWAITING = {
    CAUGHT: f"""

def {CAUGHT}(function, *arguments, **named):
    try:
        return {AWAITED}(function(*arguments, **named))
    except Exception as error:
        return type(error)
""",
    INSIDE: f"""

def {INSIDE}(manager, function):
    async def entering():
        async with manager as entered:
            result = function(entered)
            return await result if hasattr(type(result), "__await__") else result
    if hasattr(type(manager), "__aenter__") and not hasattr(type(manager), "__enter__"):
        return {AWAITED}(entering())
    with manager as entered:
        return {AWAITED}(function(entered))
""",
}


_NO_PARAMETERS = ast.arguments([], [], None, [], [], None, [])


@lru_cache(maxsize=64)
def has_helper(name: str, program: str) -> bool:
    """Whether uses of a program can be written with a helper: its name may be the program's own."""
    if name not in program:
        return True
    tree = parse(program)
    return not isinstance(tree, SyntaxFault) and not any(
        each.name == name and each.in_module for each in occurrences(tree.body)
    )


def with_helpers(program: str) -> str:
    """The program with the helpers by which steps and uses are written."""
    awaits = "async" in program or "await" in program
    helpers = (_AWAITING if awaits else _HELPERS).items()
    return "".join((program, *(text for name, text in helpers if has_helper(name, program))))


def with_user(program: str) -> str:
    """The program with the helpers and the function that run its uses."""
    return with_helpers(program) + _USER_SOURCE


def is_call_of(node: ast.AST, name: str) -> bool:
    """Whether a node calls something of this name, be it a variable or an attribute."""
    match node:
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)):
            return called == name
        case _:
            return False


def as_use(source: str, name: str, *, shows_results: bool = False) -> ast.Lambda | None:
    """The use of the function `name` that a text is, perhaps behind steps, as the argument.

    None if the text is no use. `shows_results` tells whether some of what the function returns can
    be compared as it is.
    """
    steps, last = in_steps(source) or ([], source)
    value = parse_expression(last)
    if value is None or isinstance(value, ast.Lambda):
        return None
    if not any(is_call_of(node, name) for part in (*steps, value) for node in ast.walk(part)):
        return None
    if is_call_of(value, name) and not shows_results:
        # Nothing can be seen of what the function returns, except whether it returns.
        value = ast.Call(ast.Name("callable", ast.Load()), [value], [])
    return ast.Lambda(_NO_PARAMETERS, after(steps, value) if steps else value)


def use_as_written(source: str) -> str | None:
    """The use that the text of such an argument holds, as statements; None if it holds none."""
    match parse_expression(source):
        case ast.Lambda(body=body):
            return as_statements(ast.unparse(body))
        case _:
            return None


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
