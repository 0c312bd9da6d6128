"""Draws the values of annotations, and changes known values a little: an item more, a word less.

Hypothesis draws them. Nothing of the project runs here: strategies follow the syntax of
annotations, and objects of the program's classes are drawn as source text, which the sandbox
evaluates. Importing Hypothesis takes long, so this is imported where values are drawn.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeAlias, cast

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from assay_engine.syntax.classes import (
    classes_of,
    constructor_of,
    family,
    fields_of,
    is_enumeration,
    member_names,
    receivers,
    typed_dict_classes,
)
from assay_engine.syntax.expressions import (
    aliases_of,
    alternatives,
    is_ellipsis,
    is_literal,
    literal,
)
from assay_engine.syntax.parsing import last_name, parse_expression
from assay_engine.syntax.text import read_source
from assay_sandbox import Expression, Scalar, Value, render

Values: TypeAlias = SearchStrategy[Value]

DEPTH_MAX = 4
CHARACTERS_MAX = 12

_ALPHABET = "abcxyzABZ019 _-.,\u00e9"
_ARRAYS = frozenset(
    ("list", "List", "Sequence", "MutableSequence", "Iterable", "Collection", "Reversible")
)
_SETS = frozenset(("set", "Set", "AbstractSet", "MutableSet"))
_FROZEN_SETS = frozenset(("frozenset", "FrozenSet"))
_MAPPINGS = frozenset(("dict", "Dict", "Mapping", "MutableMapping"))
_SCALARS = {
    "date": ("datetime.date", ("2024-02-29", "2023-12-31", "2024-01-01", "2000-03-15")),
    "datetime": (
        "datetime.datetime",
        ("2024-02-29T23:59:59", "2023-12-31T00:00:00", "2024-01-01T12:30:00"),
    ),
    "time": ("datetime.time", ("00:00:00", "12:30:00", "23:59:59")),
    "timedelta": (
        "datetime.timedelta",
        ("0,0,0", "0,1,0", "0,59,0", "0,3600,0", "1,1,1", "-1,0,0", "31,60,0", "400,0,0"),
    ),
    "Decimal": ("decimal.Decimal", ("0", "1", "-1.5", "0.10", "2.675", "100")),
    "Fraction": ("fractions.Fraction", ("0", "1/3", "-5/2", "4")),
    "UUID": ("uuid.UUID", ("00000000-0000-0000-0000-000000000000",)),
    "Path": ("pathlib.PosixPath", ("a.txt", "a/b.tar.gz", ".", "/a/../b")),
    "PurePath": ("pathlib.PurePosixPath", ("a.txt", "a/b.tar.gz", ".", "/a/../b")),
}
_FUNCTIONS = ("lambda *given: given[0] if given else None", "lambda *given: 0", "str", "bool")


class AnnotatedValues:
    """The values that the annotations in a program stand for.

    `seen` are values that were seen somewhere. Some values are made of the numbers and texts in
    them, of which `texts` are the latter.
    """

    def __init__(self, program: str, seen: Sequence[Value]) -> None:
        source = read_source(program)
        self._classes = classes_of(source)
        aliases = aliases_of(source).items()
        self._aliases = {name: each for name, each in aliases if name not in self._classes}
        short = [each for each in seen if len(repr(each)) <= LITERAL_CHARACTERS_MAX]
        self._integers = list(dict.fromkeys(each for each in short if type(each) is int))
        self._floats = list(dict.fromkeys(each for each in short if type(each) is float))
        self._bytes = list(dict.fromkeys(each for each in short if type(each) is bytes))
        self.texts = list(dict.fromkeys(each for each in short if type(each) is str))

    def receivers(self, owner: str, method: str) -> list[Values]:
        """New objects that a method of a class can be called on."""
        if owner not in self._classes:
            return []
        found = receivers(self._classes[owner], method, self._classes)
        return _known(self._object(each, DEPTH_MAX) for each in found)

    def of(self, node: ast.expr | None, depth: int = DEPTH_MAX) -> Values | None:
        """Values of an annotation; None if it is one whose values are not known here."""
        left = alternatives(node, self._aliases)
        if depth == 0 or not left:
            return None
        return _any(self._of_one(each, depth - 1) for each in left)

    def _of_one(self, node: ast.expr, depth: int) -> Values | None:
        match node:
            case ast.Constant(value=None):
                return st.none()
            case ast.Call(func=func, args=[_, supertype]) if last_name(func) == "NewType":
                return self.of(supertype, depth)
            case ast.Call(func=func, args=[_, *bounds], keywords=keywords) if (
                last_name(func) == "TypeVar"
            ):
                bounds += [each.value for each in keywords if each.arg == "bound"]
                return _any(self.of(each, depth) for each in bounds or _parsed("int", "str"))
            case ast.Subscript(value=outer, slice=ast.Tuple(elts=arguments)):
                return self._generic(last_name(outer), arguments, depth)
            case ast.Subscript(value=outer, slice=inner):
                return self._generic(last_name(outer), [inner], depth)
            case ast.Name() | ast.Attribute():
                return self._named(last_name(node), depth)
            case _:
                return None

    def _named(self, name: str, depth: int) -> Values | None:
        defined = self._classes.get(name)
        if defined is not None:
            return _any(self._object(each, depth) for each in family(defined, self._classes))
        if name in self._aliases:
            return self.of(self._aliases[name], depth)
        match name:
            case "bool":
                return st.booleans()
            case "int" | "SupportsInt" | "SupportsIndex":
                return self._numbers()
            case "float" | "Real" | "Number" | "SupportsFloat":
                tenths = st.integers(-200, 1200).map(lambda each: each / 100)
                usual = st.sampled_from((0.0, 0.5, 1.0, -1.5, 1e-9, 2.5, 1e6))
                floats = [st.sampled_from(self._floats)] if self._floats else []
                return st.one_of(tenths, usual, *floats, self._numbers())
            case "complex":
                return st.builds(complex, self._numbers(), self._numbers())
            case "str" | "LiteralString" | "AnyStr":
                return self._strings()
            case "bytes":
                return st.one_of(
                    st.lists(st.sampled_from(list(b"ab \x00\xff1")), max_size=6).map(bytes),
                    *map(st.just, self._bytes),
                )
            case "Any" | "object" | "Hashable":
                kinds = ("int", "str", "None", "tuple[int, int]", "bool")
                return _any(self.of(each, depth) for each in _parsed(*kinds))
            case "Callable":
                return st.sampled_from(_FUNCTIONS).map(Expression)
            case _ if name in _SCALARS:
                kind, texts = _SCALARS[name]
                return st.sampled_from(texts).map(lambda text: Scalar(kind, text))
            case "tuple" | "Tuple":
                return self._generic(name, _parsed("int", "..."), depth)
            case _ if name in _MAPPINGS:
                return self._generic(name, _parsed("str", "int"), depth)
            case _ if name in _ARRAYS | _SETS | _FROZEN_SETS:
                return self._generic(name, _parsed("int | str"), depth)
            case _:
                return None

    def _generic(self, name: str, arguments: Sequence[ast.expr], depth: int) -> Values | None:
        match name, arguments:
            case "Literal", _:
                # What is no literal, a member of an enumeration say, is given as source text.
                return st.sampled_from(
                    [
                        literal(each) if is_literal(each) else Expression(ast.unparse(each))
                        for each in arguments
                    ]
                )
            case "Callable", _:
                return self._named(name, depth)
            case "Annotated" | "Final" | "Required" | "NotRequired", [inner, *_]:
                return self.of(inner, depth)
            case (("tuple" | "Tuple"), [item, end]) if is_ellipsis(end):
                return _map(self._items(item, depth), tuple)
            case (("tuple" | "Tuple"), _):
                parts = _known(self.of(each, depth) for each in arguments)
                return st.tuples(*parts) if len(parts) == len(arguments) else None
            case _, [key, value] if name in _MAPPINGS:
                keys, values = self.of(key, depth), self.of(value, depth)
                if keys is None or values is None:
                    return None
                return st.lists(st.tuples(keys, values), max_size=ITEMS_MAX).map(as_dict)
            case _, [item] if name in _ARRAYS:
                return self._items(item, depth)
            case _, [item] if name in _SETS:
                return _map(self._items(item, depth), lambda items: set(hashable(items)))
            case _, [item] if name in _FROZEN_SETS:
                return _map(self._items(item, depth), lambda items: frozenset(hashable(items)))
            case (("Iterator" | "Generator"), [item, *_]):
                return _map(
                    self._items(item, depth), lambda items: Expression(f"iter({render(items)})")
                )
            case (("type" | "Type"), _):
                return None
            case _:
                return self._named(name, depth)

    def _items(self, item: ast.expr, depth: int) -> SearchStrategy[list[Value]] | None:
        items = self.of(item, depth)
        if items is None:
            return None
        # Equal and ordered items are what many functions are about.
        few = st.lists(items, min_size=1, max_size=3).flatmap(
            lambda those: st.lists(st.sampled_from(those), max_size=ITEMS_MAX)
        )
        return st.one_of(st.lists(items, max_size=ITEMS_MAX), few, few.map(_in_order))

    def _object(self, node: ast.ClassDef, depth: int) -> Values | None:
        """Source text that makes an object of a class of the program."""
        if depth == 0:
            return None
        if is_enumeration(node):
            names = [f"{node.name}.{each}" for each in member_names(node)]
            return st.sampled_from(names).map(Expression) if names else None
        keys = typed_dict_classes(node, self._classes)
        fields = fields_of(keys) if keys else constructor_of(node, self._classes)
        drawn = {name: self.of(each, depth - 1) for name, each in fields.items()}
        made = {name: each for name, each in drawn.items() if each is not None}
        if len(made) < len(drawn):
            return None
        if keys:
            return st.fixed_dictionaries(made)
        name = node.name
        return st.fixed_dictionaries(made).map(
            lambda given: Expression(
                f"{name}({', '.join(f'{each}={render(value)}' for each, value in given.items())})"
            )
        )

    def _numbers(self) -> SearchStrategy[int]:
        usual = st.one_of(st.integers(-3, 12), st.integers(-20, 120))
        if not self._integers:
            return st.one_of(usual, usual, st.sampled_from((1000, 4096, 99999)))
        near = st.builds(int.__add__, st.sampled_from(self._integers), st.integers(-1, 1))
        return st.one_of(usual, near)

    def _strings(self) -> SearchStrategy[str]:
        characters = list(dict.fromkeys("".join(self.texts)))
        plain = st.lists(st.sampled_from(_ALPHABET), max_size=CHARACTERS_MAX).map("".join)
        if not characters:
            return plain
        tokens = list(dict.fromkeys(token for text in self.texts for token in TOKEN.findall(text)))
        return st.one_of(
            plain,
            st.lists(st.sampled_from(characters), max_size=CHARACTERS_MAX).map("".join),
            st.lists(st.sampled_from(tokens), max_size=ITEMS_MAX).map("".join),
            st.lists(st.sampled_from(tokens), max_size=ITEMS_MAX).map(" ".join),
            st.sampled_from(self.texts),
        )


def _parsed(*annotations: str) -> list[ast.expr]:
    return [each for each in map(parse_expression, annotations) if each is not None]


def _known(ways: Iterable[Values | None]) -> list[Values]:
    return [each for each in ways if each is not None]


def _any(ways: Iterable[Values | None]) -> Values | None:
    known = _known(ways)
    return st.one_of(*known) if known else None


def _map(
    items: SearchStrategy[list[Value]] | None, make: Callable[[list[Value]], Value]
) -> Values | None:
    return None if items is None else items.map(make)


def _in_order(items: list[Value]) -> list[Value]:
    try:
        return sorted(items)
    except TypeError:
        return items


ITEMS_MAX = 6
# Nothing longer is varied: an input has to be small enough to be read.
LITERAL_CHARACTERS_MAX = 300
TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


def edited(value: Value, texts: Sequence[str]) -> SearchStrategy[Value]:
    """Values like a known one: one or two small changes away. `texts` are those of known values."""
    changed = partial(_changed, tokens=[token for each in texts for token in TOKEN.findall(each)])
    return st.one_of(changed(value), changed(value).flatmap(changed))


def _changed(value: Value, tokens: Sequence[str]) -> SearchStrategy[Value]:
    match value:
        case bool():
            return st.booleans()
        case int():
            near = st.integers(-3, 3).map(lambda step: value + step)
            return st.one_of(near, st.sampled_from((-value, value * 2, value // 2)))
        case float():
            near = st.sampled_from((-1.0, -0.5, 0.01, 0.5, 1.0)).map(lambda step: value + step)
            return st.one_of(near, st.sampled_from((-value, float(round(value)), value / 2)))
        case str() if value and len(value) <= LITERAL_CHARACTERS_MAX:
            return _changed_text(value, tokens)
        case list() | tuple() if value:
            items = list(cast("Sequence[Value]", value))
            kind = type(cast("object", value))
            return _changed_items(items, tokens).map(tuple if kind is tuple else list)
        case dict() if value:
            return _changed_entries(cast("dict[Value, Value]", value), tokens)
        case _:
            return st.just(value)


def _changed_text(text: str, tokens: Sequence[str]) -> SearchStrategy[str]:
    pieces = st.sampled_from(list(dict.fromkeys([*tokens, *text, " ", "0", "a", "Z"])))
    places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    words = TOKEN.findall(text)
    return st.one_of(
        st.tuples(places, pieces).map(lambda it: text[: it[0][0]] + it[1] + text[it[0][0] :]),
        st.tuples(places, pieces).map(lambda it: text[: it[0][0]] + it[1] + text[it[0][0] + 1 :]),
        places.map(lambda at: text[: at[0]] + text[at[1] :]),
        places.map(lambda at: text[at[0] : at[1]]),
        places.map(lambda at: text[: at[1]] + text[at[0] :]),
        st.permutations(words).map("".join),
        st.lists(st.sampled_from(words), max_size=2 * ITEMS_MAX).map("".join),
        st.sampled_from((text.upper(), text.lower(), text.swapcase(), text[::-1])),
    )


def _changed_items(items: list[Value], tokens: Sequence[str]) -> SearchStrategy[list[Value]]:
    places = st.integers(0, len(items) - 1)
    others = st.sampled_from(items)
    return st.one_of(
        places.flatmap(
            lambda at: _changed(items[at], tokens).map(
                lambda item: [*items[:at], item, *items[at + 1 :]]
            )
        ),
        places.map(lambda at: items[:at] + items[at + 1 :]),
        st.tuples(places, others).map(lambda it: [*items[: it[0]], it[1], *items[it[0] :]]),
        st.permutations(items).map(list),
        st.lists(others, max_size=2 * ITEMS_MAX),
    )


def _changed_entries(
    entries: dict[Value, Value], tokens: Sequence[str]
) -> SearchStrategy[dict[Value, Value]]:
    pairs = list(entries.items())
    return st.one_of(
        st.sampled_from(pairs).flatmap(
            lambda pair: _changed(pair[1], tokens).map(lambda item: entries | {pair[0]: item})
        ),
        st.sampled_from(pairs).flatmap(
            lambda pair: _changed(pair[0], tokens).map(
                lambda key: as_dict([*pairs, (key, pair[1])])
            )
        ),
        st.lists(st.sampled_from(pairs), max_size=len(pairs)).map(as_dict),
    )


def as_dict(pairs: Sequence[tuple[Value, Value]]) -> dict[Value, Value]:
    return {key: value for key, value in pairs if hashable([key])}


def hashable(values: Sequence[Value]) -> list[Value]:
    """The values that can be members of a set."""
    found: list[Value] = []
    for value in values:
        try:
            hash(value)
        except TypeError:
            continue
        found.append(value)
    return found
