"""Which calls keep to what a specification states of its arguments, and its own examples keep."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from assay_engine.inputs.classes import last_name
from assay_engine.inputs.examples import example_calls
from assay_engine.inputs.preconditions.bound import Bound
from assay_engine.inputs.preconditions.bounds import stated_bounds
from assay_engine.inputs.preconditions.lengths import SameLength, stated_lengths
from assay_engine.inputs.preconditions.shape import Shape
from assay_engine.inputs.preconditions.shapes import stated_shapes
from assay_engine.inputs.preconditions.subjects import Parameters
from assay_engine.syntax.parsing import parse_expression
from assay_engine.types import Parameter, Specification, UnitKind
from assay_sandbox import Call, Value

# By annotation what holds no items and is no text, or is looked up by key.
_NOT_HOLDING = frozenset(
    ("int", "float", "bool", "complex", "dict", "Dict", "Mapping", "Callable", "Decimal", "date")
)


class Preconditions:
    """What a specification states of its arguments, and these examples keep.

    Nothing where refusals are documented: what is refused is on trial, too.
    """

    def __init__(self, specification: Specification, examples: Sequence[Call]) -> None:
        kind = specification.unit.kind
        # Of a class method's arguments, the class is not one.
        given = specification.parameters[kind is UnitKind.CLASS_METHOD :]
        self._names = tuple(parameter.name for parameter in given)
        self._single: tuple[Bound | Shape, ...] = ()
        self._several: tuple[SameLength, ...] = ()
        if specification.documented_exceptions:
            return
        own = specification.parameters[kind in (UnitKind.METHOD, UnitKind.CLASS_METHOD) :]
        names = tuple(parameter.name for parameter in own)
        shown = [self._given(call) for call in examples]
        parameters, docstring = Parameters(names, _holding(own, shown)), specification.docstring
        self._single = tuple(
            stated
            for stated in (
                *stated_bounds(docstring, names),
                *stated_shapes(docstring, parameters),
            )
            if all(_holds(stated, arguments) for arguments in shown)
        )
        self._several = tuple(
            stated
            for stated in dict.fromkeys(stated_lengths(docstring, parameters))
            if all(_hold(stated, arguments) for arguments in shown)
        )

    @property
    def told(self) -> tuple[str, ...]:
        """In words, each once."""
        stated = (*self._single, *self._several)
        return tuple(dict.fromkeys(each.told for each in stated))

    def keep(self, call: Call) -> bool:
        """Whether the call's arguments are as is stated."""
        arguments = self._given(call)
        return all(_holds(stated, arguments) for stated in self._single) and all(
            _hold(stated, arguments) for stated in self._several
        )

    def mended(self, call: Call) -> Call:
        """The call that comes nearest to it and may keep them: sorted, without repetitions."""
        arguments = self._given(call)
        for single in self._single:
            if not isinstance(single, Bound) and single.name in arguments:
                arguments[single.name] = single.mended(arguments[single.name])
        # What is cut stays sorted, and without repetitions.
        for several in self._several:
            if all(name in arguments for name in several.names):
                values = several.mended([arguments[name] for name in several.names])
                arguments |= zip(several.names, values, strict=True)
        kept = zip(self._names, call.args, strict=False)
        return replace(
            call,
            args=(
                *(arguments[name] for name, _value in kept),
                *call.args[len(self._names) :],
            ),
            kwargs=tuple((name, arguments[name]) for name, _value in call.kwargs),
        )

    def _given(self, call: Call) -> dict[str, Value]:
        return dict(zip(self._names, call.args, strict=False)) | dict(call.kwargs)


@lru_cache(maxsize=16)
def preconditions_of(specification: Specification) -> Preconditions:
    """Those that the docstring states and its own examples keep."""
    return Preconditions(specification, example_calls(specification))


def _holds(stated: Bound | Shape, arguments: Mapping[str, Value]) -> bool:
    return stated.name not in arguments or stated.holds(arguments[stated.name])


def _hold(stated: SameLength, arguments: Mapping[str, Value]) -> bool:
    return stated.hold([arguments[name] for name in stated.names if name in arguments])


def _holding(
    parameters: Sequence[Parameter], shown: Sequence[Mapping[str, Value]]
) -> tuple[str, ...]:
    """Those that may be given a list or a text; none with a default beside those without."""
    holding = [each for each in parameters if _may_hold(each, shown)]
    required = [each for each in holding if each.default is None]
    return tuple(each.name for each in required or holding)


def _may_hold(parameter: Parameter, shown: Sequence[Mapping[str, Value]]) -> bool:
    """Whether a parameter may be given a list or a text, by its annotation or the examples."""
    if parameter.annotation is not None:
        outer = parse_expression(parameter.annotation)
        if isinstance(outer, ast.Subscript):
            outer = outer.value
        return outer is None or last_name(outer) not in _NOT_HOLDING
    return all(
        isinstance(arguments[parameter.name], str | list | tuple)
        for arguments in shown
        if parameter.name in arguments
    )
