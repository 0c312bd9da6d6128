"""Evaluates expressions over special values, for vectors that test the operators themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import cast

from assay_bench.vectors.programs import program
from assay_bench.vectors.reading import BadVector
from assay_bench.vectors.values import Json, json_from, value_from
from assay_engine.methods.triangulation.formulas.evaluate import Rounds, until_known
from assay_engine.methods.triangulation.formulas.operators import (
    conjunction,
    disjoint,
    equal,
    forall,
    holds,
    implication,
    member,
    negation,
    sequence,
    tolerate,
)
from assay_engine.methods.triangulation.formulas.outcomes import Memo, answer
from assay_engine.methods.triangulation.formulas.schemes import shift
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
    listed,
)

_CONSTANTS = {"A": ANGELIC, "U": UNDEFINED, "D": DEMONIC, "True": TRUE, "False": FALSE}
_TRUTHS = {True: TRUE, False: FALSE}

_UNARY: dict[str, Callable[[Term], Term]] = {
    "not": lambda x: negation(holds(x)),
    "tolerate": tolerate,
    "shift": lambda x: shift(_value(x)),
}
_BINARY: dict[str, Callable[[Term, Term], Term]] = {
    "eq": lambda x, y: equal(_value(x), _value(y)),
    "neq": lambda x, y: negation(equal(_value(x), _value(y))),
    "in": lambda x, s: member(_value(x), _answer(s)),
    "disjoint": lambda s, t: disjoint(_answer(s), _answer(t)),
    "implies": lambda x, y: implication(holds(x), holds(y)),
}


def disjunction(left: Judgement, right: Judgement) -> Judgement:
    """The first of the two, in the order D, pending, True, A, U, False."""
    order = (DEMONIC, PENDING, TRUE, VACUOUS, ANGELIC, UNDEFINED, FALSE)
    return first_of(order, (left, right)) or FALSE


_CONNECTIVES: dict[str, Callable[[Judgement, Judgement], Judgement]] = {
    "or": disjunction,
    "and": conjunction,
}


def evaluated(expression: Json, memo: Memo) -> Rounds[Json]:
    """The value of the expression as JSON: a truth value, a letter, or an ordinary value."""
    term = yield from until_known(lambda: _term(expression, memo), memo)
    match term:
        case Truth():
            return term is not FALSE
        case Special():
            return term.value
        case FullAnswer(values):
            return json_from(list(values.values))
        case PartialAnswer(values):
            return json_from((False, list(values.values)))
        case _:
            return json_from(term)


def check(expression: Json) -> None:
    """Raise BadVector for a malformed expression. Applies its operators, but makes no calls."""
    _term(expression, Memo())


def _term(expression: Json, memo: Memo) -> Term:
    if isinstance(expression, bool):
        return _TRUTHS[expression]
    if isinstance(expression, str) and expression in _CONSTANTS:
        return _CONSTANTS[expression]
    if not isinstance(expression, list) or not expression:
        raise BadVector(f"no expression: {expression!r}")
    operator, *operands = cast("list[Json]", expression)
    match operator, operands:
        case "val", [written]:
            return value_from(written)
        case "set", _:
            return FullAnswer(listed(map(value_from, operands)))
        case "subset", _:
            return PartialAnswer(listed(map(value_from, operands)))
        case "seq", _:
            return sequence(_value(_term(operand, memo)) for operand in operands)
        case "ans", [operand]:
            return _answer(_term(operand, memo))
        case "call", [str() as source, *arguments]:
            function = memo.function(program(source, "f"))
            return function(*(_value(_term(argument, memo)) for argument in arguments))
        case "forall", [domain, bodies] if isinstance(bodies, list):
            each = cast("list[Json]", bodies)
            return _forall(_term(domain, memo), [_term(body, memo) for body in each])
        case str(), [operand] if operator in _UNARY:
            return _UNARY[operator](_term(operand, memo))
        case str(), [left, right] if operator in _BINARY:
            return _BINARY[operator](_term(left, memo), _term(right, memo))
        case str(), [_, _, *_] if operator in _CONNECTIVES:
            judgements = [holds(_term(operand, memo)) for operand in operands]
            return reduce(_CONNECTIVES[operator], judgements)
        case _:
            raise BadVector(f"no operator {operator!r} of {len(operands)} operands")


def _forall(domain: Term, bodies: Sequence[Term]) -> Judgement:
    """``∀`` with a body given for each value, so of an ordinary domain only the size counts."""
    values = _answer(domain)
    if isinstance(values, Special | Unknown):
        return forall(values, holds)
    if len(values.listed.values) != len(bodies):
        raise BadVector(f"{len(bodies)} bodies for {len(values.listed.values)} values")
    return forall(bodies, holds)


def _value(term: Term) -> Term:
    """The term, with a truth value as a Python bool, which programs know."""
    return term is not FALSE if isinstance(term, Truth) else term


def _answer(term: Term) -> Answer | Special | Unknown:
    is_answer = isinstance(term, FullAnswer | PartialAnswer | Special | Unknown)
    return term if is_answer else answer(term)
