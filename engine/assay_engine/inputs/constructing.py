"""Makes the objects of changed calls anew by their constructors, so that their checks hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from assay_engine.inputs.definitions import Definitions, definitions_of
from assay_engine.inputs.material import slots_of, with_slots
from assay_engine.inputs.parts import parts_of, with_parts
from assay_engine.inputs.spelling import source_of
from assay_engine.syntax.classes import constructor
from assay_engine.types import Specification
from assay_sandbox import Call, Container, Expression, Instance, Scalar, Value, encode

_TYPES = {
    "array": "array",
    "collections": "Counter OrderedDict defaultdict deque",
    "datetime": "date datetime time timedelta timezone",
    "decimal": "Decimal",
    "fractions": "Fraction",
    "zoneinfo": "ZoneInfo",
    "pandas": "DataFrame Index MultiIndex NA NaT Series Timedelta Timestamp array",
    "pathlib": "PosixPath PurePosixPath PureWindowsPath WindowsPath",
    "uuid": "UUID",
}
_STANDARD = frozenset(
    f"{module}.{name}" for module, names in _TYPES.items() for name in names.split()
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
