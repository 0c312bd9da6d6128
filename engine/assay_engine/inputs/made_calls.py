"""Makes calls of a function from its annotations, from calls that are known, and from literals.

Where a parameter has no annotation, the values of known calls tell its kinds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from typing_extensions import override

from assay_engine.syntax.expressions import is_literal, literal
from assay_engine.syntax.parsing import parse_expression
from assay_engine.syntax.text import read_source
from assay_engine.types import Parameter, ParameterKind, Specification
from assay_engine.values.carried import call_key
from assay_engine.values.parts import nodes_of
from assay_sandbox import Call, Scalar, Value, encode

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    from assay_engine.inputs.made_values import AnnotatedValues

# What a parameter is tried with if nothing tells its kind.
FAMILY = (
    *("int", "str", "list[int]", "list[str]", "float", "dict[str, int]", "bool", "None"),
    "list[list[int]]",
)


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
        if isinstance(value, int | float | str | bytes) and not isinstance(value, bool):
            found.setdefault((type(value), value))
    return tuple(value for _, value in found)


def made_calls(
    specification: Specification, known: Known, *, limit: int, kinds: Kinds | None = None
) -> tuple[Call, ...]:
    """At most `limit` different calls, none of which is known. The same arguments give the same.

    `kinds` are those of the parameters that have no annotation; without them, the known calls tell
    them. There are none for a function of which a parameter cannot be given anything.
    """
    calls = _calls(specification, known, kinds or kinds_of(specification, known))
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
    defaults: dict[str, Value] = {}
    for each in specification.given_parameters:
        node = None if each.default in (None, "None") else parse_expression(each.default)
        if node is not None:
            defaults[each.name] = literal(node) if is_literal(node) else None
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


def _calls(specification: Specification, known: Known, kinds: Kinds) -> SearchStrategy[Call] | None:
    """Calls with arguments that are all drawn, or that take some from a known call."""
    # Importing Hypothesis takes long, here and below.
    from hypothesis import strategies as st

    from assay_engine.inputs.made_values import AnnotatedValues, edited

    parameters = specification.given_parameters
    given = [given_by(call, specification) for call in known.calls]
    nodes = (node for call in known.calls for value in call.values for node in nodes_of(value))
    values = AnnotatedValues(specification.program, [*nodes, *known.literals])
    drawn = _arguments(specification, known, kinds, values)
    if any(_is_needed(each) and each.name not in drawn for each in parameters):
        return None
    like = [(call, each) for call, each in zip(known.calls, given, strict=True) if each]

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
                value = draw(edited(base[name], values.texts))
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
        return made if model is None else Call(made.args, made.kwargs, model.stdin, model.scene)

    return call()


def _arguments(
    specification: Specification, known: Known, kinds: Kinds, values: AnnotatedValues
) -> dict[str, SearchStrategy[Value]]:
    """What each parameter is given, by name, as far as anything tells."""
    from hypothesis import strategies as st

    from assay_engine.inputs.made_values import edited

    given = [given_by(call, specification) for call in known.calls]
    drawn: dict[str, SearchStrategy[Value]] = {}
    for number, parameter in enumerate(specification.given_parameters):
        name = parameter.name
        if number == 0 and specification.has_receiver:
            # Objects that the method can be called on: those of known calls, and new ones.
            receivers = [call.args[0] for call in known.calls if call.args]
            ways = [st.sampled_from(receivers)] if receivers else []
            ways += values.receivers(specification.owner, specification.unit.name)
        else:
            told = kinds.get(name, ()) if parameter.annotation is None else (parameter.annotation,)
            found = [values.of(parse_expression(each)) for each in told]
            ways = [each for each in found if each is not None]
            distinct = {encode(each[name]): each[name] for each in given if name in each}
            if distinct:
                near = st.sampled_from(list(distinct.values()))
                ways.append(near.flatmap(lambda value: edited(value, values.texts)))
        if ways:
            drawn[name] = st.one_of(*ways)
    return drawn


def _is_needed(parameter: Parameter) -> bool:
    several = (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)
    return parameter.default is None and parameter.kind not in several
