"""Properties of a pair of programs, described by what must hold and not by how it is found out.

A clause's formula is a pure function of an `Interpretation` that reads like the proposition in the
paper. It may be evaluated many times, with more known each time, and speaks of nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.triangulation.operators import ONE_THIRD, Threshold, forall
from assay_engine.triangulation.outcomes import ResultKind
from assay_engine.triangulation.values import (
    Answer,
    Arguments,
    Function,
    Judgement,
    Special,
    Term,
    Unknown,
)


class Rules(Struct, frozen=True):
    """What the paper leaves open, as options; the defaults are the rules of the documentation.

    `threshold`: the share of doubts from which on a quantifier fails. `least_evidence`: at how many
    inputs the primary clause must be true with evidence. `passes_doubt_on`: an inner quantifier
    with too many doubts is itself a doubt, and no failure. `late_is_angelic`: nobody can tell what
    a run that hit the time limit would have returned, if it is an enumerator's in FWD-ENUM, or the
    program's on a value that a witness listed.
    """

    threshold: Threshold = ONE_THIRD
    least_evidence: int = 1
    passes_doubt_on: bool = False
    late_is_angelic: bool = False


class Points(Struct, frozen=True):
    """On what a pair is tried: `inputs` for the left program, `outputs` for the witness.

    A witness of an inverting scheme takes an output and then the parameters that are not inverted,
    in order; `inverted` is the index of the one that is.
    """

    inputs: tuple[Arguments, ...]
    outputs: tuple[Arguments, ...] = ()
    inverted: int = 0
    rules: Rules = Rules()


class Interpretation(Struct, frozen=True):
    """What a formula speaks of: a left program `p`, a witness `q`, and points they are tried on.

    `patient_p` and `patient_q` are the same programs where the rules may excuse a run that hit the
    time limit.
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
    """Of which programs a clause speaks, so that it is evaluated once for each of them."""

    PAIR = "both"
    LEFT = "the left program"
    RIGHT = "the witness"


class Clause(Struct, frozen=True):
    """`primary`: the clause that has to be true with evidence; vacuous truth is no agreement."""

    formula: Formula
    about: About = About.PAIR
    primary: bool = False


class Scheme(Struct, frozen=True):
    """A relation between programs. Clauses stand in the order of their cost."""

    name: str
    clauses: tuple[Clause, ...]
    left: ResultKind = ResultKind.VALUE
    right: ResultKind = ResultKind.VALUE


def inverting(*clauses: Clause) -> tuple[Clause, ...]:
    """The clauses, about a left program that takes the inverted parameter first."""
    return tuple(_after(_inverted_first, clause) for clause in clauses)


def transformed(scheme: Scheme, change: Callable[[Interpretation], Interpretation]) -> Scheme:
    """The scheme, about the interpretation as it is after a change."""
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
