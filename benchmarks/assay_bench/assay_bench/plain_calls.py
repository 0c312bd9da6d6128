"""Makes programs in which functions are called as tests call them: plainly, without awaiting.

The sandbox awaits what a call returns, since that is how a user's coroutine is put on trial. A
task's tests, however, get a coroutine from an ``async def``. This is no right answer, whatever
awaiting it gives.
"""

from __future__ import annotations

import ast
from keyword import iskeyword

from assay_engine.syntax.parsing import SyntaxFault, parse, statements_in

_PLAINLY = """

def _assay_plainly(function):
    def called(*arguments, **named):
        result = function(*arguments, **named)
        kind = type(result).__name__
        if kind not in ("coroutine", "async_generator"):
            return result
        if kind == "coroutine":
            result.close()
        return type("unawaited_" + kind, (), {{}})()

    return called


{name} = _assay_plainly({name})
"""


def called_plainly(source: str, name: str) -> str:
    """The program, changed so that calls of function `name` give a mere object for a coroutine.

    A text without asynchronous functions stays as it is, so that recursive functions can go deeper.
    """
    if "async" not in source or not name.isidentifier() or iskeyword(name):
        return source
    tree = parse(source)
    if isinstance(tree, SyntaxFault) or not any(map(_is_asynchronous, statements_in(tree.body))):
        return source
    return source + _PLAINLY.format(name=name)


def _is_asynchronous(statement: ast.AST) -> bool:
    return isinstance(statement, ast.AsyncFunctionDef)
