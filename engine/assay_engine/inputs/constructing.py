"""Makes the objects of changed calls anew by their constructors, so that their checks hold.

Makes iterators, arguments that can be consumed only once, for `Iterator` and `Iterable`.

A function that sums an `Iterable` before it loops over it works as asked with lists, but not with
iterators. Types give nothing but lists, and models propose nothing else.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import chain, islice, repeat

from assay_engine.inputs.generics import Definitions, definitions_of
from assay_engine.inputs.material import slots_of, with_slots
from assay_engine.source.annotations import aliases_of, alternatives
from assay_engine.source.classes import constructor
from assay_engine.source.parsing import last_name, parse_expression
from assay_engine.source.text import read_source
from assay_engine.types import ParameterKind, Specification
from assay_engine.values.parts import parts_of, with_parts
from assay_engine.values.spelling import source_of
from assay_engine.values.standard_types import CARRIED
from assay_sandbox import Call, Container, Expression, Instance, Scalar, Value, encode

_CONTAINERS = {
    "array": "array",
    "collections": "Counter OrderedDict defaultdict deque",
    "pandas": "DataFrame Index MultiIndex NA NaT Series Timedelta Timestamp array",
}
_STANDARD = CARRIED.union(
    f"{module}.{name}" for module, names in _CONTAINERS.items() for name in names.split()
)
_NUMBER = re.compile(r"numpy\.(bool_?|(int|uint|float|complex)[0-9]+)")


def constructed(
    specification: Specification, calls: Sequence[Call], seeds: Sequence[Call]
) -> tuple[Call, ...]:
    """The calls, with changed objects written as expressions that construct them.

    An object stays as it is if a seed holds the very same object. A call is left out if its
    constructor cannot make one of its changed objects, since the constructor's parameters are not
    the object's fields, or if a changed object holds a value of a type that is neither the
    program's own nor a standard one.
    """
    known = {encode(each) for seed in seeds for slot in slots_of(seed) for each in _objects(slot)}
    definitions = definitions_of(specification.program) or Definitions()
    made: list[Call] = []
    for call in calls:
        changed = [
            found
            for slot in slots_of(call)
            for found in _objects(slot)
            if encode(found) not in known
        ]
        if all(_can_be_written(found, definitions) for found in changed):
            slots = [_made(slot, known) for slot in slots_of(call)] if changed else slots_of(call)
            made.append(with_slots(call, slots))
    return tuple(made)


def _objects(value: Value) -> list[Instance]:
    own = [value] if isinstance(value, Instance) else []
    return own + [found for part in parts_of(value) for found in _objects(part)]


def _can_be_written(value: Value, definitions: Definitions) -> bool:
    """Whether the value's text only calls constructors of the program and of standard types.

    The text will be evaluated, and some program may have made up the value.
    """
    match value:
        case Instance():
            parts = [item for _, item in value.fields]
            known = _is_made_of_its_fields(value, definitions)
        case Scalar():
            parts, known = [], value.type_name in _STANDARD
        case Container():
            parts = [value.items]
            known = value.type_name in _STANDARD or bool(_NUMBER.fullmatch(value.type_name))
        case _:
            parts, known = parts_of(value), True
    return known and all(_can_be_written(part, definitions) for part in parts)


def _is_made_of_its_fields(value: Instance, definitions: Definitions) -> bool:
    node = definitions.classes.get(value.type_name)
    parameters = None if node is None else constructor(node, definitions.classes)
    names = [name for name, _ in value.fields]
    return parameters is not None and list(parameters) == names


def _made(value: Value, known: Collection[str]) -> Value:
    if isinstance(value, Instance):
        return value if encode(value) in known else Expression(source_of(value))
    parts = parts_of(value)
    return with_parts(value, [_made(part, known) for part in parts]) if parts else value


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
