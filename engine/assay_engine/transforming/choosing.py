"""Chooses the parameter to invert by measuring samples, not only by asking the model.

See B.5 of the close reading. For each parameter, values from the inputs are combined with contexts
from the inputs (the other arguments), and the samples run on them. The share of different results
among different values says how much of the parameter the result keeps. At 1 the problem is
one-to-one in the parameter; at 0 it does not depend on the parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from assay_engine.transforming.survey import Survey
from assay_engine.transforming.views import View
from assay_engine.triangulation.equality import key
from assay_engine.triangulation.memo import encoded_arguments
from assay_engine.triangulation.operators import spread
from assay_engine.triangulation.values import Arguments, Function, Special, Unknown
from assay_sandbox import Value

CONTEXTS_MAX = 5
VALUES_MAX = 8
# The model's first choice stands unless results keep more than this many times as much of another
# parameter.
CLEARLY_BETTER = 2.0


def kept_shares(
    programs: Sequence[Function], inputs: Sequence[Arguments], parameters: int
) -> tuple[float, ...]:
    """For each parameter, the mean share of different results among its different values."""
    return tuple(_kept(programs, inputs, index) for index in range(parameters))


def chosen(view: View, survey: Survey, kept: Sequence[float]) -> int:
    """The index of the parameter to invert."""
    if view.inverted is not None:
        return view.inverted
    names = view.header.names
    asked = [names.index(each.name) for each in survey.parameters if each.name in names]
    order = asked or list(range(len(names)))
    best = max(order, key=lambda index: kept[index])
    return order[0] if kept[order[0]] * CLEARLY_BETTER >= kept[best] else best


def _kept(programs: Sequence[Function], inputs: Sequence[Arguments], index: int) -> float:
    distinct = {_text(each[index : index + 1]): each[index] for each in inputs}
    values = spread(list(distinct.values()), VALUES_MAX)
    around = {_text(each[:index] + each[index + 1 :]): each for each in inputs}
    contexts = spread(list(around.values()), CONTEXTS_MAX)
    if len(values) < 2:
        return 0.0
    shares = [_share(p, context, index, values) for p in programs for context in contexts]
    measured = [share for share in shares if share is not None]
    # Fractions are summed, since a sum of floats would depend on the version of Python.
    return float(sum(measured, Fraction()) / len(measured)) if measured else 0.0


def _share(
    program: Function, context: Arguments, index: int, values: Sequence[Value]
) -> Fraction | None:
    """The share in one context; None if fewer than two values have a result there."""
    outputs = [program(*context[:index], value, *context[index + 1 :]) for value in values]
    results = [each for each in outputs if not isinstance(each, Special | Unknown)]
    if len(results) < 2:
        return None
    return Fraction(len(set(map(key, results))) - 1, len(results) - 1)


def _text(arguments: Arguments) -> str:
    return encoded_arguments(arguments)
