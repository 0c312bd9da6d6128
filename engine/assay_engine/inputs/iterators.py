"""Makes iterators, arguments that can be consumed only once, for `Iterator` and `Iterable`.

A function that sums an `Iterable` before it loops over it works as asked with lists, but not with
iterators. Types give nothing but lists, and models propose nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, islice, repeat

from assay_engine.inputs.parts import parts_of
from assay_engine.inputs.spelling import source_of
from assay_engine.syntax.aliases import aliases_of
from assay_engine.syntax.alternatives import alternatives
from assay_engine.syntax.names import last_name
from assay_engine.syntax.parsing import parse_expression
from assay_engine.syntax.source import read_source
from assay_engine.types import ParameterKind, Specification
from assay_sandbox import Call, Expression, Value

# At most this many calls get iterators for iterables: the outcome does not depend on their items.
ITERATORS_MAX = 5
# The fewest items of such an iterator: one item is consumed in the first step, and none shows
# nothing.
SHOWING_MIN = 2


def as_annotated(specification: Specification, calls: Sequence[Call]) -> tuple[Call, ...]:
    """The calls with an iterator in the place of each list that is given for an `Iterator`."""
    given = _Given(specification, "Iterator")
    return tuple(given.changed(call, _iterator) for call in calls)


def once_only(specification: Specification, calls: Sequence[Call]) -> tuple[Call, ...]:
    """A few calls with iterators: the first calls that give a list for an `Iterable`, changed."""
    given = _Given(specification, "Iterable")
    changed = (given.changed(call, _showing) for call in calls)
    different = (each for each, call in zip(changed, calls, strict=True) if each != call)
    return tuple(islice(different, ITERATORS_MAX))


class _Given:
    """The arguments for parameters that are annotated with a type of this name."""

    def __init__(self, specification: Specification, name: str) -> None:
        # In a use, it is not known which arguments the function that is made is given.
        parameters = () if specification.gives_functions else specification.given_parameters
        aliases = aliases_of(read_source(specification.program))
        self._names = {
            each.name
            for each in parameters
            if name in map(last_name, alternatives(each.annotation, aliases))
        }
        self._positional = [each.name for each in parameters if each.kind.is_positional]
        rest = [each.name for each in parameters if each.kind is ParameterKind.VAR_POSITIONAL]
        self._rest = rest[0] if rest else ""

    def changed(self, call: Call, change: Callable[[Value], Value]) -> Call:
        if not self._names:
            return call
        positional = chain(self._positional, repeat(self._rest))
        return replace(
            call,
            args=tuple(
                change(value) if name in self._names else value
                for value, name in zip(call.args, positional, strict=False)
            ),
            kwargs=tuple(
                (name, change(value) if name in self._names else value)
                for name, value in call.kwargs
            ),
        )


def _iterator(value: Value) -> Value:
    match value:
        case list():
            return Expression(f"iter({source_of(value)})")
        case Expression(source=text) if isinstance(parse_expression(text), ast.List | ast.ListComp):
            return Expression(f"iter({text})")
        case _:
            return value


def _showing(value: Value) -> Value:
    shows = isinstance(value, Expression) or len(parts_of(value)) >= SHOWING_MIN
    return _iterator(value) if shows else value
