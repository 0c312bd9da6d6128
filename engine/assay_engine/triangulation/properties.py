"""Properties of a pair of programs, described by what must hold and not by how it is found out.

A clause's formula is a pure function of a `Trial` that reads like the proposition in the paper. It
may be evaluated many times, with more known each time, and speaks of nothing but the trial.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from assay_engine.triangulation.operators import ONE_THIRD, Threshold, forall
from assay_engine.triangulation.outcomes import Reading
from assay_engine.triangulation.values import (
    Answer,
    Arguments,
    Function,
    Judgement,
    Special,
    Term,
    Unknown,
)


@dataclass(frozen=True, slots=True)
class Points:
    """On what a pair is tried: `inputs` for the left program, `outputs` for the witness.

    A witness of an inverting scheme takes an output and then the parameters that are not inverted,
    in order; `inverted` is the index of the one that is.
    """

    inputs: tuple[Arguments, ...]
    outputs: tuple[Arguments, ...] = ()
    inverted: int = 0
    threshold: Threshold = ONE_THIRD


@dataclass(frozen=True, slots=True)
class Trial:
    """A left program `p`, a witness `q`, and the points they are tried on."""

    p: Function
    q: Function
    points: Points

    def for_inputs(self, body: Callable[..., Judgement]) -> Judgement:
        """``∀ (i1, i2) ∈ I. body(i1, *i2)``"""
        return forall(self.points.inputs, lambda each: body(*each), self.points.threshold)

    def for_outputs(self, body: Callable[..., Judgement]) -> Judgement:
        """``∀ (o, i2) ∈ O'. body(o, *i2)``"""
        return forall(self.points.outputs, lambda each: body(*each), self.points.threshold)

    def for_listed(
        self, answer: Answer | Special | Unknown, body: Callable[[Term], Judgement]
    ) -> Judgement:
        """``∀ v ∈ answer. body(v)``"""
        return forall(answer, body, self.points.threshold)


Formula: TypeAlias = Callable[[Trial], Judgement]


class About(Enum):
    """Of which programs a clause speaks, so that it is evaluated once for each of them."""

    PAIR = "both"
    LEFT = "the left program"
    RIGHT = "the witness"


@dataclass(frozen=True, slots=True)
class Clause:
    """`primary`: the clause that has to be true with evidence; vacuous truth is no agreement."""

    formula: Formula
    about: About = About.PAIR
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Scheme:
    """A relation between programs. Clauses stand in the order of their cost."""

    name: str
    clauses: tuple[Clause, ...]
    left: Reading = Reading.VALUE
    right: Reading = Reading.VALUE


def inverting(*clauses: Clause) -> tuple[Clause, ...]:
    """The clauses, about a left program that takes the inverted parameter first."""
    return tuple(_after(_inverted_first, clause) for clause in clauses)


def transformed(scheme: Scheme, change: Callable[[Trial], Trial]) -> Scheme:
    """The scheme, about the trial as it is after a change."""
    return replace(scheme, clauses=tuple(_after(change, clause) for clause in scheme.clauses))


def _after(change: Callable[[Trial], Trial], clause: Clause) -> Clause:
    def formula(trial: Trial) -> Judgement:
        return clause.formula(change(trial))

    return replace(clause, formula=formula)


def _inverted_first(trial: Trial) -> Trial:
    index = trial.points.inverted

    def p(inverted: Term, *others: Term) -> Term:
        return trial.p(*others[:index], inverted, *others[index:])

    inputs = tuple((i[index], *i[:index], *i[index + 1 :]) for i in trial.points.inputs)
    return Trial(p, trial.q, replace(trial.points, inputs=inputs, inverted=0))
