"""The operators of properties over ordinary and special values.

Paper, figures 7 and 13, with two decisions where they leave room (see docs/triangulation.md): a
doubt never hides a definite failure, and truth for want of a counterexample is distinguished from
truth with evidence. All operators are total and pure, and symmetric where mathematical ones are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from msgspec import Struct

from assay_engine.compare.same_values import same_value
from assay_engine.methods.triangulation.formulas.values import (
    ANGELIC,
    DEMONIC,
    FALSE,
    PENDING,
    TRUE,
    UNDEFINED,
    VACUOUS,
    Answer,
    FullAnswer,
    Judgement,
    PartialAnswer,
    Special,
    Term,
    Truth,
    Unknown,
    first_of,
    strongest,
)

_T = TypeVar("_T")

# Quantifiers look at no more than this many values of an answer. Membership looks at all of them.
QUANTIFIED_MAX = 256


class Threshold(Struct, frozen=True):
    """The share of angelic values at which a quantifier fails, as a fraction."""

    numerator: int = 1
    denominator: int = 3

    def is_reached(self, angelic: int, total: int) -> bool:
        return self.denominator * angelic >= self.numerator * total


ONE_THIRD = Threshold()


def tolerate(term: Term) -> Term:
    """Make an invalid input nobody's fault: U becomes A, all else stays."""
    return ANGELIC if term is UNDEFINED else term


def holds(term: Term) -> Judgement:
    """A term as a judgement. Only True is true: None, 0 and "" come from postconditions that
    forgot to answer."""
    if isinstance(term, Truth | Special | Unknown):
        return term
    return TRUE if term is True else FALSE


def equal(left: Term, right: Term) -> Judgement:
    """``left = right``. Two invalid outcomes are equal, two crashes are not."""
    special = strongest((left, right))
    if special is None:
        return TRUE if same_value(left, right) else FALSE
    return VACUOUS if left is right is UNDEFINED else special


def member(value: Term, answer: Answer | Special | Unknown) -> Judgement:
    """``value ∈ answer``. A value that is missing from a partial answer is angelic."""
    special = strongest((value, answer))
    if isinstance(answer, Special | Unknown) or special is not None:
        return VACUOUS if value is answer is UNDEFINED else special or DEMONIC
    if value in answer.listed:
        return TRUE
    return FALSE if isinstance(answer, FullAnswer) else ANGELIC


def disjoint(left: Answer | Special | Unknown, right: Answer | Special | Unknown) -> Judgement:
    """``left ∩ right = ∅`` as far as listed: only a value listed in both refutes it."""
    if isinstance(left, FullAnswer | PartialAnswer) and isinstance(
        right, FullAnswer | PartialAnswer
    ):
        return FALSE if left.listed.meets(right.listed) else TRUE
    return strongest((left, right)) or DEMONIC


def negation(judgement: Judgement) -> Judgement:
    if isinstance(judgement, Truth):
        return TRUE if judgement is FALSE else FALSE
    return judgement


def conjunction(left: Judgement, right: Judgement) -> Judgement:
    """The worse of the two, in the order D, pending, False, U, A, True.

    Two true judgements are true with evidence if either has some.
    """
    order = (DEMONIC, PENDING, FALSE, UNDEFINED, ANGELIC, TRUE, VACUOUS)
    return first_of(order, (left, right)) or VACUOUS


def implication(premise: Judgement, conclusion: Judgement) -> Judgement:
    """D or pending if either side is; vacuously true for a false premise; else the conclusion."""
    undecided = first_of((DEMONIC, PENDING), (premise, conclusion))
    if undecided is not None:
        return undecided
    return VACUOUS if premise is FALSE else conclusion


def also(first: Judgement, second: Callable[[], Judgement]) -> Judgement:
    """A conjunction that evaluates its second half only if the first is not refuted.

    Use it as the body of a quantifier: D, False and U are all the same to quantifiers.
    """
    return first if is_refuted(first) else conjunction(first, second())


def is_refuted(judgement: Judgement) -> bool:
    """Whether no quantifier would accept the judgement."""
    return judgement in (DEMONIC, UNDEFINED, FALSE)


def sequence(terms: Iterable[Term]) -> Term:
    """The list of the terms, or their strongest special value if there is one."""
    items = list(terms)
    special = strongest(items)
    return items if special is None else special


def forall(
    domain: Sequence[_T] | Answer | Special | Unknown,
    body: Callable[[_T], Judgement],
    threshold: Threshold = ONE_THIRD,
    *,
    least_evidence: int = 1,
    passes_doubt_on: bool = False,
) -> Judgement:
    """``∀ v ∈ domain. body(v)``: all true or angelic, and not too many angelic.

    The result is true only with evidence at `least_evidence` values, and otherwise vacuously true.
    A doubt about the whole domain (A) is passed on to the enclosing quantifier. With
    `passes_doubt_on`, too many doubts about its values are passed on, too; otherwise they fail the
    quantifier. The quantifier fails as soon as nothing can save it; until then, a pending body gets
    the benefit of the doubt.
    """
    match domain:
        case Unknown():
            return domain
        case Special():
            return ANGELIC if domain is ANGELIC else FALSE
        case FullAnswer(listed) | PartialAnswer(listed):
            values: Sequence[_T] = spread(listed.values, QUANTIFIED_MAX)
        case _:
            values = domain
    counts: Counter[Judgement] = Counter()
    too_many = False
    for value in values:
        judgement = body(value)
        counts[judgement] += 1
        doubts = counts[ANGELIC]
        too_many = doubts > 0 and threshold.is_reached(doubts, len(values))
        if is_refuted(judgement) or (too_many and not passes_doubt_on):
            return FALSE
    if counts[PENDING]:
        return PENDING
    if too_many:
        return ANGELIC
    return TRUE if counts[TRUE] >= least_evidence else VACUOUS


def contradict(left: Iterable[Term], right: Iterable[Term]) -> bool:
    """Whether two rows of outputs hold different values on a shared input."""
    return any(equal(*pair) is FALSE for pair in zip(left, right, strict=True))


def spread(values: Sequence[_T], most: int) -> Sequence[_T]:
    """At most `most` of the values, evenly spread, including the first and the last."""
    if len(values) <= most:
        return values
    return [values[index * (len(values) - 1) // (most - 1)] for index in range(most)]
