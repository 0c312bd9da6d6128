"""What counts when two values, or two behaviours, are compared.

Everything that a comparison can be told stands here: `same_values` and `behaviours` ask a `Policy`
and decide nothing themselves. An `Ensemble` carries the policy of its trial, from which the lenient
and the strict one are derived. Examples and single values are compared under `USUAL`.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

# Nobody wrote the messages of these: Python says what it came upon first, or how deep it was.
WORDED_BY_PYTHON = frozenset(("AttributeError", "RecursionError", "TypeError"))


class Policy(Struct, frozen=True):
    """What counts.

    `tolerance` and `absolute_tolerance` are the relative and the absolute difference of floats that
    is ignored. `ordered` tells whether the items of dicts have to be in the same order, `named`
    whether the axes of tables, and series, need to have the same names, and `arguments` whether it
    counts how arguments are left.
    """

    tolerance: float = 1e-9
    absolute_tolerance: float = 1e-12
    ordered: bool = False
    named: bool = True
    arguments: bool = True

    @property
    def strict(self) -> Policy:
        """Everything counts that can be observed. What only this shows is how a program gets there,
        unless the docstring says otherwise."""
        return replace(self, ordered=True)

    @property
    def lenient(self) -> Policy:
        """Candidates are compared as leniently as any of them could be meant.

        How items are ordered in a dict, and what an index is called, follows from how a program
        came to it; ``==`` and `equals` of pandas ignore it.
        """
        return replace(self, named=False)

    @property
    def leaving_alone(self) -> Policy:
        """The lenient policy under which a function that leaves alone what others change does no
        harm."""
        return replace(self, named=False, arguments=False)


USUAL = Policy()
STRICT = USUAL.strict
LENIENT = USUAL.lenient
