"""What a docstring can state of its arguments: of one of them, or of several at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from assay_sandbox import Value


class Condition(Protocol):
    """Says nothing of arguments that are not there, nor of values that it has no meaning for."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that it is about."""
        ...

    @property
    def told(self) -> str:
        """In words: "n is at least 1"."""
        ...

    def is_met(self, arguments: Mapping[str, Value]) -> bool: ...

    def mending(self, arguments: Mapping[str, Value]) -> Mapping[str, Value]:
        """Of these arguments those that it concerns, as near as can be to meeting it."""
        ...


class OfOne(Struct, frozen=True):
    """A condition on what one parameter is given."""

    name: str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def holds(self, value: Value) -> bool:
        """Whether the value meets it."""
        raise NotImplementedError

    def mended(self, value: Value) -> Value:
        """The value that comes nearest to it; itself where nothing else suggests itself."""
        return value

    def is_met(self, arguments: Mapping[str, Value]) -> bool:
        return self.name not in arguments or self.holds(arguments[self.name])

    def mending(self, arguments: Mapping[str, Value]) -> Mapping[str, Value]:
        if self.name not in arguments:
            return {}
        return {self.name: self.mended(arguments[self.name])}
