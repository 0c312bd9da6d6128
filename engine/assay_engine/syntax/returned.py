"""Recognises functions that hand out an iterator, as far as their text says so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.parsing import last_name
from assay_engine.syntax.scopes import is_generator, own_nodes
from assay_engine.syntax.text import last_function

_ANNOTATIONS = frozenset({"Generator", "Iterator"})
_BUILTIN = frozenset({"enumerate", "filter", "iter", "map", "reversed", "zip"})
# All functions of itertools but `tee`. A user's function with such a name may return something
# else; this shows when it is run.
_OF_ITERTOOLS = """
accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile
filterfalse from_iterable groupby islice pairwise permutations product repeat starmap takewhile
zip_longest
"""
_FROM_ITERTOOLS = frozenset(_OF_ITERTOOLS.split())


def gives_iterator(function: FunctionNode, module: list[ast.stmt]) -> bool:
    """Whether a function is a generator, or returns nothing but iterators, and is not async.

    `module` are the statements that the function stands among. They tell what other functions
    there return.
    """
    return _gives(function, module, frozenset())


def _gives(function: FunctionNode, module: list[ast.stmt], asked: frozenset[str]) -> bool:
    if isinstance(function, ast.AsyncFunctionDef) or function.name in asked:
        return False
    if is_generator(function):
        return True
    if function.returns is not None and last_name(function.returns) in _ANNOTATIONS:
        return True
    nodes = tuple(own_nodes(function))
    asked = asked | {function.name}

    def iterates(value: ast.expr | None, names: frozenset[str] = frozenset()) -> bool:
        match value:
            case ast.GeneratorExp():
                return True
            case ast.IfExp():
                return iterates(value.body, names) and iterates(value.orelse, names)
            case ast.Name(id=name) if name not in names:
                given = [each for node in nodes for each in _given(node, name)]
                return bool(given) and all(iterates(each, names | {name}) for each in given)
            case ast.Call(func=ast.Name() | ast.Attribute() as what):
                name = last_name(what)
                if name in _FROM_ITERTOOLS:
                    return True
                if not isinstance(what, ast.Name):
                    return False
                called = last_function(function.body, name) or last_function(module, name)
                return name in _BUILTIN if called is None else _gives(called, module, asked)
            case _:
                return False

    found = [each.value for each in nodes if isinstance(each, ast.Return)]
    return bool(found) and all(map(iterates, found))


def _given(node: ast.AST, name: str) -> Iterator[ast.expr]:
    """What a node assigns to a name."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value
