"""Values with secret fields, which neither a log nor a traceback shows."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct


class Discreet(Struct, frozen=True):
    """A value whose `HIDDEN` fields are in no representation of it.

    Every class has to name its `HIDDEN` fields.
    """

    HIDDEN: ClassVar[frozenset[str]]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__rich_repr__())
        return f"{type(self).__name__}({shown})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        shown = (name for name in self.__struct_fields__ if name not in self.HIDDEN)
        return [(name, getattr(self, name)) for name in shown]
