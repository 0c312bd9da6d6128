"""Looks for parts of values inside any container: arrays and tables are searched, too."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import cast

from assay_sandbox import Container, Expression, Instance, Value


def holds(value: Value, sought: Callable[[Value], bool]) -> bool:
    """Whether the value, or anything inside it, is what is sought."""
    match value:
        case _ if sought(value):
            return True
        case list() | tuple() | set() | frozenset():
            return any(holds(item, sought) for item in cast("Collection[Value]", value))
        case dict():
            mapping = cast("dict[Value, Value]", value)
            return any(holds(part, sought) for pair in mapping.items() for part in pair)
        case Instance():
            return any(holds(item, sought) for _, item in value.fields)
        case Container():
            return holds(value.items, sought)
        case _:
            return False


def is_expression(value: Value) -> bool:
    return isinstance(value, Expression)
