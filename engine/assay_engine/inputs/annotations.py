"""From an annotation's text to a Hypothesis strategy of input values, evaluating nothing.

Known: the built-in types and their generics, `typing` and `collections.abc` forms, `Literal`,
`Optional` and unions, dates and times, `Decimal`, `Fraction`, paths; and of the same file: aliases,
`NewType`, type variables, enumerations, dataclasses, named tuples, typed dicts and classes whose
constructor is annotated. Whatever else is asked for raises `NoStrategy`, which names it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, cast

from assay_engine.inputs.classes import (
    annotated_fields,
    constructor,
    definitions_of,
    is_ellipsis,
    is_enumeration,
    last_name,
    member_names,
    typed_dict_classes,
)
from assay_engine.syntax.parsing import parse_expression
from assay_sandbox import Container, Expression, Member, Scalar, Value
from assay_sandbox.codec import render

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

DEPTH_MAX = 6
ITEMS_MAX = 6
TEXT_MAX = 12
# Letters, digits, signs and the odd one out; boundary cases of text without control characters.
ALPHABET = "abcxyzABC0123456789 _-.,:;/+'\"()[]\téß中😀"
# What file names are made of, and how they end.
NAME_ALPHABET = "abcxyzABC012 _-.é"
NAME_MAX = 6
SUFFIXES = ("", ".txt", ".py", ".tar.gz", ".TXT", ".")


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
        simple = self._simple(name)
        if simple is not None:
            return simple
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
                return self._collection(name, of)

    def _collection(
        self, name: str, of: Callable[[int], SearchStrategy[Value]]
    ) -> SearchStrategy[Value]:
        import hypothesis.strategies as st

        match name:
            case (
                "list"
                | "List"
                | "Sequence"
                | "MutableSequence"
                | "Iterable"
                | "Iterator"
                | "Collection"
            ):
                return _with_repeats(of(0))
            case "set" | "Set" | "AbstractSet" | "MutableSet":
                return _hashed(of(0)).map(set)
            case "frozenset" | "FrozenSet":
                return _hashed(of(0)).map(frozenset)
            case "dict" | "Dict" | "Mapping" | "MutableMapping":
                return _dictionaries(of(0), of(1))
            case "defaultdict" | "DefaultDict" | "OrderedDict":
                ordered = "collections.OrderedDict"
                return _dictionaries(of(0), of(1)).map(lambda items: Container(ordered, items))
            case "Counter":
                return _dictionaries(of(0), st.integers(0, 5)).map(
                    lambda items: Container("collections.Counter", items)
                )
            case "deque" | "Deque":
                return _with_repeats(of(0)).map(lambda items: Container("collections.deque", items))
            case _:
                raise NoStrategy(f"the type {name}")

    def _simple(self, name: str) -> SearchStrategy[Value] | None:
        import datetime

        import hypothesis.strategies as st

        match name:
            case "int" | "SupportsInt" | "Integral":
                return st.one_of(
                    st.integers(-5, 12), st.integers(-200, 2000), st.integers(-100_000, 100_000)
                )
            case "float" | "Real" | "SupportsFloat" | "Number":
                tame = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3))
                return st.one_of(tame, st.integers(-10, 100).map(float))
            case "bool":
                return st.booleans()
            case "complex":
                part = st.integers(-9, 9)
                return st.builds(complex, part, part)
            case "str" | "AnyStr" | "LiteralString":
                general = st.text(ALPHABET, max_size=TEXT_MAX)
                if not self._alphabet:
                    return general
                return st.one_of(st.text(self._alphabet, max_size=TEXT_MAX), general)
            case "bytes" | "ByteString":
                return st.binary(max_size=TEXT_MAX)
            case "None" | "NoneType":
                return st.none()
            case "Any" | "object" | "Hashable":
                return st.one_of(st.integers(-5, 12), st.text("abc", max_size=3))
            case "date":
                dates = st.dates(datetime.date(1970, 1, 1), datetime.date(2040, 12, 31))
                return dates.map(lambda day: Scalar("datetime.date", day.isoformat()))
            case "datetime":
                times = st.datetimes(
                    datetime.datetime(1970, 1, 1), datetime.datetime(2040, 12, 31)
                ).map(lambda moment: moment.replace(microsecond=0))
                return times.map(lambda moment: Scalar("datetime.datetime", moment.isoformat()))
            case "time":
                return st.times().map(
                    lambda moment: Scalar(
                        "datetime.time", moment.replace(microsecond=0).isoformat()
                    )
                )
            case "timedelta":
                seconds = st.integers(-100_000, 1_000_000)
                return seconds.map(
                    lambda n: Scalar("datetime.timedelta", f"{n // 86_400},{n % 86_400},0")
                )
            case "Decimal":
                cents = st.integers(-100_000, 1_000_000)
                return cents.map(
                    lambda n: Scalar(
                        "decimal.Decimal", f"{'-' * (n < 0)}{abs(n) // 100}.{abs(n) % 100:02}"
                    )
                )
            case "Fraction":
                ratio = st.fractions(-10, 10, max_denominator=12)
                return ratio.map(lambda value: Scalar("fractions.Fraction", str(value)))
            case "Path" | "PosixPath" | "PurePath" | "PurePosixPath":
                kind = "pathlib.PurePosixPath" if "Pure" in name else "pathlib.PosixPath"
                return _paths().map(lambda path: Scalar(kind, path))
            case _:
                return None

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
    return value.source if isinstance(value, Expression) else render(value)


def _paths() -> SearchStrategy[str]:
    """Paths as they are written once they are made: without empty parts."""
    import hypothesis.strategies as st

    def written(start: str, folders: list[str], stem: str, suffix: str) -> str:
        return str(PurePosixPath(start, *folders, stem + suffix))

    part = st.text(NAME_ALPHABET, min_size=1, max_size=NAME_MAX)
    starts, suffixes = st.sampled_from(("", "", "/")), st.sampled_from(SUFFIXES)
    return st.builds(written, starts, st.lists(part, max_size=2), part, suffixes)


def _with_repeats(items: SearchStrategy[Value]) -> SearchStrategy[Value]:
    """Lists, some of them with equal items, where ties and duplicates matter."""
    import hypothesis.strategies as st

    plain = st.lists(items, max_size=ITEMS_MAX)
    repeated = st.lists(items, min_size=1, max_size=3).flatmap(
        lambda few: st.lists(st.sampled_from(few), min_size=1, max_size=ITEMS_MAX)
    )
    return st.one_of(plain, repeated)


def _hashed(items: SearchStrategy[Value]) -> SearchStrategy[list[Value]]:
    import hypothesis.strategies as st

    return st.lists(items.filter(_is_hashable), max_size=ITEMS_MAX)


def _dictionaries(
    keys: SearchStrategy[Value], values: SearchStrategy[Value]
) -> SearchStrategy[Value]:
    import hypothesis.strategies as st

    return st.dictionaries(keys.filter(_is_hashable), values, max_size=ITEMS_MAX)


def _is_hashable(value: Value) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _literal(node: ast.expr) -> Value:
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise NoStrategy(f"the literal {ast.unparse(node)}") from None


def _parsed(annotation: str) -> ast.expr:
    expression = parse_expression(annotation)
    if expression is None:
        raise NoStrategy(f"the annotation {annotation[:40]!r}")
    return expression
