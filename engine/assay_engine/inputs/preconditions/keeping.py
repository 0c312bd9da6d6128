"""Checks and mends calls, so that they keep to what a specification states of its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay_engine.inputs.preconditions.bounds import stated_bounds
from assay_engine.inputs.preconditions.condition import Condition
from assay_engine.inputs.preconditions.holding import Holding
from assay_engine.inputs.preconditions.lengths import stated_lengths
from assay_engine.inputs.preconditions.refusals import refused
from assay_engine.inputs.preconditions.shapes import stated_shapes
from assay_engine.inputs.preconditions.subjects import Parameters
from assay_engine.types import Parameter, Specification, UnitKind
from assay_sandbox import Call, Value

# With fewer inputs, "most of them" says little.
PROPOSED_MIN = 5


class Preconditions:
    """Conditions that a specification states of its arguments, and that informed callers observe.

    An example that breaks a condition shows that the condition was read wrongly. So do proposed
    inputs if most of them break it: their author has read the docstring, too (a single input may be
    meant to break it). Arguments with documented refusals have no conditions: refused values are
    on trial, too.
    """

    def __init__(
        self, specification: Specification, examples: Sequence[Call], proposed: Sequence[Call] = ()
    ) -> None:
        given = specification.given_parameters
        self._names = tuple(parameter.name for parameter in given)
        self._conditions: tuple[Condition, ...] = ()
        on_trial = frozenset[str]()
        if exceptions := specification.documented_exceptions:
            found = refused(specification.docstring, exceptions, self._names)
            if found is None:
                return
            on_trial = found
        own = given[1 if specification.unit.kind is UnitKind.METHOD else 0 :]
        shown = [self._given(call) for call in examples]
        known = [self._given(call) for call in proposed]
        self._conditions = tuple(
            condition
            for condition in dict.fromkeys(_read(specification, own, shown))
            if on_trial.isdisjoint(condition.names)
            and all(map(condition.is_met, shown))
            and not _mostly_broken(condition, known)
        )

    @property
    def told(self) -> tuple[str, ...]:
        """The conditions in words, each once."""
        return tuple(dict.fromkeys(condition.told for condition in self._conditions))

    def keep(self, call: Call) -> bool:
        """Whether the call's arguments meet the conditions."""
        arguments = self._given(call)
        return all(condition.is_met(arguments) for condition in self._conditions)

    def mended(self, call: Call) -> Call:
        """The call, changed to meet the conditions as far as possible: its lists sorted, say."""
        arguments = self._given(call)
        for condition in self._conditions:
            arguments |= condition.mending(arguments)
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


def _read(
    specification: Specification, own: Sequence[Parameter], shown: Sequence[Mapping[str, Value]]
) -> Iterator[Condition]:
    docstring, names = specification.docstring, tuple(parameter.name for parameter in own)
    holding = Holding(specification.program, shown)
    parameters = Parameters(names, holding.spoken_of(own))
    yield from stated_bounds(docstring, names, holding.names(own))
    yield from stated_shapes(docstring, parameters)
    # Last of all: a list that is cut stays sorted, and without repetitions.
    yield from stated_lengths(docstring, parameters)


def _mostly_broken(condition: Condition, known: Sequence[Mapping[str, Value]]) -> bool:
    broken = sum(not condition.is_met(arguments) for arguments in known)
    return len(known) >= PROPOSED_MIN and 2 * broken > len(known)
