"""Inputs of standard types, made of what `known` tells of them: of those and of nothing else.

The name may have come out of another program, which would have any function called by it.
"""

from __future__ import annotations

from types import MappingProxyType

from .building import Unbuildable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List


def of_text(name: str, text: str) -> Any:
    """A value that is said by its text. Raises Unbuildable."""
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
    # Unicode is what a str pattern has anyway; naming it is refused in some forms.
    return _found("re.compile")(pattern, int(flags))


def _deque(items: Any) -> Any:
    deque = _found("collections.deque")
    return deque(*items) if type(items) is tuple else deque(items)


def _values(items: List[Any]) -> Any:
    return dict(enumerate(items)).values()


def _calling(name: str) -> Callable[[Any], Any]:
    def made(told: Any) -> Any:
        # Only now: its module may not be loaded before.
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
_OF_TEXT: Dict[str, Callable[[str], Any]] = {
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
    # What Python 3.13 calls them.
    **{f"pathlib._local.{kind}": _calling(f"pathlib.{kind}") for kind in _PATHS},
}
_HOLDING: Dict[str, Callable[[Any], Any]] = {
    "slice": lambda items: slice(*items),
    "dict_keys": lambda items: dict.fromkeys(items).keys(),
    "dict_values": _values,
    "dict_items": lambda items: dict(items).items(),
    "mappingproxy": MappingProxyType,
    "array.array": lambda items: _found("array.array")(*items),
    "collections.deque": _deque,
    # What the factory was is not carried: the values are what was compared.
    "collections.defaultdict": lambda items: _found("collections.defaultdict")(None, items),
    "collections.Counter": _calling("collections.Counter"),
    "collections.OrderedDict": _calling("collections.OrderedDict"),
}
