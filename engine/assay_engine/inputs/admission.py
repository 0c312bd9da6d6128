"""Decides which calls a unit is tried on: those that fit its annotations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from assay_engine.inputs.calls import calls_in
from assay_engine.inputs.fitting import Types
from assay_engine.inputs.records import Records
from assay_engine.types import Specification
from assay_sandbox import Call


class Admission:
    """Admits calls by the annotations, the examples and the proposed calls.

    Arguments may be of any type where the docstring speaks of a TypeError: the unit is then tried
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
        self._records = Records(specification.given_parameters, [*shown, *typed])

    def admits(self, call: Call) -> bool:
        return all(map(self._fits, self._made(call)))

    def fitted(self, calls: Iterable[Call]) -> tuple[Call, ...]:
        """The admitted ones among calls that were made up.

        Their records must have the lengths that are shown.
        """
        return tuple(filter(self.admits_made_up, calls))

    def admits_made_up(self, call: Call) -> bool:
        return all(map(self._keeps_as_made_up, self._made(call)))

    def _made(self, call: Call) -> Sequence[Call]:
        """The calls of the function that running `call` makes, as far as they can be read."""
        return (
            calls_in(call, self._specification) if self._specification.gives_functions else [call]
        )

    def _keeps_as_made_up(self, call: Call) -> bool:
        return self._fits(call) and (self._of_any_type or self._records.keep(call))

    def _fits(self, call: Call) -> bool:
        return self._of_any_type or self._types.fit(call)
