"""Builds inputs of standard types from what `known` tells of them, and of no other types.

The name may come from another program, which could otherwise have any function called.
"""

from __future__ import annotations

from types import MappingProxyType

from .building import Unbuildable
from .core import OrderedDict, defaultdict, deque
from .inspecting import descends, short_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


def of_text(name: str, text: str) -> Any:
    """A value that is given by its text. Raises Unbuildable."""
    make = _OF_TEXT.get(name)
    if make is None:
        raise Unbuildable(f"no {name} can be made of a text")
    return make(text)


def holding(name: str, items: Any) -> Any:
    """A container that is not built in. Raises Unbuildable."""
    make = _HOLDING.get(name)
    if make is None:
        raise Unbuildable(f"no {name} can be made of what it holds")
    return make(items)


def fill(made: object, fields: dict[str, Any]) -> None:
    """Move from `fields` to the object the content that it keeps for a base from `collections`.

    This uses methods of the base: the object's class may have overridden them.
    """
    kind: type = type(made)
    for base, hold in _HELD_FOR.items():
        name = short_name(base)
        if name in fields and descends(kind, base):
            hold(made, fields.pop(name), fields)


def _hold_pairs(store: Any) -> Callable[[Any, Any, dict[str, Any]], None]:
    def hold(made: Any, pairs: Any, _fields: dict[str, Any]) -> None:
        for key, item in pairs.items():
            store(made, key, item)

    return hold


def _hold_items(made: Any, items: Any, fields: dict[str, Any]) -> None:
    kind: Any = deque
    kind.__init__(made, items, fields.pop("maxlen", None))


def _found(name: str) -> Any:
    module, _, short = name.rpartition(".")
    return getattr(__import__(module), short)


def _number(digits: str) -> int:
    return int(digits, 16 if "x" in digits else 10)


def _range(text: str) -> Any:
    return range(*map(_number, text.split(",")))


def _fraction(text: str) -> Any:
    fraction = _found("fractions.Fraction")
    return fraction(*map(_number, text.split("/"))) if "x" in text else fraction(text)


def _timedelta(text: str) -> Any:
    days, seconds, microseconds = map(int, text.split(","))
    return _found("datetime.timedelta")(days, seconds, microseconds)


def _timezone(text: str) -> Any:
    return _found("datetime.timezone")(
        _found("datetime.timedelta")(microseconds=round(float(text) * 1e6))
    )


def _pattern(text: str) -> Any:
    flags, _, pattern = text.partition(":")
    if flags[:1] == "b":
        return _found("re.compile")(pattern.encode("latin-1"), int(flags[1:]))
    # A str pattern is Unicode anyway; naming the flag is refused in some forms.
    return _found("re.compile")(pattern, int(flags))


def _deque(items: Any) -> Any:
    kind = _found("collections.deque")
    return kind(*items) if type(items) is tuple else kind(items)


def _values(items: list[Any]) -> Any:
    return dict(enumerate(items)).values()


def _calling(name: str) -> Callable[[Any], Any]:
    def made(told: Any) -> Any:
        # Looked up only now: its module may not have been loaded before.
        return _found(name)(told)

    return made


def _reading(name: str) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        told, _, zone = text.partition("[")
        moment = _found(name).fromisoformat(told)
        if not zone:
            return moment
        placed = moment.replace(tzinfo=_found("zoneinfo.ZoneInfo")(zone[:-1]))
        # The hour that comes twice.
        return placed if placed.utcoffset() == moment.utcoffset() else placed.replace(fold=1)

    return read


_PATHS = ("Path", "PosixPath", "PurePath", "PurePosixPath", "PureWindowsPath", "WindowsPath")
_OF_TEXT: dict[str, Callable[[str], Any]] = {
    "ellipsis": lambda _text: ...,
    "NotImplementedType": lambda _text: NotImplemented,
    "range": _range,
    "re.Pattern": _pattern,
    "datetime.timedelta": _timedelta,
    "datetime.timezone": _timezone,
    **{name: _reading(name) for name in ("datetime.date", "datetime.datetime", "datetime.time")},
    "fractions.Fraction": _fraction,
    **{name: _calling(name) for name in ("decimal.Decimal", "uuid.UUID", "zoneinfo.ZoneInfo")},
    **{f"pathlib.{kind}": _calling(f"pathlib.{kind}") for kind in _PATHS},
}
_HOLDING: dict[str, Callable[[Any], Any]] = {
    "slice": lambda items: slice(*items),
    "dict_keys": lambda items: dict.fromkeys(items).keys(),
    "dict_values": _values,
    "dict_items": lambda items: dict(items).items(),
    "mappingproxy": MappingProxyType,
    "time.struct_time": _calling("time.struct_time"),
    "frozendict": _calling("builtins.frozendict"),
    "array.array": lambda items: _found("array.array")(*items),
    "collections.deque": _deque,
    # The factory is not carried: only the values were compared.
    "collections.defaultdict": lambda items: _found("collections.defaultdict")(None, items),
    "collections.Counter": _calling("collections.Counter"),
    "collections.OrderedDict": _calling("collections.OrderedDict"),
}
_ordered: Any = OrderedDict
_stored: Any = dict
_HELD_FOR: dict[type, Callable[[Any, Any, dict[str, Any]], None]] = {
    OrderedDict: _hold_pairs(_ordered.__setitem__),
    defaultdict: _hold_pairs(_stored.__setitem__),
    deque: _hold_items,
}
