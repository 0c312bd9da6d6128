"""Finds what a module does when it is imported, beyond importing, defining and naming constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from assay_engine.reading.input_output import dotted, root_of
from assay_engine.reading.reaching import is_harmless
from assay_engine.syntax.statements import Definition

# Calls of these make a value of what they are given, and decorators of these a definition.
_MAKERS = """
bool bytearray bytes bytes.fromhex classmethod complex dict dict.fromkeys float frozenset int len
list max min object ord property range set slice sorted staticmethod str str.maketrans sum tuple
"""
PLAIN_CALLS = frozenset(_MAKERS.split())
_OF_PROPERTIES = ("deleter", "getter", "setter")
_OF_PARTS = (
    *(ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred),
    *(ast.Subscript, ast.Slice, ast.UnaryOp, ast.BinOp),
)


def run_at_import(
    statements: Sequence[ast.stmt], imported: Mapping[str, str]
) -> Iterator[ast.expr | ast.stmt]:
    """What of some top-level statements runs at every import and is more than a plain constant.

    Default values, annotations, decorators and the bodies of classes run then, too. `imported` says
    what names stand for, see `imported_names`.
    """
    values = _Values(imported)
    for each in statements:
        yield from _doing(each, values)
        if isinstance(each, ast.Assign):
            values.learn(each)


def _doing(statement: ast.stmt, values: _Values) -> Iterator[ast.expr | ast.stmt]:
    parts: list[ast.expr | None] = []
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
            pass
        case (
            ast.FunctionDef(args=arguments, returns=returns)
            | ast.AsyncFunctionDef(args=arguments, returns=returns)
        ):
            every = [node for node in ast.walk(arguments) if isinstance(node, ast.arg)]
            parts += [*arguments.defaults, *arguments.kw_defaults, returns]
            parts += [each.annotation for each in every]
            yield from values.doing_decorators(statement)
        case ast.ClassDef(bases=bases, keywords=keywords, body=body):
            parts += [*bases, *(each.value for each in keywords)]
            yield from values.doing_decorators(statement)
            for each in body:
                yield from _doing(each, values)
        case ast.Assign(targets=targets, value=value) if _are_names(targets):
            parts += [value]
        case ast.AnnAssign(target=ast.Name(), annotation=annotation, value=value):
            parts += [annotation, value]
        case _:
            yield statement
    yield from (each for each in parts if each is not None and not values.is_plain(each))


class _Values:
    """Tells values that are only made."""

    def __init__(self, imported: Mapping[str, str]) -> None:
        self._imported = imported
        self._constants: set[str] = set()

    def learn(self, statement: ast.Assign) -> None:
        """Take note of a name that stands for a value that cannot be called."""
        if self._may_be_given(statement.value):
            names = (each.id for each in statement.targets if isinstance(each, ast.Name))
            self._constants.update(names)

    def is_plain(self, value: ast.expr) -> bool:
        """Whether a value is a constant, a name, or made of these by what only makes values."""
        match value:
            case ast.Constant() | ast.Name() | ast.Lambda():
                return True
            case ast.Attribute(value=owner):
                return self.is_plain(owner)
            case ast.Call(func=function, args=positional, keywords=named):
                given = [*positional, *(each.value for each in named)]
                return self._only_makes(function) and all(map(self._may_be_given, given))
            case _ if isinstance(value, _OF_PARTS):
                parts = [each for each in ast.iter_child_nodes(value) if isinstance(each, ast.expr)]
                return all(map(self.is_plain, parts))
            case _:
                return False

    def doing_decorators(self, definition: Definition) -> Iterator[ast.expr]:
        for each in definition.decorator_list:
            function = each.func if isinstance(each, ast.Call) else each
            of_property = isinstance(each, ast.Attribute) and each.attr in _OF_PROPERTIES
            if not of_property and not (self._only_makes(function) and self.is_plain(each)):
                yield each

    def _may_be_given(self, value: ast.expr) -> bool:
        """Whether a value can be passed to a call: what can be called, the call may call."""
        nodes = list(ast.walk(value))
        names = [each for each in nodes if isinstance(each, ast.Name)]
        known = [each for each in names if each.id in self._constants or each.id in self._imported]
        rest = [each for each in names if each not in known]
        has_code = any(isinstance(each, ast.Lambda) for each in nodes)
        return self.is_plain(value) and not has_code and all(map(self._only_makes, rest))

    def _only_makes(self, function: ast.expr) -> bool:
        path = dotted(function, self._imported)
        return path in PLAIN_CALLS or (root_of(function) in self._imported and is_harmless(path))


def _are_names(targets: Sequence[ast.expr]) -> bool:
    return all(isinstance(each, ast.Name) for each in targets)
