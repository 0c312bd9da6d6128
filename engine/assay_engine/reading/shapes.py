"""Recognises functions that cannot be called on their own with inputs of our choice."""

from __future__ import annotations

import ast

from assay_engine.reading.functions_returned import returns_functions
from assay_engine.reading.input_output import imported_names
from assay_engine.reading.units import Cut, decorator_name, is_stub_body
from assay_engine.syntax.parsing import statements_in
from assay_engine.syntax.source import Source
from assay_engine.syntax.statements import Definition
from assay_engine.syntax.uses import INSIDE
from assay_engine.types import Gives, Specification, UnitKind

_WRAPPING_MODULES = """
abc attr attrs beartype cachetools contextlib dataclasses deprecated enum functools numba typeguard
types typing typing_extensions warnings wrapt
"""
_GETTERS = ("property", "cached_property")
_ACCESSORS = ("setter", "getter", "deleter")
_DISPATCHERS = ("singledispatch", "singledispatchmethod")


def unsupported_shape(specification: Specification, source: Source, cut: Cut) -> str | None:
    """One sentence on why a function of this shape cannot be checked, or None.

    `source` and `cut` are those of the specification's program.
    """
    name = f"`{cut.node.name}`"
    if "<locals>" in specification.entry:
        return (
            f"{name} uses what the function around it binds; "
            "pass that in as parameters and move the function to the module."
        )
    if cut.node.name.startswith("test_"):
        return f"{name} is a test; check the function that it tests."
    for decorator in cut.node.decorator_list:
        reason = _unsupported_decorator(decorator, specification, source, name)
        if reason is not None:
            return reason
    if is_stub_body(cut.node.body):
        return f"{name} has no body yet; write one, or check a class that implements it."
    compared = specification.examples or specification.gives_functions
    if not compared and returns_functions(cut.node):
        return (
            f"{name} returns a function, and functions cannot be compared; "
            "show in its docstring what calls of it give."
        )
    if _has_nothing_to_vary(specification, cut):
        return (
            f"{name} takes no arguments, so there is nothing to vary; "
            "show in its docstring an example of what it returns."
        )
    return None


def _unsupported_decorator(
    decorator: ast.expr, specification: Specification, source: Source, name: str
) -> str | None:
    dotted = decorator_name(decorator)
    last = dotted.rsplit(".", 1)[-1]
    if last in _GETTERS and specification.unit.getter:
        return None
    if last in _GETTERS or last in _ACCESSORS:
        return (
            f"{name} is more than a plain property; move what it does to a method to have that "
            "checked."
        )
    if (
        last in ("asynccontextmanager", "contextmanager")
        and specification.gives is not Gives.MANAGERS
    ):
        return (
            f"{name} is a context manager, and its module has `{INSIDE}` for something else, by "
            "which its uses are written; move what it computes to a function of its own."
        )
    if last in _DISPATCHERS:
        return (
            f"{name} leaves to the functions registered with it what it does, by its argument's "
            "type; check these."
        )
    if last.startswith("abstract"):
        return f"{name} is abstract; check it in a class that implements it."
    if last in ("staticmethod", "classmethod") or _is_wrapping(dotted, specification, source):
        return None
    return (
        f"The decorator `@{dotted or ast.unparse(decorator)}` may register or replace {name}; "
        "move what it computes to a function without it."
    )


def _is_wrapping(dotted: str, specification: Specification, source: Source) -> bool:
    """Whether a decorator gives back something that is called like the function."""
    root = dotted.split(".", 1)[0]
    defined = {
        each.name for each in statements_in(source.tree.body) if isinstance(each, Definition)
    }
    if root in defined:
        return True
    origin = imported_names(statements_in(source.tree.body)).get(root, "").split(".", 1)[0]
    return origin in _WRAPPING_MODULES.split() or origin in specification.workspace_roots


def _has_nothing_to_vary(specification: Specification, cut: Cut) -> bool:
    if specification.examples or cut.unit.kind is UnitKind.METHOD or specification.gives_functions:
        return False
    implicit = 1 if cut.unit.kind is UnitKind.CLASS_METHOD else 0
    reads_input = any(
        (isinstance(each, ast.Name) and each.id == "input")
        or (isinstance(each, ast.Attribute) and each.attr == "stdin")
        for each in ast.walk(cut.node)
    )
    return len(specification.parameters) <= implicit and not reads_input
