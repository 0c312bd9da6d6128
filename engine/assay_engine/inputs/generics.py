"""Finds the type parameters of definitions, and puts type arguments in their place.

Type parameters are made by `TypeVar` and named by `Generic[T]`, or, since Python 3.12, declared in
brackets behind a name (PEP 695).

The classes and aliases of a program's text, by the names that annotations use.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, cast

from msgspec import Struct, field
from typing_extensions import override

from assay_engine.source.annotations import aliases_in, is_alias
from assay_engine.source.classes import Classes
from assay_engine.source.parsing import last_name, parse, parse_expression


def variables_declared(node: ast.AST) -> dict[str, ast.expr]:
    """The type parameters declared in brackets, each as the call of `TypeVar` that it stands for.

    A parameter that stands for several types has no values of its own, and is left out.
    """
    found: dict[str, ast.expr] = {}
    for declared in _in_brackets(node):
        if type(declared).__name__ == "TypeVar":
            bound: ast.expr | None = declared.bound
            limits = list(bound.elts) if isinstance(bound, ast.Tuple) else []
            keywords = [] if bound is None or limits else [ast.keyword("bound", bound)]
            name = ast.Constant(declared.name)
            found[declared.name] = ast.Call(ast.Name("TypeVar"), [name, *limits], keywords)
    return found


def is_variable(value: ast.expr | None) -> bool:
    """Whether the value assigned to a name is a type variable."""
    return isinstance(value, ast.Call) and last_name(value.func) == "TypeVar"


def arguments_of(
    node: ast.ClassDef | ast.expr,
    declared: Sequence[str],
    given: Sequence[ast.expr],
    aliases: Mapping[str, ast.expr],
) -> dict[str, ast.expr]:
    """The arguments given for the type parameters of a class or an alias.

    Parameters without an argument are left out.
    """
    # No `strict`: a parameter without an argument stands for whatever its variable allows.
    return dict(zip(_parameters_of(node, declared, aliases), given, strict=False))


def _parameters_of(
    node: ast.ClassDef | ast.expr, declared: Sequence[str], aliases: Mapping[str, ast.expr]
) -> list[str]:
    """The type parameters of a class or an alias, in order.

    They are the declared ones if there are any, else the type variables in the bases of the class
    or in the alias's type.
    """
    if declared:
        return list(declared)
    named = node.bases if isinstance(node, ast.ClassDef) else [node]
    listed = [each for each in named if last_name(each) in ("Generic", "Protocol")]
    names = [
        each
        for whole in listed or named
        for each in ast.walk(whole)
        if isinstance(each, ast.Name) and is_variable(aliases.get(each.id))
    ]
    # In the order of the text, in which `ast.walk` does not go.
    ordered = sorted(names, key=lambda each: (each.lineno, each.col_offset))
    return list(dict.fromkeys(each.id for each in ordered))


def names_declared(node: ast.AST) -> list[str]:
    return [declared.name for declared in _in_brackets(node)]


def scopes_in(body: Sequence[ast.stmt], path: str = "") -> dict[str, dict[str, ast.expr]]:
    """The type parameters that hold in each function and class, by dotted name.

    They are those declared in its own brackets and in the brackets of the classes around it.
    """
    found: dict[str, dict[str, ast.expr]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            around = found.setdefault(f"{path}{node.name}", variables_declared(node))
            if isinstance(node, ast.ClassDef):
                inner = scopes_in(node.body, f"{path}{node.name}.")
                found.update({name: {**around, **own} for name, own in inner.items()})
    return found


def with_arguments(annotation: ast.expr, arguments: Mapping[str, ast.expr]) -> ast.expr:
    """The annotation with each type parameter that has an argument replaced by it."""
    return _Replacing(arguments).visit(deepcopy(annotation)) if arguments else annotation


class _Replacing(ast.NodeTransformer):
    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    @override
    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._given.get(node.id, node)

    @override
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Replace within a string: an annotation, or any part of one, may be written as one."""
        inner = parse_expression(node.value) if isinstance(node.value, str) else None
        return node if inner is None else self.visit(inner)

    @override
    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Replace within the subscript, but not in a `Literal`: its strings are not annotations."""
        return node if last_name(node) == "Literal" else cast("ast.expr", self.generic_visit(node))


def _in_brackets(node: ast.AST) -> list[Any]:
    # Any: only the parser of Python 3.12 and later knows `type_params`.
    return getattr(node, "type_params", [])


class Definitions(Struct, frozen=True):
    """A program's definitions of the names that annotations use.

    `parameters` are the type parameters of aliases that declare them. `scopes` says what the type
    parameters of functions and classes stand for.
    """

    classes: Classes = field(default_factory=lambda: Classes(()))
    aliases: Mapping[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    parameters: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    scopes: Mapping[str, Mapping[str, ast.expr]] = field(
        default_factory=dict[str, Mapping[str, ast.expr]]
    )


def definitions_of(program: str) -> Definitions | None:
    """The definitions of a program; None if it does not parse."""
    tree = parse(program)
    if not isinstance(tree, ast.Module):
        return None
    aliases = aliases_in(tree.body)
    parameters = {
        name: names_declared(node)
        for node in tree.body
        if is_alias(node)
        for name in aliases_in([node])
    }
    # A type parameter without an argument stands for its own type variable.
    for node in tree.body:
        for name, variable in variables_declared(node).items():
            aliases.setdefault(name, variable)
    return Definitions(Classes(tree.body), aliases, parameters, scopes_in(tree.body))
