"""A baseline witness: the same problem with every answer shifted.

Paper, section 6: ``φ ≜ ∀ i ∈ I. shift(p(i)) = q(i)``. The shifted problem asks for no different
algorithm, so errors stay correlated. Triangulation is measured against this baseline.
"""

from __future__ import annotations

from typing import cast

from assay_engine.triangulation.operators import equal
from assay_engine.triangulation.properties import Clause, Interpretation, Scheme
from assay_engine.triangulation.values import DEMONIC, Judgement, Special, Term, Unknown
from assay_sandbox import Value


def _shifted_alike(interpretation: Interpretation) -> Judgement:
    p, q = interpretation.p, interpretation.q
    return interpretation.for_inputs(lambda *i: equal(shift(p(*i)), q(*i)))


OFF_BY_ONE = Scheme("OFF-BY-ONE", (Clause(_shifted_alike, primary=True),))


def shift(term: Term) -> Term:
    """The term, off by one. Demonic, so that no witness agrees, for a value of a type that the
    problem does not say how to shift."""
    match term:
        case Special() | Unknown():
            return term
        case bool():  # before int, since a bool is an int, too
            return not term
        case int() | float():
            return term + 1
        case str():
            return term + "_1"
        case list() if _all_integers(cast("list[Value]", term)):
            return [*cast("list[int]", term), 1]
        case tuple() if _all_integers(cast("tuple[Value, ...]", term)):
            return tuple(item + 1 for item in cast("tuple[int, ...]", term))
        case _:
            return DEMONIC


def _all_integers(values: list[Value] | tuple[Value, ...]) -> bool:
    return all(type(value) is int for value in values)
