"""FWD-INV: a program and an inverse of it. For problems whose solutions are injective.

Paper, propositions 5.2 (full) and 5.4 (partial)::

    φ ≜ ∀ (i1, i2) ∈ I. q(tolerate(p(i1, i2)), i2) = i1
      ∧ ∀ (o, i2), (o', _) ∈ O'. o ≠ o' ⇒ q(o, i2) ≠ q(o', i2)

The full version is the partial one of a program with a single parameter, where `i2` is empty.
"""

from __future__ import annotations

from assay_engine.triangulation.operators import equal, negation, tolerate
from assay_engine.triangulation.properties import About, Clause, Interpretation, Scheme, inverting
from assay_engine.triangulation.schemes.third_clause import kept_apart
from assay_engine.triangulation.values import Judgement, Term


def _inverted(interpretation: Interpretation) -> Judgement:
    p, q = interpretation.p, interpretation.q

    def body(i1: Term, *i2: Term) -> Judgement:
        return equal(q(tolerate(p(i1, *i2)), *i2), i1)

    return interpretation.for_inputs(body)


def _different(left: Term, right: Term) -> Judgement:
    return negation(equal(left, right))


def _injective(interpretation: Interpretation) -> Judgement:
    return kept_apart(interpretation, _different)


FWD_INV = Scheme(
    "FWD-INV", inverting(Clause(_inverted, primary=True), Clause(_injective, About.RIGHT))
)
