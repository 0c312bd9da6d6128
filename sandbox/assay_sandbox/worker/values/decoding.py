"""Decodes inputs from typed JSON to the program's own values.

The text is the host's, but names in it may come from another program. They lead only to classes of
this program and to standard types, and nothing else is called.
"""

from __future__ import annotations

import sys
from binascii import a2b_base64

from ..inspecting import descends, is_class, kind_of
from . import making, scripts
from .making import Unbuildable
from .writing import of_code_points

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from .awaiting import Loop


class Decoder:
    """Turns parsed typed JSON into values, with the program's classes where they are named.

    `loop`: where expressions await, which they do if the program `awaits` or they say so.
    """

    def __init__(self, namespace: dict[str, Any], loop: Loop, *, awaits: bool) -> None:
        self._namespace = namespace
        self._loop = loop
        self._awaits = awaits
        # The program's namespace with the names that expressions of the call under way bind.
        self._scope: dict[str, Any] | None = None
        # The script that is the call under way, as a function.
        self.script: Callable[[], Any] | None = None
        self._readers: dict[str, Callable[[Any], Any]] = {
            "tuple": lambda content: tuple(map(self.value, content)),
            "dict": lambda content: {self.value(key): self.value(item) for key, item in content},
            "set": lambda content: set(map(self.value, content)),
            "frozenset": lambda content: frozenset(map(self.value, content)),
            "bytes": a2b_base64,
            "bytearray": lambda content: bytearray(a2b_base64(content)),
            "complex": lambda content: complex(*map(self.value, content)),
            "int": lambda content: int(content, 16),
            "float": float,
            "surrogates": of_code_points,
            "instance": lambda content: self._instance(
                self._name(content[0]),
                {self._name(name): self.value(item) for name, item in content[1]},
            ),
            "member": lambda content: self._member(self._name(content[0]), self._name(content[1])),
            "scalar": lambda content: self._scalar(self._name(content[0]), self._name(content[1])),
            "container": lambda content: _container(self._name(content[0]), self.value(content[1])),
            "iterated": lambda content: iter([self.value(item) for item in content[1]]),
            "expression": self._expression,
            "script": self._script,
        }

    def value(self, parsed: Any) -> Any:
        kind = kind_of(parsed)
        if kind is list:
            return [self.value(item) for item in parsed]
        if kind is not dict:
            return parsed
        ((tag, content),) = parsed.items()
        reader = self._readers.get(tag)
        if reader is None:
            raise Unbuildable(f"no value can be made of {tag}")
        return reader(content)

    def begin(self) -> None:
        """Begin with the arguments of another call."""
        self._scope = self.script = None

    def keywords(self, parsed: Any) -> dict[str, Any]:
        """Keyword arguments: a typed dict whose keys are plain text."""
        return {self._name(key): self.value(item) for key, item in parsed["dict"]}

    def _name(self, content: Any) -> str:
        name: str = self.value(content)
        return name

    def _expression(self, content: Any) -> Any:
        source = self._name(content)
        if scripts.is_script(source):
            return self._left_by(source, is_call=False)
        code, stands = scripts.expression(source, awaits=self._awaits)
        if stands:
            self._loop.stand()
        if ":=" not in source and self._scope is None:
            # Fresh locals per expression; the program's names are the globals.
            return eval(code, self._namespace, {})
        if self._scope is None:
            # The other arguments, and functions among them, see the names that it binds.
            self._scope = dict(self._namespace)
        return eval(code, self._scope)

    def _script(self, content: Any) -> None:
        self.script = self._left_by(self._name(content), is_call=True)

    def _left_by(self, source: str, *, is_call: bool) -> Any:
        code, stands = scripts.script(source, awaits=self._awaits, is_call=is_call)
        if stands:
            self._loop.stand()
        if self._scope is None:
            self._scope = dict(self._namespace)
        exec(code, self._scope)
        return self._scope.pop(scripts.LEFT)

    def named(self, name: str) -> Any:
        """The object that a dotted name, or a path in the program, means. Raises Unbuildable."""
        parts = name.split(".")
        if parts[0] in self._namespace:
            return _follow(self._namespace[parts[0]], parts[1:], name)
        for length in range(len(parts) - 1, 0, -1):
            module = sys.modules.get(".".join(parts[:length]))
            if module is not None:
                return _follow(module, parts[length:], name)
        builtins: Any = sys.modules["builtins"]
        return _follow(builtins, parts, name)

    def _instance(self, name: str, fields: dict[str, Any]) -> Any:
        kind = self.named(name)
        if not is_class(kind):
            raise Unbuildable(f"{name} is not a class")
        return making.made(kind, fields)

    def _member(self, name: str, member: str) -> Any:
        kind = self.named(name)
        enum: Any = sys.modules.get("enum")
        if enum is None or not is_class(kind) or not descends(kind, enum.Enum):
            raise Unbuildable(f"{name} is not an enumeration")
        return making.member(kind, member)

    def _scalar(self, name: str, text: str) -> Any:
        if name != "type":
            return making.of_text(name, text)
        kind = self.named(text)
        if not is_class(kind):
            raise Unbuildable(f"{text} is not a class")
        return kind


def _container(name: str, items: Any) -> Any:
    if name.startswith("numpy."):
        return making.of_numpy(name, items)
    if name.startswith("pandas."):
        return making.of_pandas(name, items)
    return making.holding(name, items)


def _follow(start: Any, path: list[str], name: Any) -> Any:
    found = start
    for part in path:
        try:
            found = getattr(found, part)
        except AttributeError:
            raise Unbuildable(f"the program has no {name}") from None
    return found
