"""Inputs from typed JSON to the program's own values. The text is the host's: it is trusted."""

from __future__ import annotations

import sys
from binascii import a2b_base64

from . import building
from .building import Unbuildable
from .inspecting import descends, is_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List

# Immutable bases whose content has to be there when the object is made.
_FROZEN_BASES = ("int", "float", "complex", "str", "bytes", "tuple", "frozenset")
_FILLED_BASES = {"list": "extend", "dict": "update", "set": "update", "bytearray": "extend"}


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
        seen: object = parsed
        kind = type(seen)
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

    def named(self, name: str) -> Any:
        """What a dotted name means to the program. Raises Unbuildable."""
        return self._class(name)

    def _name(self, content: Any) -> str:
        name: str = self.value(content)
        return name

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
        if not is_class(kind):
            raise Unbuildable(f"{name} is not a class")
        return _made(kind, fields)

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
        if name.startswith("numpy."):
            return building.of_numpy(name, items)
        if name.startswith("pandas."):
            return building.of_pandas(name, items)
        if name == "slice":
            return slice(*items)
        if name == "array.array":
            return __import__("array").array(*items)
        if name == "collections.deque":
            deque = __import__("collections").deque
            return deque(*items) if type(items) is tuple else deque(items)
        if name == "collections.defaultdict":
            # What the factory was is not carried: the values are what was compared.
            return __import__("collections").defaultdict(None, items)
        if name == "dict_keys":
            return dict.fromkeys(items).keys()
        if name == "dict_values":
            listed: List[Any] = items
            return dict(enumerate(listed)).values()
        if name == "dict_items":
            return dict(items).items()
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


def _made(kind: Any, fields: Dict[str, Any]) -> Any:
    """An instance with these fields, however its class likes to be made."""
    if descends(kind, BaseException):
        error: Any = kind.__new__(kind, *fields.get("args", ()))
        error.args = fields.pop("args", ())
        return _fill(error, fields)
    if descends(kind, tuple) and hasattr(kind, "_fields"):
        names: Any = kind._fields
        return kind.__new__(kind, *[fields[name] for name in names])
    if hasattr(kind, "__dataclass_fields__"):
        try:
            return kind(**fields)
        except TypeError:
            # Fields that `__init__` does not take: set them one by one below.
            pass
    builtins = vars(sys.modules["builtins"])
    for name in _FROZEN_BASES:
        if name in fields and descends(kind, builtins[name]):
            content = fields.pop(name)
            return _fill(builtins[name].__new__(kind, content), fields)
    made = kind.__new__(kind)
    for name, fill in _FILLED_BASES.items():
        if name in fields and descends(kind, builtins[name]):
            getattr(builtins[name], fill)(made, fields.pop(name))
    return _fill(made, fields)
