"""Prepares the programs of vectors for running."""

from __future__ import annotations

import ast

from assay_bench.vectors.reading import BadVector
from assay_sandbox import Program

_ENTRY = "_call"
_EACH_TIME = """\
_code = compile({text!r}, "<program>", "exec", dont_inherit=True)


def _call(*arguments):
    module = {{"__name__": "program", "__builtins__": __builtins__}}
    exec(_code, module)
    return module[{entry!r}](*arguments)
"""

_TEST = "test_of_statements"


def program(text: str, entry: str) -> Program:
    """The program as a function. It is loaded anew for each call, so that its behaviour on an input
    does not depend on earlier inputs, and properties do not depend on an order."""
    return Program(_EACH_TIME.format(text=text, entry=entry), _ENTRY)


def tested(text: str, test: str) -> Program:
    """A program without parameters that returns True if the test passes."""
    return program(f"{text}\n\n{test}\n", "_passes")


def assertion(test: str) -> str:
    """The text of a test that asserts, with a function `_passes` that returns True if it passes.

    The functions whose names start with ``test_`` are called; without any, the whole text is the
    test. Raises BadVector.
    """
    try:
        module = ast.parse(test)
    except (SyntaxError, ValueError) as error:
        raise BadVector(f"a test that is no Python: {error}") from None
    named = [
        each.name
        for each in module.body
        if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")
    ]
    if not named:
        whole = ast.parse(f"def {_TEST}():\n    pass\n")
        (function,) = whole.body
        assert isinstance(function, ast.FunctionDef)
        function.body = module.body or function.body
        test, named = ast.unparse(whole), [_TEST]
    calls = "".join(f"    {name}()\n" for name in named)
    return f"{test}\n\n\ndef _passes():\n{calls}    return True\n"
