"""Compares the examples of a transformed problem with those of the original.

The prompt for a rewriting asks for no examples. If the model writes some all the same, whoever
solves the rewriting goes by them. Only examples that both docstrings write as literals can be
compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from assay_engine.compare.same_values import same_value
from assay_engine.inputs.calls import assignments, read_call
from assay_engine.methods.triangulation.formulas.outcomes import answer
from assay_engine.methods.triangulation.formulas.values import Arguments, FullAnswer, PartialAnswer
from assay_engine.methods.triangulation.rewriting import Consistent
from assay_engine.syntax.expressions import NotLiteral, literal_in
from assay_engine.types import Specification
from assay_engine.values.carried import is_expression
from assay_sandbox import Value

# Arguments, and the result that the docstring shows for them.
Shown: TypeAlias = tuple[Arguments, Value]


def shown_by(specification: Specification) -> tuple[Shown, ...]:
    """The examples of a docstring that have literals both as arguments and as result."""
    found: list[Shown] = []
    for example in specification.examples:
        bound = assignments(example.setup)
        call = None if bound is None else read_call(example.call, specification, bound)
        if call is None or call.kwargs or any(map(is_expression, call.args)):
            continue
        try:
            found.append((call.args, literal_in(example.expected)))
        except NotLiteral:
            continue
    return tuple(found)


def _never_contradicting(contradicts: Callable[[Shown], bool]) -> Consistent:
    """The check that `contradicts` holds for no example of a transformed problem."""

    def consistent(problem: Specification) -> str:
        wrong = any(contradicts(each) for each in shown_by(problem))
        return "one of its examples contradicts the function's own" if wrong else ""

    return consistent


def for_inverse(original: Sequence[Shown], inverted: int) -> Consistent:
    def contradicts(example: Shown) -> bool:
        (output, *context), value = example
        return any(
            same_value(i1, value) and _same(i2, context) and not same_value(o, output)
            for i1, i2, o in _inverted(original, inverted)
        )

    return _never_contradicting(contradicts)


def for_set_inverse(original: Sequence[Shown], inverted: int) -> Consistent:
    def contradicts(example: Shown) -> bool:
        (output, *context), values = example
        fibre = answer(values)
        if not isinstance(fibre, FullAnswer | PartialAnswer):
            return True
        return any(
            _same(i2, context)
            and (
                (i1 in fibre.listed and not same_value(o, output))
                or (
                    isinstance(fibre, FullAnswer)
                    and same_value(o, output)
                    and i1 not in fibre.listed
                )
            )
            for i1, i2, o in _inverted(original, inverted)
        )

    return _never_contradicting(contradicts)


def for_enumeration(original: Sequence[Shown]) -> Consistent:
    def contradicts(example: Shown) -> bool:
        arguments, values = example
        listed = answer(values)
        if not isinstance(listed, FullAnswer | PartialAnswer):
            return True
        return isinstance(listed, FullAnswer) and any(
            _same(given, arguments) and output not in listed.listed for given, output in original
        )

    return _never_contradicting(contradicts)


def for_postcondition(original: Sequence[Shown]) -> Consistent:
    def contradicts(example: Shown) -> bool:
        (*arguments, result), holds = example
        return holds is not True and any(
            _same(given, arguments) and same_value(output, result) for given, output in original
        )

    return _never_contradicting(contradicts)


def _inverted(original: Sequence[Shown], index: int) -> list[tuple[Value, list[Value], Value]]:
    return [
        (given[index], [*given[:index], *given[index + 1 :]], output)
        for given, output in original
        if index < len(given)
    ]


def _same(left: Sequence[Value], right: Sequence[Value]) -> bool:
    return same_value(list(left), list(right))
