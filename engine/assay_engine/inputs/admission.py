"""Which calls a unit is tried on: of the annotated types, and as its docstring states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
        self._types = Types(specification)
        self._of_any_type = "TypeError" in specification.documented_exceptions
        typed = list(filter(self._fits, proposed))
        self._stated = Preconditions(specification, examples, typed)

    @property
    def stated(self) -> tuple[str, ...]:
        """What the docstring was read to state of its arguments, in words."""
        return self._stated.told

    def admits(self, call: Call) -> bool:
        return self._fits(call) and self._stated.keep(call)

    def fitting(self, calls: Iterable[Call]) -> tuple[Call, ...]:
        """Those of the calls that are admitted."""
        return tuple(filter(self.admits, calls))

    def fitted(self, calls: Iterable[Call]) -> tuple[Call, ...]:
        """The same of calls that were made up, each changed to keep what is stated if it can be."""
        return self.fitting(map(self._stated.mended, calls))

    def _fits(self, call: Call) -> bool:
        return self._of_any_type or self._types.fit(call)
