"""Which calls a unit is tried on: of the annotated types, and as its docstring states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from assay_engine.inputs.calls import calls_in
from assay_engine.inputs.fitting import Types
from assay_engine.inputs.preconditions import Preconditions
from assay_engine.types import Specification
from assay_sandbox import Call


class Admission:
    """What is admitted by the annotations, the docstring, its examples and what was proposed.

    Of any types where the docstring speaks of a TypeError: there, types are what is on trial.
    """

    def __init__(
        self, specification: Specification, examples: Sequence[Call], proposed: Sequence[Call] = ()
    ) -> None:
        self._specification = specification
        self._types = Types(specification)
        self._of_any_type = "TypeError" in specification.documented_exceptions
        shown = chain.from_iterable(map(self._made, examples))
        typed = filter(self._fits, chain.from_iterable(map(self._made, proposed)))
        self._stated = Preconditions(specification, list(shown), list(typed))

    @property
    def stated(self) -> tuple[str, ...]:
        """What the docstring was read to state of its arguments, in words."""
        return self._stated.told

    def admits(self, call: Call) -> bool:
        return all(self._fits(each) and self._stated.keep(each) for each in self._made(call))

    def fitting(self, calls: Iterable[Call]) -> tuple[Call, ...]:
        """Those of the calls that are admitted."""
        return tuple(filter(self.admits, calls))

    def fitted(self, calls: Iterable[Call]) -> tuple[Call, ...]:
        """The same of calls that were made up, each changed to keep what is stated if it can be."""
        if self._specification.gives_functions:
            return self.fitting(calls)
        return self.fitting(map(self._stated.mended, calls))

    def _made(self, call: Call) -> Sequence[Call]:
        """The calls of the function that running it makes, as far as they can be read."""
        return (
            calls_in(call, self._specification) if self._specification.gives_functions else [call]
        )

    def _fits(self, call: Call) -> bool:
        return self._of_any_type or self._types.fit(call)
