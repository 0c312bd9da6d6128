"""ENUM-SINV: an enumerator of all right answers and a set-valued inverse, for inexact problems.

Paper, propositions 5.10 (full) and 5.11 (partial), with the enumerator as `p`::

    φ ≜ ∀ (i1, i2) ∈ I.  ∀ o ∈ tolerate(p(i1, i2)). i1 ∈ q(o, i2)
      ∧ ∀ (o, i2) ∈ O'. ∀ i1 ∈ tolerate(q(o, i2)). o ∈ p(i1, i2)

Only the domains are tolerated: a listed value that the other side calls invalid is a mistake.
"""

from __future__ import annotations

from assay_engine.triangulation.operators import member, tolerate
from assay_engine.triangulation.outcomes import ResultKind
from assay_engine.triangulation.properties import Clause, Interpretation, Scheme, inverting
from assay_engine.triangulation.values import Judgement, Term


def _listed_by_inverse(interpretation: Interpretation) -> Judgement:
    p, q = interpretation.p, interpretation.q

    def body(i1: Term, *i2: Term) -> Judgement:
        outputs = tolerate(p(i1, *i2))
        return interpretation.for_listed(outputs, lambda o: member(i1, q(o, *i2)))

    return interpretation.for_inputs(body)


def _listed_by_enumerator(interpretation: Interpretation) -> Judgement:
    p, q = interpretation.p, interpretation.q

    def body(o: Term, *i2: Term) -> Judgement:
        fibre = tolerate(q(o, *i2))
        return interpretation.for_listed(fibre, lambda i1: member(o, p(i1, *i2)))

    return interpretation.for_outputs(body)


ENUM_SINV = Scheme(
    "ENUM-SINV",
    inverting(Clause(_listed_by_inverse, primary=True), Clause(_listed_by_enumerator)),
    left=ResultKind.ANSWER,
    right=ResultKind.ANSWER,
)
