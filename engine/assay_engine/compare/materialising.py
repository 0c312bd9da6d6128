"""Evaluates arguments that are written as expressions, where the names in them mean something."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from types import NoneType
from typing import cast

from msgspec import Struct

from assay_engine.compare.executor import Executor, program_of
from assay_engine.syntax.expressions import statements_of
from assay_engine.types import Specification
from assay_engine.values.carried import arguments_of, holds, is_expression, is_script
from assay_sandbox import (
    Call,
    Container,
    Cycle,
    Expression,
    Instance,
    Iterated,
    Member,
    Observation,
    Opaque,
    Program,
    Raised,
    Returned,
    Script,
    TimedOut,
    Told,
    Unserialisable,
    Value,
)

_TABLES = frozenset(
    f"pandas.{name}" for name in ("DataFrame", "Series", "Index", "MultiIndex", "array")
)
_ARRAY = "numpy.ndarray:"
_UNINITIALISED = re.compile(r"\b(?:np|numpy)\.empty(?:_like)?\(")
# Their carried form does not tell what they make for a missing key, or how many items they keep.
_LIMITED = frozenset(("collections.defaultdict", "collections.deque"))
_NOT_MADE = (Cycle, Expression, Iterated, Opaque, Script, Told)
# A value that comes back with one of these types is no object of a class of the program.
_NO_OBJECTS = (bool, bytes, complex, dict, float, frozenset, int, list, set, str, tuple, NoneType)
_ECHO = "_assay_echo"
_ECHO_SOURCE = f"""

def {_ECHO}(*args, **kwargs):
    return (args, kwargs)
"""


async def materialised(
    executor: Executor, specification: Specification, calls: Sequence[Call]
) -> tuple[Call, ...]:
    """The calls with their expressions evaluated, without the calls that cannot be made."""
    made = await materialised_each(executor, specification, calls)
    return tuple(each.call for each in made if each is not None)


class Made(Struct, frozen=True):
    """A call as it is run, and the same call with the values of its arguments.

    The two are equal unless some arguments cannot be carried, have more to them than their carried
    form tells, or are objects that steps were taken with. Then the call is run as it is written.
    """

    call: Call
    evaluated: Call


async def materialised_each(
    executor: Executor, specification: Specification, calls: Sequence[Call]
) -> tuple[Made | None, ...]:
    """The calls with their expressions evaluated, in the sandbox, in the program's namespace.

    None for a call whose arguments cannot be made (a constructor refuses, a name is missing). A
    script is run as it is, and None if it lacks a name.
    """
    written = [call for call in calls if holds(call.values, is_expression)]
    if not written:
        return tuple(Made(call, call) for call in calls)
    own = program_of(specification)
    program = Program(own.source + _ECHO_SOURCE, _ECHO, own.place)
    (row,) = await executor.run([program], written)
    made: dict[int, Made | None] = {}
    for call, observation in zip(written, row, strict=True):
        carried = _carried(call, observation) or _ended(call, observation, specification)
        made[id(call)] = carried if carried and _is_made_on_object(carried, specification) else None
    return tuple(made.get(id(call), Made(call, call)) for call in calls)


async def receivers(
    executor: Executor, specification: Specification, calls: Sequence[Call]
) -> tuple[Value, ...]:
    """The object that each call of a method is made on; None where it cannot be made."""
    made = await materialised_each(executor, specification, calls)
    return tuple(
        each.evaluated.args[0]
        if each and each.evaluated.args and not is_script(each.evaluated)
        else None
        for each in made
    )


def _carried(call: Call, observation: Observation) -> Made | None:
    if isinstance(observation, Unserialisable):
        # Where it is not of the input, the value is too large, for example.
        return None if observation.of_input else Made(call, call)
    if is_script(call):
        return Made(call, call)
    if not isinstance(observation, Returned):
        return None
    arguments = arguments_of(observation.value)
    if arguments is None:
        return None
    args, kwargs = arguments
    made = replace(call, args=args, kwargs=tuple(kwargs.items()))
    if holds(call.values, _leaves_memory) and holds(made.values, _has_items):
        return None
    as_written = (
        holds(call.values, _has_steps)
        or holds(made.values, _is_more)
        or not is_carried(made)
        or (holds(call.values, _imports) and holds(made.values, _is_of_a_class))
    )
    if as_written:
        return Made(call, made)
    # What nobody could type stays as it was typed.
    args = _typed(call.args, made.args)
    kwargs = zip(kwargs, _typed([each for _, each in call.kwargs], [*kwargs.values()]), strict=True)
    return Made(replace(made, args=args, kwargs=tuple(kwargs)), made)


def _typed(written: Sequence[Value], made: Sequence[Value]) -> tuple[Value, ...]:
    pairs = zip(written, made, strict=True)
    return tuple(one if holds(other, _has_private_fields) else other for one, other in pairs)


def _has_private_fields(value: Value) -> bool:
    """Whether the value is an object whose fields do not say what its class is called with."""
    return isinstance(value, Instance) and any(name.startswith("_") for name, _ in value.fields)


def _ended(call: Call, observation: Observation, specification: Specification) -> Made | None:
    """The call as it is written, if the function ended it in a step that comes before it."""
    raised = isinstance(observation, Raised) and observation.step is not None
    overdue = isinstance(observation, TimedOut) and not observation.whole_batch
    name = specification.unit.name
    # Special methods are called by operators, too.
    taken = (name.startswith("__") or name in _steps_of(call)) and (raised or overdue)
    return Made(call, call) if taken else None


def _steps_of(call: Call) -> frozenset[str]:
    """The names of variables and attributes in the steps of a call."""
    sources = [value.source for value in call.values if isinstance(value, Expression)]
    steps = [step for source in sources for step in statements_of(source)[:-1]]
    nodes = [node for step in steps for node in ast.walk(step)]
    attributes = [node.attr for node in nodes if isinstance(node, ast.Attribute)]
    return frozenset([*attributes, *(node.id for node in nodes if isinstance(node, ast.Name))])


def _is_made_on_object(made: Made, specification: Specification) -> bool:
    """Whether the first argument of a method's call can be an object of the method's class.

    ``hash(a) == hash(b)`` is no call of a class's ``__eq__``.
    """
    if not specification.has_receiver or not made.evaluated.args:
        return True
    return not isinstance(made.evaluated.args[0], _NO_OBJECTS)


def is_carried(call: Call) -> bool:
    """Whether the arguments of a call could come back and be sent again as what they are."""
    return not holds(call.values, lambda part: isinstance(part, _NOT_MADE))


def _has_steps(value: Value) -> bool:
    return isinstance(value, Expression) and bool(statements_of(value.source))


def _imports(value: Value) -> bool:
    return isinstance(value, Expression) and "__import__(" in value.source


def _is_of_a_class(value: Value) -> bool:
    """Whether the value's class has to be found, whose module the input may have imported."""
    return isinstance(value, Instance | Member)


def _leaves_memory(value: Value) -> bool:
    """Whether an expression makes an array of whatever lies in memory."""
    return isinstance(value, Expression) and _UNINITIALISED.search(value.source) is not None


def _has_items(value: Value) -> bool:
    """Whether the value is a table, or an array with items."""
    if not isinstance(value, Container) or not value.type_name.startswith(_ARRAY):
        return isinstance(value, Container) and value.type_name in _TABLES
    described = cast("list[Value]", value.items) if isinstance(value.items, list) else []
    sizes = described[0] if described else None
    return not (isinstance(sizes, list) and 0 in cast("list[Value]", sizes))


def _is_more(value: Value) -> bool:
    """Whether an object has more to it than its carried form tells, such as the `freq` of a table.

    Nobody would write a table in its carried form, either.
    """
    return isinstance(value, Container) and (
        value.type_name in _TABLES | _LIMITED or value.type_name.startswith(_ARRAY)
    )
