"""Conditions that a docstring can state of its arguments: of one of them, or of several at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from assay_sandbox import Value


class Condition(Protocol):
    """A condition on arguments.

    It is met by arguments that are missing, and by values that it has no meaning for.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that the condition is about."""
        ...

    @property
    def told(self) -> str:
        """The condition in words: "n is at least 1"."""
        ...

    def is_met(self, arguments: Mapping[str, Value]) -> bool: ...

    def mending(self, arguments: Mapping[str, Value]) -> Mapping[str, Value]:
        """The arguments that the condition concerns, changed to meet it as nearly as possible."""
        ...


class OfOne(Struct, frozen=True):
    """A condition on the argument of one parameter."""

    name: str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def holds(self, value: Value) -> bool:
        """Whether the value meets the condition."""
        raise NotImplementedError

    def mended(self, value: Value) -> Value:
        """The nearest value that meets the condition; the value itself if none suggests itself."""
        return value

    def is_met(self, arguments: Mapping[str, Value]) -> bool:
        return self.name not in arguments or self.holds(arguments[self.name])

    def mending(self, arguments: Mapping[str, Value]) -> Mapping[str, Value]:
        if self.name not in arguments:
            return {}
        return {self.name: self.mended(arguments[self.name])}
