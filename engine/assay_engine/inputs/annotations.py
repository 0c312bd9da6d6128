"""From an annotation's text to a Hypothesis strategy of input values, evaluating nothing.

Known: the built-in types and their generics, `typing` and `collections.abc` forms, `Literal`,
`Optional` and unions, dates and times, `Decimal`, `Fraction`, paths; and of the same file: aliases,
`NewType`, type variables, enumerations, dataclasses, named tuples, typed dicts and classes whose
constructor is annotated. Whatever else is asked for raises `NoStrategy`, which names it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from assay_engine.inputs.classes import (
    annotated_fields,
    constructor,
    definitions_of,
    is_ellipsis,
    is_enumeration,
    member_names,
    typed_dict_classes,
)
from assay_engine.inputs.spelling import source_of
from assay_engine.inputs.standard_types import ITEMS_MAX, collection, simple
from assay_engine.syntax.literal import NotLiteral, literal
from assay_engine.syntax.names import last_name
from assay_engine.syntax.parsing import parse_expression
from assay_sandbox import Expression, Member, Value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

DEPTH_MAX = 6


class NoStrategy(Exception):
    """The annotation asks for something that inputs cannot be made of."""


class Annotations:
    """Strategies for the annotations of one program text.

    `alphabet` are the characters that the function's own examples use: text over them is far more
    often in its domain than any other.
    """

    def __init__(self, program: str, alphabet: str = "") -> None:
        self._alphabet = alphabet
        definitions = definitions_of(program)
        if definitions is None:
            raise NoStrategy("a program that does not parse")
        self._classes, self._aliases = definitions.classes, definitions.aliases

    def strategy(self, annotation: str) -> SearchStrategy[Value]:
        """The strategy for an annotation's source text. Raises `NoStrategy`."""
        return self._of(_parsed(annotation), DEPTH_MAX)

    def instance(self, class_name: str) -> SearchStrategy[Value]:
        """Objects of a class of the program. Raises `NoStrategy`."""
        return self._of(ast.Name(id=class_name), DEPTH_MAX)

    def _of(self, node: ast.expr, depth: int) -> SearchStrategy[Value]:
        import hypothesis.strategies as st

        if depth == 0:
            raise NoStrategy("a type nested too deeply")
        match node:
            case ast.Constant(value=None):
                return st.none()
            case ast.Constant(value=str() as text):
                return self._of(_parsed(text), depth - 1)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return st.one_of(self._of(left, depth - 1), self._of(right, depth - 1))
            case ast.Subscript(value=value, slice=inner):
                arguments = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
                return self._generic(last_name(value), arguments, depth - 1)
            case ast.Name() | ast.Attribute():
                return self._named(last_name(node), depth - 1)
            case _:
                raise NoStrategy(f"the annotation {ast.unparse(node)}")

    def _named(self, name: str, depth: int) -> SearchStrategy[Value]:
        if name in self._classes:
            return self._of_class(self._classes[name], depth)
        if name in self._aliases:
            return self._of_alias(self._aliases[name], depth)
        strategy = simple(name, self._alphabet)
        if strategy is not None:
            return strategy
        if name in _GENERIC_DEFAULTS:
            return self._generic(name, [_parsed(text) for text in _GENERIC_DEFAULTS[name]], depth)
        raise NoStrategy(f"the type {name}")

    def _of_alias(self, value: ast.expr, depth: int) -> SearchStrategy[Value]:
        match value:
            case ast.Call(func=func, args=[_, supertype]) if last_name(func) == "NewType":
                return self._of(supertype, depth)
            case ast.Call(func=func, args=[_, *constraints], keywords=keywords) if (
                last_name(func) == "TypeVar"
            ):
                bounds = [keyword.value for keyword in keywords if keyword.arg == "bound"]
                return self._of((constraints or bounds or [ast.Name(id="int")])[0], depth)
            case _:
                return self._of(value, depth)

    def _generic(
        self, name: str, arguments: Sequence[ast.expr], depth: int
    ) -> SearchStrategy[Value]:
        import hypothesis.strategies as st

        def of(position: int) -> SearchStrategy[Value]:
            if position >= len(arguments):
                raise NoStrategy(f"{name} with {len(arguments)} arguments")
            return self._of(arguments[position], depth)

        match name:
            case "Optional":
                return st.one_of(st.none(), of(0))
            case "Union":
                return st.one_of([of(position) for position in range(len(arguments))])
            case "Annotated" | "Final" | "ClassVar" | "Required" | "NotRequired":
                return of(0)
            case "Literal":
                return st.sampled_from([_literal(argument) for argument in arguments])
            case "tuple" | "Tuple":
                if len(arguments) == 2 and is_ellipsis(arguments[1]):
                    return st.lists(of(0), max_size=ITEMS_MAX).map(tuple)
                if len(arguments) == 1 and ast.unparse(arguments[0]) == "()":
                    return st.just(())
                return st.tuples(*(of(position) for position in range(len(arguments))))
            case _:
                strategy = collection(name, of)
                if strategy is None:
                    raise NoStrategy(f"the type {name}")
                return strategy

    def _of_class(self, node: ast.ClassDef, depth: int) -> SearchStrategy[Value]:
        import hypothesis.strategies as st

        if is_enumeration(node):
            names = member_names(node)
            if not names:
                raise NoStrategy(f"the enumeration {node.name}")
            return st.sampled_from(names).map(lambda name: Member(node.name, name))
        keys = typed_dict_classes(node, self._classes)
        if keys:
            fields = {
                name: self._of(annotation, depth)
                for each in keys
                for name, annotation in annotated_fields(each)
            }
            return cast("SearchStrategy[Value]", st.fixed_dictionaries(fields))
        parameters = constructor(node, self._classes)
        if parameters is None:
            raise NoStrategy(f"the class {node.name}")
        arguments = st.fixed_dictionaries(
            {name: self._of(annotation, depth) for name, annotation in parameters}
        )
        # Built by its own constructor, in the sandbox, so that what it checks holds.
        return arguments.map(
            lambda values: Expression(
                f"{node.name}({', '.join(f'{n}={_source(values[n])}' for n, _ in parameters)})"
            )
        )


_GENERIC_DEFAULTS = {
    **dict.fromkeys(("list", "List", "Sequence", "Iterable", "Iterator", "Collection"), ("int",)),
    **dict.fromkeys(("set", "Set", "frozenset", "FrozenSet", "deque", "Counter"), ("int",)),
    **dict.fromkeys(("dict", "Dict", "Mapping", "MutableMapping"), ("str", "int")),
    "tuple": ("int", "..."),
}


def _source(value: Value) -> str:
    return value.source if isinstance(value, Expression) else source_of(value)


def _literal(node: ast.expr) -> Value:
    try:
        return literal(node)
    except NotLiteral:
        raise NoStrategy(f"the literal {ast.unparse(node)}") from None


def _parsed(annotation: str) -> ast.expr:
    expression = parse_expression(annotation)
    if expression is None:
        raise NoStrategy(f"the annotation {annotation[:40]!r}")
    return expression
