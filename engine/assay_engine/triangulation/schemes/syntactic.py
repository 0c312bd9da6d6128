"""Semantic equivalence of a sample and one for a paraphrase (Syntactic), or of two samples.

Paper, definition 3.1 and proposition 4.4: ``φ ≜ ∀ i ∈ I. p(i) = q(i)``, written ``p ≡ q``. As a
relation between samples of the same problem, this is what plurality voting counts.
"""

from __future__ import annotations

from assay_engine.triangulation.operators import equal
from assay_engine.triangulation.properties import Clause, Interpretation, Scheme
from assay_engine.triangulation.values import Judgement


def _equivalent(interpretation: Interpretation) -> Judgement:
    p, q = interpretation.p, interpretation.q
    return interpretation.for_inputs(lambda *i: equal(p(*i), q(*i)))


SYNTACTIC = Scheme("SYNTACTIC", (Clause(_equivalent, primary=True),))
