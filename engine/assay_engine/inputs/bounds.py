"""Which calls keep to the bounds that a specification states, and its own examples keep."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.inputs.examples import example_calls
from assay_engine.inputs.stated import Bound, stated_bounds
from assay_engine.types import Specification, UnitKind
from assay_sandbox import Call


class Bounds:
    """The bounds that a specification states and these examples keep."""

    def __init__(self, specification: Specification, examples: Sequence[Call]) -> None:
        kind = specification.unit.kind
        names = tuple(parameter.name for parameter in specification.parameters)
        # Of a class method's arguments, the class is not one.
        self._names = names[kind is UnitKind.CLASS_METHOD :]
        stated: tuple[Bound, ...] = ()
        # Where refusals are documented, what is refused is on trial, too.
        if not specification.documented_exceptions:
            bound_to = kind in (UnitKind.METHOD, UnitKind.CLASS_METHOD)
            stated = stated_bounds(specification.docstring, names[bound_to:])
        self._bounds = tuple(
            bound for bound in stated if all(self._holds(bound, call) for call in examples)
        )

    def keep(self, call: Call) -> bool:
        """Whether the call's numbers are within all bounds."""
        return all(self._holds(bound, call) for bound in self._bounds)

    def _holds(self, bound: Bound, call: Call) -> bool:
        given = dict(zip(self._names, call.args, strict=False)) | dict(call.kwargs)
        return bound.name not in given or bound.holds(given[bound.name])


def bounds_of(specification: Specification) -> Bounds:
    """Those that the docstring states and its own examples keep."""
    return Bounds(specification, example_calls(specification))
