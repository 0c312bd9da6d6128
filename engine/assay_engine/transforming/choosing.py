"""Which parameter to invert: measured on the samples, not only asked (B.5 of the close reading).

For each parameter, values that occur in the inputs are put into contexts that occur in them, and
the samples are run: the share of different results among different values says how much of the
parameter the result keeps. At 1 the problem is one-to-one in it, at 0 it does not depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from assay_engine.incoherence import mean_share
from assay_engine.transforming.survey import Survey
from assay_engine.transforming.views import View
from assay_engine.triangulation.equality import key
from assay_engine.triangulation.memo import encoded_arguments
from assay_engine.triangulation.operators import spread
from assay_engine.triangulation.values import Arguments, Function, Special, Unknown
from assay_sandbox import Value

CONTEXTS_MAX = 5
VALUES_MAX = 8
# The parameter that was asked for is kept unless another one keeps this much more of it.
CLEARLY_BETTER = 2.0


def kept_shares(
    programs: Sequence[Function], inputs: Sequence[Arguments], parameters: int
) -> tuple[float, ...]:
    """By parameter: the mean share of different results among different values of it."""
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
    return mean_share(measured) if measured else 0.0


def _share(
    program: Function, context: Arguments, index: int, values: Sequence[Value]
) -> Fraction | None:
    """None if fewer than two values have a result in this context."""
    outputs = [program(*context[:index], value, *context[index + 1 :]) for value in values]
    results = [each for each in outputs if not isinstance(each, Special | Unknown)]
    if len(results) < 2:
        return None
    return Fraction(len(set(map(key, results))) - 1, len(results) - 1)


def _text(arguments: Arguments) -> str:
    return encoded_arguments(arguments)
