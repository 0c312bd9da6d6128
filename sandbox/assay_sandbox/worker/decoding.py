"""Inputs from typed JSON to the program's own values. The text comes from the host: it is trusted."""

from __future__ import annotations

import collections
import sys
from binascii import a2b_base64
from typing import Any, Callable, Dict, List, cast

# Immutable bases whose content has to be there when the object is made.
_FROZEN_BASES = ("int", "float", "complex", "str", "bytes", "tuple", "frozenset")
_FILLED_BASES: Dict[str, Any] = {
    "list": list.extend,
    "dict": dict.update,
    "set": set.update,
    "bytearray": bytearray.extend,
}


class Unbuildable(Exception):
    """An input that cannot be made in this program's namespace."""


class Decoder:
    """Turns parsed typed JSON into values, with the program's classes where they are named."""

    def __init__(self, namespace: Dict[str, Any]) -> None:
        self._namespace = namespace
        self._readers: Dict[str, Callable[[Any], Any]] = {
            "tuple": lambda content: tuple(map(self.value, content)),
            "dict": lambda content: {self.value(key): self.value(item) for key, item in content},
            "set": lambda content: set(map(self.value, content)),
            "frozenset": lambda content: frozenset(map(self.value, content)),
            "bytes": a2b_base64,
            "bytearray": lambda content: bytearray(a2b_base64(content)),
            "complex": lambda content: complex(*map(self.value, content)),
            "int": lambda content: int(content, 16),
            "float": float,
            "surrogates": lambda content: bytes.fromhex(content).decode(
                "utf-32-le", "surrogatepass"
            ),
            "instance": lambda content: self._instance(
                self._name(content[0]),
                {self._name(name): self.value(item) for name, item in content[1]},
            ),
            "member": lambda content: self._class(content[0])[self._name(content[1])],
            "scalar": lambda content: self._scalar(content[0], self._name(content[1])),
            "container": lambda content: self._container(content[0], self.value(content[1])),
            "iterated": lambda content: iter([self.value(item) for item in content[1]]),
            "expression": self._expression,
        }

    def value(self, parsed: Any) -> Any:
        kind = type(parsed)
        if kind is list:
            return [self.value(item) for item in parsed]
        if kind is not dict:
            return parsed
        ((tag, content),) = parsed.items()
        reader = self._readers.get(tag)
        if reader is None:
            raise Unbuildable(f"no value can be made of {tag}")
        return reader(content)

    def keywords(self, parsed: Any) -> Dict[str, Any]:
        """Keyword arguments: a typed dict whose keys are plain text."""
        return {self._name(key): self.value(item) for key, item in parsed["dict"]}

    def _name(self, content: Any) -> str:
        return cast(str, self.value(content))

    def _expression(self, content: Any) -> Any:
        source = self._name(content)
        # Fresh locals per expression; the program's names are the globals.
        return eval(compile(source, "<input>", "eval", dont_inherit=True), self._namespace, {})

    def _class(self, name: Any) -> Any:
        """A class by the name that the encoder gives it: dotted, or a path in the program."""
        parts = self._name(name).split(".")
        if parts[0] in self._namespace:
            return _follow(self._namespace[parts[0]], parts[1:], name)
        for length in range(len(parts) - 1, 0, -1):
            module = sys.modules.get(".".join(parts[:length]))
            if module is not None:
                return _follow(module, parts[length:], name)
        builtins: Any = sys.modules["builtins"]
        return _follow(builtins, parts, name)

    def _instance(self, name: str, fields: Dict[str, Any]) -> Any:
        kind = self._class(name)
        if not isinstance(kind, type):
            raise Unbuildable(f"{name} is not a class")
        if issubclass(kind, BaseException):
            made: Any = kind.__new__(kind, *fields.get("args", ()))
            made.args = fields.pop("args", ())
            return _fill(made, fields)
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return tuple.__new__(kind, [fields[field] for field in kind._fields])
        declared = getattr(kind, "__dataclass_fields__", None)
        if declared is not None:
            try:
                return kind(**fields)
            except TypeError:
                # Fields that `__init__` does not take: set them one by one below.
                pass
        for base in _FROZEN_BASES:
            if base in fields and issubclass(kind, vars(sys.modules["builtins"])[base]):
                content = fields.pop(base)
                base_type: Any = type(content)
                return _fill(base_type.__new__(kind, content), fields)
        made = kind.__new__(kind)
        for base, fill in _FILLED_BASES.items():
            if base in fields and issubclass(kind, vars(sys.modules["builtins"])[base]):
                fill(made, fields.pop(base))
        return _fill(made, fields)

    def _scalar(self, name: str, text: str) -> Any:
        if name == "type":
            return self._class(text)
        if name == "ellipsis":
            return ...
        if name == "NotImplementedType":
            return NotImplemented
        if name == "range":
            return range(*map(int, text.split(",")))
        module, _, short = name.rpartition(".")
        kind: Any = getattr(__import__(module, fromlist=[short]), short)
        if name in ("datetime.date", "datetime.time", "datetime.datetime"):
            return kind.fromisoformat(text)
        if name == "datetime.timedelta":
            days, seconds, microseconds = map(int, text.split(","))
            return kind(days, seconds, microseconds)
        if name == "datetime.timezone":
            delta: Any = vars(sys.modules["datetime"])["timedelta"]
            return kind(delta(seconds=int(text)))
        if name == "re.Pattern":
            flags, _, pattern = text.partition(":")
            # Unicode is what a str pattern has anyway; naming it is refused in some forms.
            return vars(sys.modules["re"])["compile"](pattern, int(flags))
        return kind(text)

    def _container(self, name: str, items: Any) -> Any:
        if name.startswith("numpy.ndarray:"):
            numpy = __import__("numpy")
            return numpy.array(items[1], dtype=name.partition(":")[2]).reshape(items[0])
        if name.startswith("numpy."):
            return getattr(__import__("numpy"), name.partition(".")[2])(items[0])
        if name == "slice":
            return slice(*items)
        if name == "array.array":
            return __import__("array").array(*items)
        if name == "collections.deque":
            return collections.deque(*(items if type(items) is tuple else (items,)))
        if name == "collections.defaultdict":
            # What the factory was is not carried: the values are what was compared.
            return collections.defaultdict(None, items)
        if name in ("dict_keys", "dict_values", "dict_items"):
            kept = dict(items if name == "dict_items" else enumerate(items))
            if name == "dict_keys":
                kept = dict.fromkeys(items)
            return getattr(kept, name.partition("_")[2])()
        module, _, short = name.rpartition(".")
        return getattr(__import__(module, fromlist=[short]), short)(items)


def _follow(start: Any, path: List[str], name: Any) -> Any:
    found = start
    for part in path:
        try:
            found = getattr(found, part)
        except AttributeError:
            raise Unbuildable(f"the program has no {name}") from None
    return found


def _fill(made: Any, fields: Dict[str, Any]) -> Any:
    for name, item in fields.items():
        # Not setattr: a frozen class or a property would refuse what was read from outside.
        object.__setattr__(made, name, item)
    return made
