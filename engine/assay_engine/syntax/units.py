"""Cuts a text into its functions, wherever they stand and whatever is broken around them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.syntax.classes import is_protocol
from assay_engine.syntax.identifiers import FunctionNode, arguments_of
from assay_engine.syntax.input_output import dotted
from assay_engine.syntax.parsing import child_statements
from assay_engine.syntax.scopes import is_generator
from assay_engine.syntax.silencing import silence_of
from assay_engine.syntax.text import Definition, Source, is_not_implemented, read_source
from assay_engine.types import Problem, Span, Unit, UnitKind

_NAME = re.compile(r"(?:async[\s\\]+)?def[\s\\]+(?P<name>[^\s(\[\\:#]+)")
_IMPLICITLY_CLASS_METHODS = frozenset({"__init_subclass__", "__class_getitem__"})

_GETTERS = {"property": "fget", "cached_property": "func"}


class Cut(Struct, frozen=True):
    """A unit with its tree and with the definitions around it, outermost first."""

    unit: Unit
    node: FunctionNode
    enclosing: tuple[Definition, ...]

    @property
    def given(self) -> list[ast.arg]:
        """The parameters that a call gives arguments for.

        The object or class that the function is called on is not among them.
        """
        receives = self.unit.kind in (UnitKind.METHOD, UnitKind.CLASS_METHOD)
        return [*arguments_of(self.node.args)][receives:]


def find_units(text: str) -> tuple[tuple[Unit, ...], tuple[Problem, ...]]:
    """Every function with a body in a text, in order, and what could not be read of the text.

    A function without a docstring is included, with an empty one. Overloads and the stubs of
    abstract methods and protocols are not: there is nothing in them to check. Never raises.
    """
    source = read_source(text)
    return tuple(cut.unit for cut in cut_units(source)), source.problems


def is_addressed(unit: Unit) -> bool:
    """Whether anything is to be said about a unit.

    Nothing is said about an inner function without a docstring, which is nobody's interface, nor
    about a function that a comment says to ignore.
    """
    is_interface = bool(unit.docstring) or "<locals>" not in unit.qualname
    return is_interface and not unit.silence.everything


class Spanned(Protocol):
    """Something that stands in a text."""

    @property
    def span(self) -> Span: ...


_Spanned = TypeVar("_Spanned", bound=Spanned)


def innermost(those: Iterable[_Spanned], offset: int) -> _Spanned | None:
    """The innermost of those things that are around an offset, or None."""
    around = [each for each in those if each.span.start <= offset <= each.span.end]
    return min(around, key=lambda each: each.span.end - each.span.start, default=None)


# A memo of a pure function, like `read_source`.
@lru_cache(maxsize=4)
def cut_units(source: Source) -> tuple[Cut, ...]:
    """The units of `find_units` with their trees, which are those of this very source."""
    seen: Counter[str] = Counter()
    cuts: list[Cut] = []
    # An explicit stack, as in `statements_in`, because each statement needs to know its scope.
    pending: list[tuple[ast.AST, tuple[Definition, ...]]] = [(source.tree, ())]
    while pending:
        node, enclosing = pending.pop()
        inner = enclosing
        if isinstance(node, FunctionNode):
            decorators = decorator_names(node)
            owner = enclosing[-1] if enclosing else None
            is_left_to_others = any(name.startswith("abstract") for name in decorators) or (
                isinstance(owner, ast.ClassDef) and is_protocol(owner)
            )
            is_stub = is_left_to_others and is_stub_body(node.body)
            if "overload" not in decorators and not is_stub:
                unit = _unit(source, node, enclosing, decorators)
                seen[unit.qualname] += 1
                if (number := seen[unit.qualname]) > 1:
                    unit = replace(unit, qualname=f"{unit.qualname}#{number}")
                cuts.append(Cut(unit, node, enclosing))
            inner = (*enclosing, node)
        elif isinstance(node, ast.ClassDef):
            inner = (*enclosing, node)
        pending.extend((child, inner) for child in reversed(child_statements(node)))
    return tuple(cuts)


@lru_cache(maxsize=4)
def cuts_by_path(source: Source) -> Mapping[str, tuple[Cut, ...]]:
    """The cuts of `cut_units` by dotted path, in order, so that no search looks at all of them."""
    found: dict[str, list[Cut]] = {}
    for cut in cut_units(source):
        found.setdefault(cut.unit.path, []).append(cut)
    return {path: tuple(cuts) for path, cuts in found.items()}


def decorator_name(decorator: ast.expr) -> str:
    """The dotted name of a decorator, without its arguments; empty if it is no name."""
    return dotted(decorator.func if isinstance(decorator, ast.Call) else decorator, {})


def decorator_names(function: FunctionNode) -> list[str]:
    """The last parts of the names of a function's decorators, in order."""
    return [decorator_name(each).rpartition(".")[2] for each in function.decorator_list]


def is_stub_body(body: list[ast.stmt]) -> bool:
    """Whether a body does nothing at all: a docstring, ``...``, ``pass``, `NotImplementedError`."""
    return all(
        isinstance(each, ast.Pass)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        or is_not_implemented(each)
        for each in body
    )


def _unit(
    source: Source, node: FunctionNode, enclosing: tuple[Definition, ...], decorators: list[str]
) -> Unit:
    span = source.span(node)
    match = _NAME.match(source.text, span.start)
    start = source.begin(node)
    parts = [
        outer.name if isinstance(outer, ast.ClassDef) else f"{outer.name}.<locals>"
        for outer in enclosing
    ]
    getter = ""
    if not enclosing or not isinstance(enclosing[-1], ast.ClassDef):
        kind = UnitKind.FUNCTION
    elif "staticmethod" in decorators or node.name == "__new__":
        kind = UnitKind.STATIC_METHOD
    elif "classmethod" in decorators or node.name in _IMPLICITLY_CLASS_METHODS:
        kind = UnitKind.CLASS_METHOD
    else:
        kind = UnitKind.METHOD
        # The outermost decorator decides, because its result is what the class holds in the end.
        getter = _GETTERS.get(decorators[0], "") if decorators else ""
    return Unit(
        qualname=".".join([*parts, node.name]),
        kind=kind,
        is_async=isinstance(node, ast.AsyncFunctionDef),
        # Most are none, and a text says so sooner than a tree.
        is_generator="yield" in span.of(source.text) and is_generator(node),
        span=Span(start, source.line_end(span.end)),
        name_span=Span(*match.span("name")) if match else span,
        docstring=ast.get_docstring(node) or "",
        getter=getter,
        silence=silence_of(source, node, start),
    )
