"""Makes calls of a function from its annotations, from calls that are known, and from literals.

Hypothesis draws the values. Nothing of the project runs here: strategies follow the syntax of
annotations, and objects of the program's classes are drawn as source text, which the sandbox
evaluates. Where a parameter has no annotation, the values of known calls tell its kinds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from typing_extensions import override

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
    NotLiteral,
    aliases_of,
    alternatives,
    is_ellipsis,
    literal,
)
from assay_engine.syntax.parsing import last_name, parse_expression
from assay_engine.syntax.text import read_source
from assay_engine.types import Parameter, ParameterKind, Specification
from assay_engine.values.carried import call_key
from assay_engine.values.parts import nodes_of
from assay_sandbox import Call, Expression, Scalar, Value, encode, render

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    Values = SearchStrategy[Value]

DEPTH_MAX = 4
ITEMS_MAX = 6
CHARACTERS_MAX = 12
# Nothing longer is varied: an input has to be small enough to be read.
LITERAL_CHARACTERS_MAX = 300
# What a parameter is tried with if nothing tells its kind.
FAMILY = (
    *("int", "str", "list[int]", "list[str]", "float", "dict[str, int]", "bool", "None"),
    "list[list[int]]",
)

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
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


class Known(Struct, frozen=True):
    """What inputs are made of: calls that are known, and the literals of the programs' texts."""

    calls: tuple[Call, ...] = ()
    literals: tuple[Value, ...] = ()


def literals_in(text: str) -> tuple[Value, ...]:
    """The numbers and texts in a program's code, each once, in order; without its docstrings."""
    nodes = [*ast.walk(read_source(text).tree)]
    # A statement that is nothing but a constant does nothing.
    idle = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found: dict[tuple[type, Value], None] = {}
    for node in nodes:
        value = node.value if isinstance(node, ast.Constant) and id(node) not in idle else None
        is_plain = isinstance(value, int | float | str | bytes) and not isinstance(value, bool)
        if is_plain and len(repr(value)) <= LITERAL_CHARACTERS_MAX:
            found.setdefault((type(value), value))
    return tuple(value for _, value in found)


def made_calls(
    specification: Specification, known: Known, *, limit: int, kinds: Kinds | None = None
) -> tuple[Call, ...]:
    """At most `limit` different calls, none of which is known. The same arguments give the same.

    `kinds` are those of the parameters that have no annotation; without them, the known calls tell
    them. There are none for a function of which a parameter cannot be given anything.
    """
    strategies = _Strategies(specification, known)
    kinds = kinds_of(specification, known) if kinds is None else kinds
    calls = strategies.calls(kinds)
    if calls is None:
        return ()
    there = set(map(call_key, known.calls))
    found: dict[str, Call] = {}
    for call in _drawn(calls, 2 * limit):
        if (key := call_key(call)) not in there and len(found) < limit:
            found.setdefault(key, call)
    return tuple(found.values())


# The kinds that a parameter may be given, as annotations, by its name.
Kinds = Mapping[str, tuple[str, ...]]


def kinds_of(specification: Specification, known: Known) -> Kinds:
    """The kinds of the values that known calls, and defaults, give the parameters."""
    defaults = {
        each.name: _literal(parse_expression(each.default))
        for each in specification.given_parameters
        if each.default is not None and each.default != "None"
    }
    return kinds_in([*(given_by(each, specification) for each in known.calls), defaults])


def kinds_in(given: Sequence[Mapping[str, Value]]) -> Kinds:
    """The kinds of the arguments that some calls give parameters, by name."""
    found: dict[str, dict[str, None]] = {}
    for call in given:
        for name, value in call.items():
            found.setdefault(name, {}).update(dict.fromkeys(_kinds(value)))
    return {name: tuple(each) for name, each in found.items() if each}


def unknown_kinds(specification: Specification, known: Known) -> tuple[str, ...]:
    """The names of parameters that need an argument of which nothing tells the kind."""
    told = kinds_of(specification, known)
    return tuple(
        each.name
        for number, each in enumerate(specification.given_parameters)
        if each.annotation is None
        and each.name not in told
        and not (number == 0 and specification.has_receiver)
        and each.kind is not ParameterKind.VAR_KEYWORD
    )


def given_by(call: Call, specification: Specification) -> dict[str, Value]:
    """The arguments of a call by the names of their parameters; further ones are left out."""
    positional = [each.name for each in specification.given_parameters if each.kind.is_positional]
    return dict(zip(positional, call.args, strict=False)) | dict(call.kwargs)


def _kinds(value: Value) -> Iterator[str]:
    """The annotations that a value has, from outside; none for a value of an unknown kind."""
    match value:
        case None:
            yield "None"
        case bool() | int() | float() | complex() | str() | bytes():
            yield type(value).__name__
        case list() | set() | frozenset():
            items = sorted(
                {kind for item in cast("Sequence[Value]", value) for kind in _kinds(item)}
            )
            name = type(cast("object", value)).__name__
            yield f"{name}[{' | '.join(items) or 'int'}]"
        case tuple():
            items = [next(_kinds(item), "") for item in cast("Sequence[Value]", value)]
            if items and all(items):
                yield f"tuple[{', '.join(items)}]"
                if len(set(items)) == 1:
                    yield f"tuple[{items[0]}, ...]"
        case dict():
            mapping = cast("dict[Value, Value]", value)
            keys = sorted({kind for key in mapping for kind in _kinds(key)})
            items = sorted({kind for item in mapping.values() for kind in _kinds(item)})
            yield f"dict[{' | '.join(keys) or 'str'}, {' | '.join(items) or 'int'}]"
        case Scalar():
            yield value.type_name
        case _:
            pass


def _literal(node: ast.expr | None) -> Value:
    try:
        return None if node is None else literal(node)
    except NotLiteral:
        return None


def _drawn(strategy: SearchStrategy[Call], number: int) -> list[Call]:
    """So many draws, the same ones in every process."""
    from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
    from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

    class Provider(HypothesisProvider):
        """Hypothesis' own, which would draw from the constants of whatever modules this process
        has loaded, and keep these in the current folder."""

        @override
        def _maybe_draw_constant(self, *_args: object, **_named: object) -> None:
            return None

    found: list[Call] = []

    AVAILABLE_PROVIDERS[_BACKEND] = Provider

    @settings(
        max_examples=number,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.filter_too_much,
            HealthCheck.data_too_large,
            HealthCheck.large_base_example,
        ],
        verbosity=Verbosity.quiet,
        backend=_BACKEND,
    )
    @seed(0)
    @given(strategy)
    def collect(call: Call) -> None:
        found.append(call)

    collect()
    return found


_BACKEND = "assay"


class _Strategies:
    """How the arguments of one function are drawn."""

    def __init__(self, specification: Specification, known: Known) -> None:
        self._specification = specification
        self._known = known
        program = read_source(specification.program)
        self._classes = classes_of(program)
        aliases = aliases_of(program).items()
        self._aliases = {name: each for name, each in aliases if name not in self._classes}
        scalars = [
            *(node for call in known.calls for value in call.values for node in nodes_of(value)),
            *known.literals,
        ]
        self._integers = _distinct(each for each in scalars if type(each) is int)
        self._floats = _distinct(each for each in scalars if type(each) is float)
        self._texts = _distinct(each for each in scalars if type(each) is str)
        self._bytes = _distinct(each for each in scalars if type(each) is bytes)

    def calls(self, kinds: Kinds) -> SearchStrategy[Call] | None:
        """Calls with arguments that are all drawn, or that take some from a known call."""
        from hypothesis import strategies as st

        parameters = self._specification.given_parameters
        drawn: dict[str, Values] = {}
        for number, each in enumerate(parameters):
            if number == 0 and self._specification.has_receiver:
                found = self._receiver()
            else:
                found = self._of_parameter(each, kinds)
            if found is not None:
                drawn[each.name] = found
            elif _is_needed(each):
                return None
        known = [given_by(call, self._specification) for call in self._known.calls]
        like = [(call, each) for call, each in zip(self._known.calls, known, strict=True) if each]

        @st.composite
        def call(draw: DrawFn) -> Call:
            base: dict[str, Value] = {}
            model: Call | None = None
            if like and draw(st.integers(0, 2)):
                model, base = draw(st.sampled_from(like))
            # At most two of a known call's arguments are changed.
            names = [*drawn]
            changed = set[str]()
            if names:
                changed.update(draw(st.lists(st.sampled_from(names), max_size=2)))
            args: list[Value] = []
            named: list[tuple[str, Value]] = []
            by_position = True
            for parameter in parameters:
                name = parameter.name
                if parameter.kind is ParameterKind.VAR_POSITIONAL:
                    if model is not None and name not in changed:
                        args += model.args[len(args) :] if by_position else ()
                    elif by_position and name in drawn:
                        args += draw(st.lists(drawn[name], max_size=3))
                    continue
                if parameter.kind is ParameterKind.VAR_KEYWORD:
                    continue
                if name in base and name not in changed:
                    value = base[name]
                elif name in base and draw(st.booleans()):
                    value = draw(self._edited(base[name]))
                elif name not in drawn or (not _is_needed(parameter) and draw(st.booleans())):
                    by_position = False
                    continue
                else:
                    value = draw(drawn[name])
                if by_position and parameter.kind.is_positional:
                    args.append(value)
                else:
                    named.append((name, value))
            made = Call(tuple(args), tuple(named))
            return made if model is None else _in_the_scene_of(model, made)

        return call()

    def _of_parameter(self, parameter: Parameter, kinds: Kinds) -> Values | None:
        from hypothesis import strategies as st

        told = kinds.get(parameter.name, ())
        if parameter.annotation is not None:
            found = self._of(parse_expression(parameter.annotation), DEPTH_MAX)
        else:
            ways = [self._of(parse_expression(each), DEPTH_MAX) for each in told]
            found = _one_of([each for each in ways if each is not None])
        values = [
            given[parameter.name]
            for given in (given_by(call, self._specification) for call in self._known.calls)
            if parameter.name in given
        ]
        values = list({encode(each): each for each in values}.values())
        if not values:
            return found
        near = st.sampled_from(values).flatmap(self._edited)
        return near if found is None else st.one_of(found, near)

    def _receiver(self) -> Values | None:
        """Objects that the method can be called on: those of known calls, and new ones."""
        from hypothesis import strategies as st

        known = [call.args[0] for call in self._known.calls if call.args]
        ways: list[Values] = [st.sampled_from(known)] if known else []
        owner = self._classes.get(self._specification.owner)
        if owner is not None:
            for each in receivers(owner, self._specification.unit.name, self._classes):
                made = self._object(each, DEPTH_MAX)
                ways += [] if made is None else [made]
        return _one_of(ways)

    def _of(self, node: ast.expr | None, depth: int) -> Values | None:
        """Values of an annotation; None if it is one whose values are not known here."""
        left = alternatives(node, self._aliases)
        if depth == 0 or not left:
            return None
        ways = [self._of_one(each, depth - 1) for each in left]
        return _one_of([each for each in ways if each is not None])

    def _of_one(self, node: ast.expr, depth: int) -> Values | None:
        from hypothesis import strategies as st

        match node:
            case ast.Constant(value=None):
                return st.none()
            case ast.Call(func=func, args=[_, supertype]) if last_name(func) == "NewType":
                return self._of(supertype, depth)
            case ast.Call(func=func, args=[_, *bounds], keywords=keywords) if (
                last_name(func) == "TypeVar"
            ):
                bounds += [each.value for each in keywords if each.arg == "bound"]
                ways = [self._of(each, depth) for each in bounds or _parsed("int", "str")]
                return _one_of([each for each in ways if each is not None])
            case ast.Subscript(value=outer, slice=ast.Tuple(elts=arguments)):
                return self._generic(last_name(outer), arguments, depth)
            case ast.Subscript(value=outer, slice=inner):
                return self._generic(last_name(outer), [inner], depth)
            case ast.Name() | ast.Attribute():
                return self._named(last_name(node), depth)
            case _:
                return None

    def _named(self, name: str, depth: int) -> Values | None:
        from hypothesis import strategies as st

        defined = self._classes.get(name)
        if defined is not None:
            ways = [self._object(each, depth) for each in family(defined, self._classes)]
            return _one_of([each for each in ways if each is not None])
        if name in self._aliases:
            return self._of(self._aliases[name], depth)
        match name:
            case "bool":
                return st.booleans()
            case "int" | "SupportsInt" | "SupportsIndex":
                return self._numbers()
            case "float" | "Real" | "Number" | "SupportsFloat":
                return st.one_of(self._decimals(), self._numbers())
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
                ways = [self._of(each, depth) for each in _parsed(*kinds)]
                return _one_of([each for each in ways if each is not None])
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
        from hypothesis import strategies as st

        match name, arguments:
            case "Literal", _:
                return st.sampled_from([_literal(each) for each in arguments])
            case "Callable", _:
                return self._named(name, depth)
            case "Annotated" | "Final" | "Required" | "NotRequired", [inner, *_]:
                return self._of(inner, depth)
            case (("tuple" | "Tuple"), [item, end]) if is_ellipsis(end):
                return _map(self._items(item, depth), tuple)
            case (("tuple" | "Tuple"), _):
                parts = [self._of(each, depth) for each in arguments]
                found = [each for each in parts if each is not None]
                return st.tuples(*found) if len(found) == len(parts) else None
            case _, [key, value] if name in _MAPPINGS:
                keys, values = self._of(key, depth), self._of(value, depth)
                if keys is None or values is None:
                    return None
                return st.lists(st.tuples(keys, values), max_size=ITEMS_MAX).map(_as_dict)
            case _, [item] if name in _ARRAYS:
                return self._items(item, depth)
            case _, [item] if name in _SETS:
                return _map(self._items(item, depth), lambda items: set(_hashable(items)))
            case _, [item] if name in _FROZEN_SETS:
                return _map(self._items(item, depth), lambda items: frozenset(_hashable(items)))
            case (("Iterator" | "Generator"), [item, *_]):
                return _map(
                    self._items(item, depth), lambda items: Expression(f"iter({render(items)})")
                )
            case (("type" | "Type"), _):
                return None
            case _:
                return self._named(name, depth)

    def _items(self, item: ast.expr, depth: int) -> SearchStrategy[list[Value]] | None:
        from hypothesis import strategies as st

        items = self._of(item, depth)
        if items is None:
            return None
        # Equal and ordered items are what many functions are about.
        few = st.lists(items, min_size=1, max_size=3).flatmap(
            lambda those: st.lists(st.sampled_from(those), max_size=ITEMS_MAX)
        )
        return st.one_of(st.lists(items, max_size=ITEMS_MAX), few, few.map(_in_order))

    def _object(self, node: ast.ClassDef, depth: int) -> Values | None:
        """Source text that makes an object of a class of the program."""
        from hypothesis import strategies as st

        if depth == 0:
            return None
        if is_enumeration(node):
            names = [f"{node.name}.{each}" for each in member_names(node)]
            return st.sampled_from(names).map(Expression) if names else None
        keys = typed_dict_classes(node, self._classes)
        fields = fields_of(keys) if keys else constructor_of(node, self._classes)
        drawn = {name: self._of(each, depth - 1) for name, each in fields.items()}
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
        from hypothesis import strategies as st

        usual = st.one_of(st.integers(-3, 12), st.integers(-20, 120))
        if not self._integers:
            return st.one_of(usual, usual, st.sampled_from((1000, 4096, 99999)))
        near = st.builds(int.__add__, st.sampled_from(self._integers), st.integers(-1, 1))
        return st.one_of(usual, near)

    def _decimals(self) -> SearchStrategy[float]:
        from hypothesis import strategies as st

        tenths = st.integers(-200, 1200).map(lambda each: each / 100)
        usual = st.one_of(tenths, st.sampled_from((0.0, 0.5, 1.0, -1.5, 1e-9, 2.5, 1e6)))
        return st.one_of(usual, st.sampled_from(self._floats)) if self._floats else usual

    def _strings(self) -> SearchStrategy[str]:
        from hypothesis import strategies as st

        characters = list(dict.fromkeys("".join(self._texts)))
        plain = st.lists(st.sampled_from(_ALPHABET), max_size=CHARACTERS_MAX).map("".join)
        if not characters:
            return plain
        tokens = list(
            dict.fromkeys(token for text in self._texts for token in _TOKEN.findall(text))
        )
        return st.one_of(
            plain,
            st.lists(st.sampled_from(characters), max_size=CHARACTERS_MAX).map("".join),
            st.lists(st.sampled_from(tokens), max_size=ITEMS_MAX).map("".join),
            st.lists(st.sampled_from(tokens), max_size=ITEMS_MAX).map(" ".join),
            st.sampled_from(self._texts),
        )

    def _edited(self, value: Value) -> Values:
        """Values like a known one: one or two small changes away."""
        from hypothesis import strategies as st

        return st.one_of(self._changed(value), self._changed(value).flatmap(self._changed))

    def _changed(self, value: Value) -> Values:
        from hypothesis import strategies as st

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
                return self._changed_text(value)
            case list() | tuple() if value:
                items = list(cast("Sequence[Value]", value))
                kind = type(cast("object", value))
                return self._changed_items(items).map(tuple if kind is tuple else list)
            case dict() if value:
                return self._changed_entries(cast("dict[Value, Value]", value))
            case _:
                return st.just(value)

    def _changed_text(self, text: str) -> SearchStrategy[str]:
        from hypothesis import strategies as st

        tokens = [token for each in self._texts for token in _TOKEN.findall(each)]
        pieces = st.sampled_from(list(dict.fromkeys([*tokens, *text, " ", "0", "a", "Z"])))
        places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
        words = _TOKEN.findall(text)
        return st.one_of(
            st.tuples(places, pieces).map(lambda it: text[: it[0][0]] + it[1] + text[it[0][0] :]),
            st.tuples(places, pieces).map(
                lambda it: text[: it[0][0]] + it[1] + text[it[0][0] + 1 :]
            ),
            places.map(lambda at: text[: at[0]] + text[at[1] :]),
            places.map(lambda at: text[at[0] : at[1]]),
            places.map(lambda at: text[: at[1]] + text[at[0] :]),
            st.permutations(words).map("".join),
            st.lists(st.sampled_from(words), max_size=2 * ITEMS_MAX).map("".join),
            st.sampled_from((text.upper(), text.lower(), text.swapcase(), text[::-1])),
        )

    def _changed_items(self, items: list[Value]) -> SearchStrategy[list[Value]]:
        from hypothesis import strategies as st

        places = st.integers(0, len(items) - 1)
        others = st.sampled_from(items)
        return st.one_of(
            places.flatmap(
                lambda at: self._changed(items[at]).map(
                    lambda item: [*items[:at], item, *items[at + 1 :]]
                )
            ),
            places.map(lambda at: items[:at] + items[at + 1 :]),
            st.tuples(places, others).map(lambda it: [*items[: it[0]], it[1], *items[it[0] :]]),
            st.permutations(items).map(list),
            st.lists(others, max_size=2 * ITEMS_MAX),
        )

    def _changed_entries(self, entries: dict[Value, Value]) -> SearchStrategy[dict[Value, Value]]:
        from hypothesis import strategies as st

        pairs = list(entries.items())
        return st.one_of(
            st.sampled_from(pairs).flatmap(
                lambda pair: self._changed(pair[1]).map(lambda item: entries | {pair[0]: item})
            ),
            st.sampled_from(pairs).flatmap(
                lambda pair: self._changed(pair[0]).map(
                    lambda key: _as_dict([*pairs, (key, pair[1])])
                )
            ),
            st.lists(st.sampled_from(pairs), max_size=len(pairs)).map(_as_dict),
        )


def _is_needed(parameter: Parameter) -> bool:
    several = (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)
    return parameter.default is None and parameter.kind not in several


def _parsed(*annotations: str) -> list[ast.expr]:
    return [each for each in map(parse_expression, annotations) if each is not None]


def _one_of(ways: Sequence[Values]) -> Values | None:
    from hypothesis import strategies as st

    return st.one_of(*ways) if ways else None


def _map(
    items: SearchStrategy[list[Value]] | None, make: Callable[[list[Value]], Value]
) -> Values | None:
    return None if items is None else items.map(make)


def _distinct(values: Iterator[Value]) -> list[Value]:
    small = (each for each in values if len(repr(each)) <= LITERAL_CHARACTERS_MAX)
    return list(dict.fromkeys(small))


def _in_order(items: list[Value]) -> list[Value]:
    try:
        return sorted(items)
    except TypeError:
        return items


def _hashable(items: Sequence[Value]) -> list[Value]:
    return [each for each in items if _is_hashable(each)]


def _is_hashable(value: Value) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _as_dict(pairs: Sequence[tuple[Value, Value]]) -> dict[Value, Value]:
    return {key: value for key, value in pairs if _is_hashable(key)}


def _in_the_scene_of(model: Call, made: Call) -> Call:
    return Call(made.args, made.kwargs, model.stdin, model.scene)
