"""An option of FWD-INV and FWD-SINV: the witness's answer has to lead back to the output.

Not in the paper::

    FWD-INV:  ∀ (o, i2) ∈ O'. q(o, i2) = U ∨ p(q(o, i2), i2) = o
    FWD-SINV: ∀ (o, i2) ∈ O'. ∀ i1 ∈ q(o, i2). p(i1, i2) = o

The cost is linear in the outputs, and the option is no weaker on them than the third clause. It
makes FWD-SINV what ENUM-SINV is for an enumerator that lists one output. It is also strict about
outputs that the program cannot reach: there, a witness has to say that no input exists, by calling
its input invalid or by an empty answer.
"""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine.methods.triangulation.formulas.operators import equal
from assay_engine.methods.triangulation.formulas.outcomes import ResultKind
from assay_engine.methods.triangulation.formulas.properties import (
    Clause,
    Interpretation,
    Scheme,
    inverting,
)
from assay_engine.methods.triangulation.formulas.values import UNDEFINED, VACUOUS, Judgement, Term


def with_round_trip(scheme: Scheme) -> Scheme:
    """FWD-INV or FWD-SINV with this option."""
    formula = _listed_lead_back if scheme.right is ResultKind.ANSWER else _leads_back
    return replace(scheme, clauses=(*scheme.clauses, *inverting(Clause(formula))))


def _leads_back(interpretation: Interpretation) -> Judgement:
    p, q = interpretation.p, interpretation.q

    def body(o: Term, *i2: Term) -> Judgement:
        i1 = q(o, *i2)
        return VACUOUS if i1 is UNDEFINED else equal(p(i1, *i2), o)

    return interpretation.for_outputs(body)


def _listed_lead_back(interpretation: Interpretation) -> Judgement:
    p, q = interpretation.p, interpretation.q

    def body(o: Term, *i2: Term) -> Judgement:
        fibre = q(o, *i2)
        if fibre is UNDEFINED:
            return VACUOUS
        return interpretation.for_listed(fibre, lambda i1: equal(p(i1, *i2), o))

    return interpretation.for_outputs(body)
