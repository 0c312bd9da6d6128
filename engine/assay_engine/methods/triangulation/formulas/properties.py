"""Properties of a pair of programs: they state what must hold, not how to find out.

A clause's formula reads like the proposition in the paper. It is a pure function of an
`Interpretation` and of nothing else. It may be evaluated many times, with more calls known each
time.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.methods.triangulation.formulas.operators import ONE_THIRD, Threshold, forall
from assay_engine.methods.triangulation.formulas.outcomes import ResultKind
from assay_engine.methods.triangulation.formulas.values import (
    Answer,
    Arguments,
    Function,
    Judgement,
    Special,
    Term,
    Unknown,
)


class Rules(Struct, frozen=True):
    """Options for what the paper leaves open; the defaults are the rules of the documentation.

    `threshold`: the share of doubts at which a quantifier fails. `least_evidence`: at how many
    inputs the primary clause must be true with evidence. `passes_doubt_on`: an inner quantifier
    with too many doubts is itself a doubt, not a failure. `late_is_angelic`: a run that hit the
    time limit is angelic (nobody can tell its result), if it is a run of an enumerator in FWD-ENUM,
    or of the program on a value that a witness listed.
    """

    threshold: Threshold = ONE_THIRD
    least_evidence: int = 1
    passes_doubt_on: bool = False
    late_is_angelic: bool = False


class Points(Struct, frozen=True):
    """The arguments to try a pair on: `inputs` for the left program, `outputs` for the witness.

    A witness of an inverting scheme takes an output and then the parameters that are not inverted,
    in order; `inverted` is the index of the inverted parameter.
    """

    inputs: tuple[Arguments, ...]
    outputs: tuple[Arguments, ...] = ()
    inverted: int = 0
    rules: Rules = Rules()


class Interpretation(Struct, frozen=True):
    """The subject of a formula: a left program `p`, a witness `q`, and points to try them on.

    `patient_p` and `patient_q` are the same programs, for places where the rules may excuse a run
    that hit the time limit.
    """

    p: Function
    q: Function
    points: Points
    patient_p: Function
    patient_q: Function

    @property
    def rules(self) -> Rules:
        return self.points.rules

    def for_inputs(self, body: Callable[..., Judgement]) -> Judgement:
        """``∀ (i1, i2) ∈ I. body(i1, *i2)``"""
        return forall(
            self.points.inputs,
            lambda each: body(*each),
            self.rules.threshold,
            least_evidence=self.rules.least_evidence,
        )

    def for_outputs(self, body: Callable[..., Judgement]) -> Judgement:
        """``∀ (o, i2) ∈ O'. body(o, *i2)``"""
        return forall(self.points.outputs, lambda each: body(*each), self.rules.threshold)

    def for_listed(
        self, answer: Answer | Special | Unknown, body: Callable[[Term], Judgement]
    ) -> Judgement:
        """``∀ v ∈ answer. body(v)``"""
        return forall(
            answer, body, self.rules.threshold, passes_doubt_on=self.rules.passes_doubt_on
        )


Formula: TypeAlias = Callable[[Interpretation], Judgement]


class About(Enum):
    """The programs that a clause is about. The clause is evaluated once for each of them."""

    PAIR = "both"
    LEFT = "the left program"
    RIGHT = "the witness"


class Clause(Struct, frozen=True):
    """`primary`: the clause has to be true with evidence; vacuous truth is no agreement."""

    formula: Formula
    about: About = About.PAIR
    primary: bool = False


class Scheme(Struct, frozen=True):
    """A relation between programs. The cheapest clauses come first."""

    name: str
    clauses: tuple[Clause, ...]
    left: ResultKind = ResultKind.VALUE
    right: ResultKind = ResultKind.VALUE


def inverting(*clauses: Clause) -> tuple[Clause, ...]:
    """The clauses, for a left program that takes the inverted parameter first."""
    return tuple(_after(_inverted_first, clause) for clause in clauses)


def transformed(scheme: Scheme, change: Callable[[Interpretation], Interpretation]) -> Scheme:
    """The scheme, with its clauses evaluated on the changed interpretation."""
    return replace(scheme, clauses=tuple(_after(change, clause) for clause in scheme.clauses))


def _after(change: Callable[[Interpretation], Interpretation], clause: Clause) -> Clause:
    def formula(interpretation: Interpretation) -> Judgement:
        return clause.formula(change(interpretation))

    return replace(clause, formula=formula)


def _inverted_first(interpretation: Interpretation) -> Interpretation:
    index = interpretation.points.inverted

    def moved(p: Function) -> Function:
        def inverted_first(inverted: Term, *others: Term) -> Term:
            return p(*others[:index], inverted, *others[index:])

        return inverted_first

    inputs = tuple((i[index], *i[:index], *i[index + 1 :]) for i in interpretation.points.inputs)
    return replace(
        interpretation,
        p=moved(interpretation.p),
        patient_p=moved(interpretation.patient_p),
        points=replace(interpretation.points, inputs=inputs, inverted=0),
    )
