"""The values that may cross between host and worker, as the host sees them.

Built-in types stand for themselves, exactly (no subclasses). Everything else is one of the frozen
wrappers below: the host never imports, constructs or calls a class that a program defined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Instance:
    """An object seen from outside: its class's name and its fields in order."""

    type_name: str
    fields: tuple[tuple[str, Value], ...]

    def __hash__(self) -> int:
        return hash((self.type_name, hash_of(self.fields)))


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an enumeration."""

    type_name: str
    name: str


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value of a known standard type, given by its text: ``decimal.Decimal``, ``"1.10"``."""

    type_name: str
    text: str


@dataclass(frozen=True, slots=True)
class Container:
    """A known standard container that is not built in: ``collections.Counter`` of a dict."""

    type_name: str
    items: Value

    def __hash__(self) -> int:
        return hash((self.type_name, hash_of(self.items)))


@dataclass(frozen=True, slots=True)
class Iterated:
    """Items that an iterator or generator yielded, up to a bound; `complete` if it then ended."""

    type_name: str
    items: tuple[Value, ...]
    complete: bool

    def __hash__(self) -> int:
        return hash((self.type_name, hash_of(self.items), self.complete))


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """A value that cannot be carried, and why. It equals nothing, itself included."""

    type_name: str
    reason: str

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return hash((self.type_name, self.reason))


@dataclass(frozen=True, slots=True)
class Told:
    """An object that no other program could be given, and its description.

    For example, a lock and whether it is locked, or a function and the name that leads to it, or
    its position among those that the call was given.
    """

    type_name: str
    what: Value

    def __hash__(self) -> int:
        return hash((self.type_name, hash_of(self.what)))


@dataclass(frozen=True, slots=True)
class Cycle:
    """Stands for the object that is `levels` levels above this place."""

    levels: int


@dataclass(frozen=True, slots=True)
class Expression:
    """Inputs only: source text that the worker evaluates in the program's own namespace.

    It may be a script: statements on lines of their own, which end with an expression. The names
    that it binds are those of the arguments after it, too.
    """

    source: str


@dataclass(frozen=True, slots=True)
class Script:
    """Inputs only: a script that is run in the place of a call. It is the only argument."""

    source: str


def hash_of(value: Value) -> int:
    """A hash that is the same for equal values, also for those that are not hashable.

    The wrapper of a program's set member or dict key may contain lists and dicts all the same.
    """
    seen: object = value
    kind = type(seen)
    if kind is list or kind is tuple:
        return hash(tuple(map(hash_of, value)))
    if kind is dict:
        return hash(frozenset((hash_of(key), hash_of(item)) for key, item in value.items()))
    if kind is bytearray:
        return hash(bytes(value))
    return hash(frozenset(value) if kind is set else value)


# Any: a recursive alias over builtins cannot be written for `dict` and `set` keys without
# forbidding unhashable wrappers, and the decoder checks the shape anyway.
Value: TypeAlias = Any
