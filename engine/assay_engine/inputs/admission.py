"""Decides which calls a unit is tried on: those that fit its annotations and its docstring."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from assay_engine.inputs.calls import calls_in
from assay_engine.inputs.fitting import Types
from assay_engine.inputs.preconditions import Preconditions
from assay_engine.inputs.records import Records
from assay_engine.types import Specification
from assay_sandbox import Call


class Admission:
    """Admits calls by the annotations, the docstring, its examples and the proposed calls.

    Arguments may be of any type where the docstring documents a TypeError: the unit is then tried
    on types, too.
    """

    def __init__(
        self, specification: Specification, examples: Sequence[Call], proposed: Sequence[Call] = ()
    ) -> None:
        self._specification = specification
        self._types = Types(specification)
        self._of_any_type = "TypeError" in specification.documented_exceptions
        shown = list(chain.from_iterable(map(self._made, examples)))
        typed = list(filter(self._fits, chain.from_iterable(map(self._made, proposed))))
        self._stated = Preconditions(specification, shown, typed)
        self._records = Records(specification.given_parameters, [*shown, *typed])

    @property
    def stated(self) -> tuple[str, ...]:
        """The conditions on arguments that were read in the docstring, in words."""
        return self._stated.told

    def admits(self, call: Call) -> bool:
        return all(map(self._keeps, self._made(call)))

    def fitted(self, calls: Iterable[Call]) -> tuple[Call, ...]:
        """The admitted ones among calls that were made up.

        Each call is first changed to keep the stated conditions, if it can be. Its records must
        have the lengths that are shown.
        """
        if not self._specification.gives_functions:
            calls = map(self._stated.mended, calls)
        return tuple(call for call in calls if all(map(self._keeps_as_made_up, self._made(call))))

    def _made(self, call: Call) -> Sequence[Call]:
        """The calls of the function that running `call` makes, as far as they can be read."""
        return (
            calls_in(call, self._specification) if self._specification.gives_functions else [call]
        )

    def _keeps(self, call: Call) -> bool:
        return self._fits(call) and self._stated.keep(call)

    def _keeps_as_made_up(self, call: Call) -> bool:
        return self._keeps(call) and (self._of_any_type or self._records.keep(call))

    def _fits(self, call: Call) -> bool:
        return self._of_any_type or self._types.fit(call)
