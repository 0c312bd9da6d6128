"""Inputs by type: from annotations, or from earlier inputs where a parameter has no annotation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from assay_engine.inputs.annotations import Annotations
from assay_engine.inputs.strategies import ITEMS_MAX, TEXT_MAX, NoStrategy
from assay_engine.types import Parameter, ParameterKind, Specification, UnitKind
from assay_engine.values.parts import parts_of
from assay_sandbox import Call, Value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def typed_calls(
    specification: Specification, seen: Sequence[Call], *, count: int, seed: int
) -> tuple[tuple[Call, ...], str | None]:
    """At most `count` calls drawn with a fixed seed, or none and the type that prevents them.

    `seen` are calls known to be meant (examples, proposals), with their arguments as values. Text
    is drawn from their characters, and parameters without an annotation get their types.
    """
    parameters = _varied(specification)
    if not parameters or count <= 0:
        return (), None
    try:
        annotations = Annotations(specification.program, _alphabet(seen), specification.entry)
        strategies = [
            _parameter_strategy(parameter, position, specification, annotations, seen)
            for position, parameter in enumerate(parameters)
        ]
    except NoStrategy as missing:
        return (), str(missing)
    except RecursionError:
        return (), "a type nested too deeply"
    return _draw(strategies, parameters, count, seed), None


def _varied(specification: Specification) -> tuple[Parameter, ...]:
    """The parameters that a drawn call gives, those with a default included.

    There are none for a use: types do not tell what a use does with the function that is made.
    """
    return (
        ()
        if specification.gives_functions
        else tuple(
            parameter
            for parameter in specification.given_parameters
            if parameter.kind is not ParameterKind.VAR_KEYWORD
        )
    )


def _parameter_strategy(
    parameter: Parameter,
    position: int,
    specification: Specification,
    annotations: Annotations,
    seen: Sequence[Call],
) -> SearchStrategy[Value]:
    import hypothesis.strategies as st

    if specification.unit.kind is UnitKind.METHOD and position == 0:
        return annotations.receiver(specification.owner, specification.unit.name)
    if parameter.kind is ParameterKind.VAR_POSITIONAL and parameter.annotation is not None:
        return annotations.several(parameter.annotation)
    if parameter.annotation is not None:
        strategy = annotations.strategy(parameter.annotation)
    else:
        values = _values_of(parameter, position, seen)
        if not values:
            raise NoStrategy(f"what the parameter {parameter.name} takes, which has no annotation,")
        strategy = st.one_of([_like(value) for value in values])
    if parameter.kind is ParameterKind.VAR_POSITIONAL:
        return st.lists(strategy, max_size=ITEMS_MAX)
    return strategy


def _draw(
    strategies: Sequence[SearchStrategy[Value]],
    parameters: Sequence[Parameter],
    count: int,
    seed: int,
) -> tuple[Call, ...]:
    import hypothesis
    import hypothesis.strategies as st
    from hypothesis.errors import Unsatisfiable

    from assay_engine.inputs.provider import register

    calls: list[Call] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        backend=register(),
        max_examples=count,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=(
            hypothesis.HealthCheck.too_slow,
            hypothesis.HealthCheck.filter_too_much,
            hypothesis.HealthCheck.data_too_large,
            hypothesis.HealthCheck.large_base_example,
        ),
    )
    @hypothesis.given(st.tuples(*strategies))
    def collect(values: tuple[Value, ...]) -> None:
        calls.append(_call(values, parameters))

    try:
        collect()
    except Unsatisfiable:  # nothing satisfies the filters: no inputs by type
        return ()
    return tuple(calls[:count])


def _call(values: tuple[Value, ...], parameters: Sequence[Parameter]) -> Call:
    args: list[Value] = []
    kwargs: list[tuple[str, Value]] = []
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.kind is ParameterKind.VAR_POSITIONAL:
            args.extend(cast("list[Value]", value))
        elif parameter.kind is ParameterKind.KEYWORD_ONLY:
            kwargs.append((parameter.name, value))
        else:
            args.append(value)
    return Call(tuple(args), tuple(kwargs))


def _values_of(parameter: Parameter, position: int, seen: Sequence[Call]) -> list[Value]:
    values: list[Value] = []
    for call in seen:
        if position < len(call.args):
            values.append(call.args[position])
        else:
            values.extend(value for name, value in call.kwargs if name == parameter.name)
    return values


def _like(value: Value) -> SearchStrategy[Value]:
    """A strategy for values of the same shape as one that was seen."""
    import hypothesis.strategies as st

    match value:
        case bool():
            return st.booleans()
        case int():
            return st.one_of(st.integers(-5, 12), st.integers(-200, 2000))
        case float():
            return st.integers(-1000, 10_000).map(lambda n: n / 8)
        case str():
            return st.text(sorted(set(value)) or "abc ", max_size=max(TEXT_MAX, len(value)))
        case list() | tuple():
            items = [_like(item) for item in cast("Sequence[Value]", value)]
            inner = st.one_of(items) if items else st.integers(-5, 12)
            if isinstance(value, tuple):
                return st.tuples(*items) if items else st.just(())
            return st.lists(inner, max_size=ITEMS_MAX)
        case set():
            members = [_like(item) for item in parts_of(value)]
            return st.lists(st.one_of(members or [st.integers()]), max_size=ITEMS_MAX).map(set)
        case dict() if value:
            mapping = cast("dict[Value, Value]", value)
            return st.dictionaries(
                st.one_of([_like(key) for key in mapping]),
                st.one_of([_like(item) for item in mapping.values()]),
                max_size=ITEMS_MAX,
            )
        case _:
            return st.just(value)


def _alphabet(seen: Sequence[Call]) -> str:
    """The characters of all text in the calls, sorted."""
    characters: set[str] = set()

    def walk(value: Value, depth: int) -> None:
        if depth == 0:
            return
        match value:
            case str():
                characters.update(value)
            case list() | tuple() | set() | frozenset():
                for item in cast("Sequence[Value]", value):
                    walk(item, depth - 1)
            case dict():
                for key, item in cast("dict[Value, Value]", value).items():
                    walk(key, depth - 1)
                    walk(item, depth - 1)
            case _:
                pass

    for call in seen:
        walk(list(call.values), 6)
    return "".join(sorted(characters))
