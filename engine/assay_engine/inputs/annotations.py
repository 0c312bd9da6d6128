"""Turns an annotation's text into a Hypothesis strategy of input values, evaluating nothing.

Known are the built-in types and their generics, `typing` and `collections.abc` forms, `Literal`,
`Optional` and unions, dates and times, `Decimal`, `Fraction` and paths. Of the same file, aliases,
`NewType`, type variables, enumerations, dataclasses, named tuples, typed dicts and classes with an
annotated constructor are known, generic ones too. A type that refers to itself (a tree, say) is
nested a few times. Any other annotation raises `NoStrategy`, which names it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from assay_engine.inputs.class_values import of_class, of_receiver
from assay_engine.inputs.collection_types import collection, open_file
from assay_engine.inputs.generics import arguments_of, definitions_of, is_variable, with_arguments
from assay_engine.inputs.strategies import ITEMS_MAX, NoStrategy, Of, TooDeep, one_of
from assay_engine.source.annotations import OPEN_FILES, QUALIFIERS, alternatives, is_ellipsis
from assay_engine.source.expressions import NotLiteral, literal
from assay_engine.source.parsing import last_name, parse_expression
from assay_sandbox import Value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

DEPTH_MAX = 7
# The limit for all annotations together: a type that refers to itself with other type arguments
# is a new type each time.
PARTS_MAX = 5_000


class Annotations:
    """Strategies for the annotations of one program text.

    `alphabet` are the characters that the function's own examples use: text made of these is far
    more often in the function's domain than other text. `entry` is the function's dotted name: the
    meaning of ``Self`` and of type parameters depends on where the function stands.
    """

    def __init__(self, program: str, alphabet: str, entry: str) -> None:
        self._alphabet = alphabet
        definitions = definitions_of(program)
        if definitions is None:
            raise NoStrategy("a program that does not parse")
        own: dict[str, ast.expr] = {**definitions.scopes.get(entry, {})}
        if "." in entry:
            own["Self"] = ast.Name(entry.split(".")[-2])
        aliases = {**definitions.aliases, **own}
        self._definitions = replace(definitions, aliases=aliases)
        # A type that refers to itself in several ways is asked for repeatedly at the same depth.
        self._known: dict[tuple[str, int], SearchStrategy[Value] | NoStrategy] = {}
        self._parts = 0

    def strategy(self, annotation: str) -> SearchStrategy[Value]:
        """The strategy for an annotation's source text. Raises `NoStrategy`."""
        return self._of(_parsed(annotation), DEPTH_MAX)

    def several(self, annotation: str) -> SearchStrategy[Value]:
        """The strategy for the list of arguments of a parameter like ``*args``.

        Raises `NoStrategy`.
        """
        import hypothesis.strategies as st

        match _parsed(f"[{annotation}]"):
            case ast.List(elts=[ast.Starred(value=ast.Subscript() as whole)]) if last_name(
                whole
            ) in ("tuple", "Tuple"):
                return self._of(whole, DEPTH_MAX).map(list)
            case ast.List(elts=[ast.Starred(value=ast.Name())]):
                # ``*args: *Ts`` takes any number of arguments, of any types.
                return self.several("int")
            case _:
                return st.lists(self.strategy(annotation), max_size=ITEMS_MAX)

    def receiver(self, class_name: str, method: str) -> SearchStrategy[Value]:
        """The strategy for objects that a method of a program's class is called on.

        Raises `NoStrategy`.
        """
        owner = self._definitions.classes.get(class_name)
        if owner is None:
            raise NoStrategy(f"the type {class_name}")
        return of_receiver(owner, method, self._definitions, self._below(DEPTH_MAX - 1))

    def _below(self, depth: int) -> Of:
        return lambda each, further: self._of(each, depth - further)

    def _of(self, node: ast.expr, depth: int) -> SearchStrategy[Value]:
        import hypothesis.strategies as st

        self._parts += 1
        if depth <= 0 or self._parts > PARTS_MAX:
            raise TooDeep
        match node:
            case ast.Constant(value=None):
                return st.none()
            case ast.Constant(value=str() as text):
                return self._of(_parsed(text), depth)
            case ast.BinOp(op=ast.BitOr()):
                return self._one_of(alternatives(node), depth)
            case ast.Subscript() | ast.Name() | ast.Attribute():
                return self._remembered(node, depth - 1)
            case ast.Call() if is_variable(node):
                return self._of_alias(node, depth - 1)
            case _:
                raise NoStrategy(f"the annotation {ast.unparse(node)}")

    def _one_of(self, nodes: Sequence[ast.expr], depth: int) -> SearchStrategy[Value]:
        return one_of(nodes, lambda each: self._of(each, depth))

    def _remembered(
        self, node: ast.Subscript | ast.Name | ast.Attribute, depth: int
    ) -> SearchStrategy[Value]:
        known_as = (ast.dump(node), depth)
        if known_as not in self._known:
            try:
                self._known[known_as] = self._made(node, depth)
            except NoStrategy as missing:
                self._known[known_as] = missing
        known = self._known[known_as]
        if isinstance(known, NoStrategy):
            raise known
        return known

    def _made(
        self, node: ast.Subscript | ast.Name | ast.Attribute, depth: int
    ) -> SearchStrategy[Value]:
        if not isinstance(node, ast.Subscript):
            return self._named(last_name(node), depth)
        inner = node.slice
        arguments = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
        return self._generic(last_name(node), arguments, depth)

    def _named(self, name: str, depth: int) -> SearchStrategy[Value]:
        from assay_engine.inputs.simple_types import simple

        if name in self._definitions.classes:
            return self._of_class(name, depth)
        if name in self._definitions.aliases:
            return self._of_alias(self._definitions.aliases[name], depth)
        strategy = simple(name, self._alphabet)
        if strategy is not None:
            return strategy
        if name in OPEN_FILES:
            return open_file(name, (), self._alphabet)
        if name in _GENERIC_DEFAULTS:
            return self._generic(name, [_parsed(text) for text in _GENERIC_DEFAULTS[name]], depth)
        raise NoStrategy(f"the type {name}")

    def _of_alias(self, value: ast.expr, depth: int) -> SearchStrategy[Value]:
        match value:
            case ast.Call(func=func, args=[_, supertype]) if last_name(func) == "NewType":
                return self._of(supertype, depth)
            case ast.Call(args=[_, *constraints], keywords=keywords) if is_variable(value):
                bounds = [keyword.value for keyword in keywords if keyword.arg == "bound"]
                return self._of((constraints or bounds or [ast.Name("int")])[0], depth)
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

        def if_there_is_room(position: int) -> SearchStrategy[Value] | None:
            try:
                return of(position)
            except TooDeep:
                return None

        aliases = self._definitions.aliases
        match name:
            case _ if name in self._definitions.classes:
                return self._of_class(name, depth, arguments)
            case "Optional":
                return self._one_of([ast.Constant(None), *arguments[:1]], depth)
            case "Union":
                return self._one_of(arguments, depth)
            case _ if name in QUALIFIERS:
                return of(0)
            case _ if name in OPEN_FILES:
                return open_file(name, arguments, self._alphabet)
            case "Literal":
                values = [_literal(argument) for argument in arguments]
                if not values:
                    raise NoStrategy("a literal of nothing")
                return st.sampled_from(values)
            case "tuple" | "Tuple":
                if len(arguments) == 2 and is_ellipsis(arguments[1]):
                    items = if_there_is_room(0)
                    return (
                        st.just(())
                        if items is None
                        else st.lists(items, max_size=ITEMS_MAX).map(tuple)
                    )
                if len(arguments) == 1 and ast.unparse(arguments[0]) == "()":
                    return st.just(())
                return st.tuples(*(of(position) for position in range(len(arguments))))
            case _:
                strategy = collection(name, if_there_is_room)
                if strategy is not None:
                    return strategy
                if name not in aliases:
                    raise NoStrategy(f"the type {name}")
                declared = self._definitions.parameters.get(name, ())
                given = arguments_of(aliases[name], declared, arguments, aliases)
                return self._of_alias(with_arguments(aliases[name], given), depth)

    def _of_class(
        self, name: str, depth: int, arguments: Sequence[ast.expr] = ()
    ) -> SearchStrategy[Value]:
        node = self._definitions.classes[name]
        return of_class(node, arguments, self._definitions, self._below(depth))


_GENERIC_DEFAULTS = {
    **dict.fromkeys(("list", "List", "Sequence", "Iterable", "Iterator", "Collection"), ("int",)),
    **dict.fromkeys(("Container", "Reversible", "Sized"), ("int",)),
    **dict.fromkeys(("set", "Set", "frozenset", "FrozenSet", "deque", "Counter"), ("int",)),
    **dict.fromkeys(("dict", "Dict", "Mapping", "MutableMapping"), ("str", "int")),
    "tuple": ("int", "..."),
}


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
