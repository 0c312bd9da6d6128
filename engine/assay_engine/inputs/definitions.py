"""The classes and aliases of a program's text, by the names that annotations use."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from assay_engine.inputs.generics import (
    names_declared,
    scopes_in,
    variables_declared,
)
from assay_engine.syntax.aliases import aliases_in, is_alias
from assay_engine.syntax.lineage import Classes
from assay_engine.syntax.parsing import parse


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
