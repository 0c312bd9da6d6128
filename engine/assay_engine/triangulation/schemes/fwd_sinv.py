"""FWD-SINV: a program and a set-valued inverse, which lists all inputs with a given output.

Paper, propositions 5.6 (full) and 5.8 (partial)::

    φ ≜ ∀ (i1, i2) ∈ I. i1 ∈ q(tolerate(p(i1, i2)), i2)
                      ∧ ∀ i1' ∈ q(tolerate(p(i1, i2)), i2). p(i1', i2) = p(i1, i2)
      ∧ ∀ (o, i2), (o', _) ∈ O'. o ≠ o' ⇒ q(o, i2) ∩ q(o', i2) = ∅
"""

from __future__ import annotations

from assay_engine.triangulation.operators import also, disjoint, equal, member, tolerate
from assay_engine.triangulation.outcomes import ResultKind
from assay_engine.triangulation.properties import About, Clause, Interpretation, Scheme, inverting
from assay_engine.triangulation.schemes.third_clause import kept_apart
from assay_engine.triangulation.values import Judgement, Term


def _in_its_fibre(interpretation: Interpretation) -> Judgement:
    p, q, listed = interpretation.p, interpretation.q, interpretation.patient_p

    def body(i1: Term, *i2: Term) -> Judgement:
        output = p(i1, *i2)
        fibre = q(tolerate(output), *i2)
        return also(
            member(i1, fibre),
            lambda: interpretation.for_listed(fibre, lambda v: equal(listed(v, *i2), output)),
        )

    return interpretation.for_inputs(body)


def _one_function(interpretation: Interpretation) -> Judgement:
    return kept_apart(interpretation, disjoint)


FWD_SINV = Scheme(
    "FWD-SINV",
    inverting(Clause(_in_its_fibre, primary=True), Clause(_one_function, About.RIGHT)),
    right=ResultKind.ANSWER,
)
