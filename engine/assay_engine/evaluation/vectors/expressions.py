"""Evaluates expressions over special values: vectors of the operators themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from assay_engine.evaluation.vectors.reading import BadVectors, Json, json_from, value_from
from assay_engine.triangulation.equality import listed
from assay_engine.triangulation.evaluate import Rounds, until_known
from assay_engine.triangulation.memo import Memo
from assay_engine.triangulation.operators import (
    conjunction,
    disjunction,
    equal,
    forall,
    holds,
    implication,
    member,
    negation,
    tolerate,
)
from assay_engine.triangulation.outcomes import answer
from assay_engine.triangulation.values import (
    ANGELIC,
    DEMONIC,
    FALSE,
    TRUE,
    UNDEFINED,
    FullAnswer,
    Judgement,
    PartialAnswer,
    Special,
    Term,
    Truth,
    Unknown,
)
from assay_sandbox import Program

_CONSTANTS = {"A": ANGELIC, "U": UNDEFINED, "D": DEMONIC, "True": TRUE, "False": FALSE}

_UNARY: dict[str, Callable[[Term], Term]] = {
    "not": lambda x: negation(holds(x)),
    "tolerate": tolerate,
}
_BINARY: dict[str, Callable[[Term, Term], Term]] = {
    "eq": equal,
    "in": lambda x, s: member(x, _set(s)),
    "or": lambda x, y: disjunction(holds(x), holds(y)),
    "and": lambda x, y: conjunction(holds(x), holds(y)),
    "implies": lambda x, y: implication(holds(x), holds(y)),
}


def evaluated(expression: Json, memo: Memo) -> Rounds[Json]:
    """The value of the expression as JSON: a truth value, a letter, or an ordinary value."""
    term = yield from until_known(lambda: _term(expression, memo), memo)
    match term:
        case Truth():
            return term is not FALSE
        case Special():
            return term.value
        case _:
            return json_from(term)


def check(expression: Json) -> None:
    """Raises BadVectors for what is no expression: no call is made, but operators are applied."""
    _term(expression, Memo())


def _term(expression: Json, memo: Memo) -> Term:
    if isinstance(expression, str) and expression in _CONSTANTS:
        return _CONSTANTS[expression]
    if not isinstance(expression, list) or not expression:
        raise BadVectors(f"no expression: {expression!r}")
    operator, *operands = cast("list[Json]", expression)
    match operator, operands:
        case "val", [written]:
            return value_from(written)
        case "set", _:
            return FullAnswer(listed(map(value_from, operands)))
        case "subset", _:
            return PartialAnswer(listed(map(value_from, operands)))
        case "call", [str() as source, *arguments]:
            program = memo.function(Program(source, "f"))
            return program(*(_term(argument, memo) for argument in arguments))
        case "forall", [domain, bodies] if isinstance(bodies, list):
            each = cast("list[Json]", bodies)
            return _forall(_term(domain, memo), [_term(body, memo) for body in each])
        case str(), [operand] if operator in _UNARY:
            return _UNARY[operator](_term(operand, memo))
        case str(), [left, right] if operator in _BINARY:
            return _BINARY[operator](_term(left, memo), _term(right, memo))
        case _:
            raise BadVectors(f"no operator {operator!r} of {len(operands)} operands")


def _forall(domain: Term, bodies: Sequence[Term]) -> Judgement:
    """The bodies are given value by value, so that of an ordinary domain only the size counts."""
    values = domain if isinstance(domain, Special | Unknown) else bodies
    return forall(values, holds)


def _set(term: Term) -> Term:
    is_term = isinstance(term, FullAnswer | PartialAnswer | Special | Unknown)
    return term if is_term else answer(term)
