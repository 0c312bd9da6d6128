"""Takes lists, dicts, objects and the like apart, one level deep, and puts them together again."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, cast

from assay_engine.source.parsing import parse_expression
from assay_engine.source.steps import parts_after
from assay_sandbox import Container, Expression, Instance, Member, Scalar, Value, encode

# Containers whose items may be of any kind. The content of an array has to fit its shape.
_OPEN_CONTAINERS = frozenset(
    f"collections.{name}" for name in ("Counter", "OrderedDict", "defaultdict", "deque")
)


def parts_of(value: Value) -> list[Value]:
    """The direct parts of the value, in an order that is the same in every process.

    The parts of a dict are its keys and values in turn. A value without parts has none, and so has
    a value that must be left alone.
    """
    match value:
        case list() | tuple():
            return list(cast("Sequence[Value]", value))
        case set() | frozenset():
            return sorted(cast("set[Value]", value), key=encode)
        case dict():
            return list(chain.from_iterable(cast("dict[Value, Value]", value).items()))
        case Instance():
            return [item for _, item in value.fields]
        case Container() if value.type_name in _OPEN_CONTAINERS:
            return parts_of(value.items)
        case _:
            return []


def nodes_of(value: Value) -> Iterator[Value]:
    """The value, and all its parts at any depth."""
    yield value
    for part in parts_of(value):
        yield from nodes_of(part)


def is_of_fitting_parts(value: Value) -> bool:
    """Whether the value's parts (kinds, lengths, units) have to fit each other, as a table's do."""
    return isinstance(value, Container) and value.type_name.startswith("pandas.")


def with_parts(value: Value, parts: Sequence[Value]) -> Value:
    """A value of the same kind that consists of these parts.

    The value stays as it was if a new member or key cannot be hashed.
    """
    try:
        match value:
            case list():
                return list(parts)
            case tuple():
                return tuple(parts)
            case set():
                return set(parts)
            case frozenset():
                return frozenset(parts)
            case dict():
                return dict(zip(parts[::2], parts[1::2], strict=True))
            case Instance():
                names = [name for name, _ in value.fields]
                return Instance(value.type_name, tuple(zip(names, parts, strict=True)))
            case Container():
                return Container(value.type_name, with_parts(value.items, parts))
            case _:
                return value
    except TypeError:
        return cast(object, value)


def shape_of(value: Value) -> str:
    """A text that is equal for values that can replace each other, like ``tuple[int,str]``.

    Other shapes are ``int`` and ``list[int]``. An empty list has a shape of its own, since nobody
    knows what would be in it.
    """
    match value:
        case tuple():
            return f"tuple[{','.join(map(shape_of, cast('tuple[Value, ...]', value)))}]"
        case list() | set() | frozenset():
            inner = {shape_of(item) for item in cast("Sequence[Value]", value)}
            return f"{type(cast(object, value)).__name__}[{'|'.join(sorted(inner))}]"
        case dict():
            mapping = cast("dict[Value, Value]", value)
            keys = "|".join(sorted({shape_of(key) for key in mapping}))
            items = "|".join(sorted({shape_of(item) for item in mapping.values()}))
            return f"dict[{keys}:{items}]"
        case Instance() | Member() | Scalar():
            return value.type_name
        case Container():
            return f"{value.type_name}({shape_of(value.items)})"
        case Expression():
            return f"Expression({_made_by(value.source)})"
        case _:
            other: Any = value
            return type(other).__name__


@lru_cache(maxsize=1024)
def _made_by(source: str) -> str:
    """The function that source text calls last, or the kind of expression if it calls none.

    It tells objects apart: an exception cannot replace an array.
    """
    expression = parse_expression(source)
    match (parts_after(expression) or [expression])[-1]:
        case ast.Call(func=called):
            return ast.unparse(called)
        case other:
            return type(other).__name__
