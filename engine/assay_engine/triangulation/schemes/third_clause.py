"""The third clause, which FWD-INV and FWD-SINV share: a witness inverts one function only.

Paper, propositions 5.4 and 5.8::

    ∀ (o, i2), (o', _) ∈ O'. o ≠ o' ⇒ apart(q(o, i2), q(o', i2))

The second output is moved into the context of the first. Without the clause, a witness that lists
everything agrees with every program.
"""

from __future__ import annotations

from collections.abc import Callable

from assay_engine.triangulation.memo import encoded_arguments
from assay_engine.triangulation.operators import equal, forall, implication, negation, spread
from assay_engine.triangulation.properties import Interpretation
from assay_engine.triangulation.values import (
    DEMONIC,
    UNDEFINED,
    VACUOUS,
    Arguments,
    Judgement,
    Term,
)
from assay_sandbox import Value

# The number of pairs grows with the square of the outputs. With more than 256 outputs, each is
# compared with fewer others, evenly spread, but at least with OTHER_OUTPUTS_MIN.
PAIRS_MAX = 1 << 16
OTHER_OUTPUTS_MIN = 64


def kept_apart(
    interpretation: Interpretation, apart: Callable[[Term, Term], Judgement]
) -> Judgement:
    """The clause, which is about the witness alone.

    Outputs that the witness calls invalid take no part. A crash counts against the witness on the
    outputs it was given, but not on a combination of output and context that only the quantifier
    made up.
    """
    q, points = interpretation.q, interpretation.points
    given = {encoded_arguments(each) for each in points.outputs}
    most = max(OTHER_OUTPUTS_MIN, PAIRS_MAX // max(1, len(points.outputs)))
    others = spread(list({encoded_arguments(y[:1]): y[0] for y in points.outputs}.values()), most)

    def body(combination: tuple[Value, Value, Arguments]) -> Judgement:
        o, other, i2 = combination
        here, there = q(o, *i2), q(other, *i2)
        if here is UNDEFINED or there is UNDEFINED:
            return VACUOUS
        if there is DEMONIC and encoded_arguments((other, *i2)) not in given:
            return VACUOUS
        return implication(negation(equal(o, other)), apart(here, there))

    own = [(o, o, tuple(i2)) for o, *i2 in points.outputs]
    moved = [(o, other, tuple(i2)) for o, *i2 in points.outputs for other in others]
    # First the outputs as given, so that they are asked before any that are made up.
    return forall([*own, *moved], body, interpretation.rules.threshold)
