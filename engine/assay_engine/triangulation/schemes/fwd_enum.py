"""FWD-ENUM: a program and an enumerator, as the second stage of the ENUM-SINV cascade.

Paper, section 5.1: ``∀ i ∈ I. p(i) ∈ q(i)``. This is no bijection, since `q` may be
over-permissive: use it only with enumerators that a set-valued inverse has confirmed.
"""

from __future__ import annotations

from assay_engine.triangulation.operators import member
from assay_engine.triangulation.outcomes import ResultKind
from assay_engine.triangulation.properties import Clause, Interpretation, Scheme
from assay_engine.triangulation.values import Judgement


def _enumerated(interpretation: Interpretation) -> Judgement:
    p, q = interpretation.p, interpretation.patient_q
    return interpretation.for_inputs(lambda *i: member(p(*i), q(*i)))


FWD_ENUM = Scheme("FWD-ENUM", (Clause(_enumerated, primary=True),), right=ResultKind.ANSWER)
