"""The schemes of the paper for single elements, and its baselines.

FWD-INV: a program and an inverse of it. For problems whose solutions are injective.

Paper, propositions 5.2 (full) and 5.4 (partial)::

    φ ≜ ∀ (i1, i2) ∈ I. q(tolerate(p(i1, i2)), i2) = i1
      ∧ ∀ (o, i2), (o', _) ∈ O'. o ≠ o' ⇒ q(o, i2) ≠ q(o', i2)

The full version is the partial one of a program with a single parameter, where `i2` is empty.

FWD-SINV: a program and a set-valued inverse, which lists all inputs with a given output.

Paper, propositions 5.6 (full) and 5.8 (partial)::

    φ ≜ ∀ (i1, i2) ∈ I. i1 ∈ q(tolerate(p(i1, i2)), i2)
                      ∧ ∀ i1' ∈ q(tolerate(p(i1, i2)), i2). p(i1', i2) = p(i1, i2)
      ∧ ∀ (o, i2), (o', _) ∈ O'. o ≠ o' ⇒ q(o, i2) ∩ q(o', i2) = ∅

The third clause, which FWD-INV and FWD-SINV share: a witness inverts one function only.

Paper, propositions 5.4 and 5.8::

    ∀ (o, i2), (o', _) ∈ O'. o ≠ o' ⇒ apart(q(o, i2), q(o', i2))

The second output is moved into the context of the first. Without the clause, a witness that lists
everything agrees with every program.

FWD-ENUM: a program and an enumerator, as the second stage of the ENUM-SINV cascade.

Paper, section 5.1: ``∀ i ∈ I. p(i) ∈ q(i)``. This is no bijection, since `q` may be
over-permissive: use it only with enumerators that a set-valued inverse has confirmed.

ENUM-SINV: an enumerator of all right answers and a set-valued inverse, for inexact problems.

Paper, propositions 5.10 (full) and 5.11 (partial), with the enumerator as `p`::

    φ ≜ ∀ (i1, i2) ∈ I.  ∀ o ∈ tolerate(p(i1, i2)). i1 ∈ q(o, i2)
      ∧ ∀ (o, i2) ∈ O'. ∀ i1 ∈ tolerate(q(o, i2)). o ∈ p(i1, i2)

Only the domains are tolerated: a listed value that the other side calls invalid is a mistake.

Semantic equivalence of a sample and one for a paraphrase (Syntactic), or of two samples.

Paper, definition 3.1 and proposition 4.4: ``φ ≜ ∀ i ∈ I. p(i) = q(i)``, written ``p ≡ q``. As a
relation between samples of the same problem, this is what plurality voting counts.

A generated postcondition, checked on inputs and the outputs for them.

Paper, proposition 4.5: ``φ ≜ ∀ i ∈ I. tolerate(q(i, p(i)))``. This is a baseline and no semantic
triangulation, since an over-permissive `q` agrees with everything.

A baseline witness: the same problem with every answer shifted.

Paper, section 6: ``φ ≜ ∀ i ∈ I. shift(p(i)) = q(i)``. The shifted problem asks for no different
algorithm, so errors stay correlated. Triangulation is measured against this baseline.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from assay_engine.methods.triangulation.formulas.operators import (
    also,
    disjoint,
    equal,
    forall,
    holds,
    implication,
    member,
    negation,
    spread,
    tolerate,
)
from assay_engine.methods.triangulation.formulas.outcomes import ResultKind, encoded_arguments
from assay_engine.methods.triangulation.formulas.properties import (
    About,
    Clause,
    Interpretation,
    Scheme,
    inverting,
)
from assay_engine.methods.triangulation.formulas.values import (
    DEMONIC,
    UNDEFINED,
    VACUOUS,
    Arguments,
    Judgement,
    Special,
    Term,
    Unknown,
)
from assay_sandbox import Value


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


def _enumerated(interpretation: Interpretation) -> Judgement:
    p, q = interpretation.p, interpretation.patient_q
    return interpretation.for_inputs(lambda *i: member(p(*i), q(*i)))


FWD_ENUM = Scheme("FWD-ENUM", (Clause(_enumerated, primary=True),), right=ResultKind.ANSWER)


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


def _equivalent(interpretation: Interpretation) -> Judgement:
    p, q = interpretation.p, interpretation.q
    return interpretation.for_inputs(lambda *i: equal(p(*i), q(*i)))


SYNTACTIC = Scheme("SYNTACTIC", (Clause(_equivalent, primary=True),))


def _satisfied(interpretation: Interpretation) -> Judgement:
    p, q = interpretation.p, interpretation.q
    return interpretation.for_inputs(lambda *i: holds(tolerate(q(*i, p(*i)))))


POSTCONDITION = Scheme("POSTCONDITION", (Clause(_satisfied, primary=True),))


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
