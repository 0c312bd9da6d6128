"""A generated postcondition, checked on inputs and the outputs for them.

Paper, proposition 4.5: ``φ ≜ ∀ i ∈ I. tolerate(q(i, p(i)))``. This is a baseline and no semantic
triangulation, since an over-permissive `q` agrees with everything.
"""

from __future__ import annotations

from assay_engine.triangulation.operators import holds, tolerate
from assay_engine.triangulation.properties import Clause, Interpretation, Scheme
from assay_engine.triangulation.values import Judgement


def _satisfied(interpretation: Interpretation) -> Judgement:
    p, q = interpretation.p, interpretation.q
    return interpretation.for_inputs(lambda *i: holds(tolerate(q(*i, p(*i)))))


POSTCONDITION = Scheme("POSTCONDITION", (Clause(_satisfied, primary=True),))
