"""Objects of changed calls, made again by their constructors, so that what these check holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay_engine.inputs.classes import Definitions, constructor, definitions_of
from assay_engine.inputs.material import slots_of, with_slots
from assay_engine.inputs.parts import parts_of, with_parts
from assay_engine.types import Specification
from assay_sandbox import Call, Expression, Instance, Value
from assay_sandbox.codec import encode, render


def constructed(
    specification: Specification, calls: Sequence[Call], seeds: Sequence[Call]
) -> tuple[Call, ...]:
    """The calls with changed objects as expressions that construct them.

    An object is left as it is if a seed holds the very same. Left out are calls with a changed
    object that its constructor cannot be asked for, since its parameters are not its fields.
    """
    known = {encode(each) for seed in seeds for slot in slots_of(seed) for each in _objects(slot)}
    definitions = definitions_of(specification.program) or Definitions({}, {})
    made: list[Call] = []
    for call in calls:
        changed = [
            found
            for slot in slots_of(call)
            for found in _objects(slot)
            if encode(found) not in known
        ]
        if all(_is_made_of_its_fields(found, definitions) for found in changed):
            slots = [_made(slot, known) for slot in slots_of(call)] if changed else slots_of(call)
            made.append(with_slots(call, slots))
    return tuple(made)


def _objects(value: Value) -> list[Instance]:
    own = [value] if isinstance(value, Instance) else []
    return own + [found for part in parts_of(value) for found in _objects(part)]


def _is_made_of_its_fields(value: Instance, definitions: Definitions) -> bool:
    node = definitions.classes.get(value.type_name)
    parameters = None if node is None else constructor(node, definitions.classes)
    names = [name for name, _ in value.fields]
    return parameters is not None and [name for name, _ in parameters] == names


def _made(value: Value, known: Collection[str]) -> Value:
    if isinstance(value, Instance):
        return value if encode(value) in known else Expression(render(value))
    parts = parts_of(value)
    return with_parts(value, [_made(part, known) for part in parts]) if parts else value
