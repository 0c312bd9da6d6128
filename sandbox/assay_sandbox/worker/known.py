"""Standard types that are neither built in nor made of fields: how each is said and read back."""

from __future__ import annotations

import sys
import types

from . import inspecting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple

    Describe = Callable[[Any], Optional[str]]
    Contents = Callable[[Any], object]


# Modules whose types are told apart; imported before the program when its text names them.
MODULES = ("array", "collections", "datetime", "decimal", "fractions", "pathlib", "re", "uuid")

_REASONS: Dict[type, str] = {
    types.FunctionType: "a function",
    types.BuiltinFunctionType: "a function",
    types.MethodType: "a method",
    types.ModuleType: "a module",
    types.CoroutineType: "a coroutine that nobody awaits",
    types.AsyncGeneratorType: "an asynchronous generator inside another value",
}


def reason(kind: type) -> str:
    return _REASONS.get(kind, "its state cannot be read from outside")


def loaded() -> List[str]:
    """Which of the modules whose types are told apart can be told apart by now."""
    return [name for name in MODULES if name in sys.modules]


def scalars() -> List[Tuple[type, Describe]]:
    """Types said by one text, of those modules that are loaded."""
    found: List[Tuple[type, Describe]] = [
        (range, lambda value: f"{value.start},{value.stop},{value.step}"),
        (type(...), lambda _value: "..."),
        (type(NotImplemented), lambda _value: "NotImplemented"),
    ]
    for name, kinds in _SCALARS.items():
        module = sys.modules.get(name)
        for attribute, describe in kinds.items():
            kind: Any = getattr(module, attribute, None)
            if kind is not None:
                found.append((kind, describe(kind)))
    return found


def containers() -> List[Tuple[type, Contents]]:
    """Types that hold other values, of those modules that are loaded."""
    empty: Dict[Any, Any] = {}
    found: List[Tuple[type, Contents]] = [
        (slice, lambda value: [value.start, value.stop, value.step]),
        (type(empty.keys()), list),
        (type(empty.values()), list),
        (type(empty.items()), list),
        (types.MappingProxyType, dict),
    ]
    collections: Any = sys.modules.get("collections")
    if collections is not None:
        found += [
            (collections.OrderedDict, _plain_dict),
            (collections.defaultdict, _plain_dict),
            (collections.Counter, _plain_dict),
            (collections.deque, _deque),
        ]
    array: Any = sys.modules.get("array")
    if array is not None:
        found.append((array.array, lambda value: [value.typecode, value.tolist()]))
    return found


def _plain_dict(value: Any) -> Dict[Any, Any]:
    kind: Any = dict
    return dict(kind.items(value))


def _deque(value: Any) -> object:
    items: List[Any] = list(value)
    return items if value.maxlen is None else (items, value.maxlen)


def _iso(kind: Any) -> Describe:
    said: Any = kind.isoformat
    datetime = sys.modules["datetime"]
    zones = (type(None), datetime.timezone)

    def describe(value: Any) -> Optional[str]:
        # Any other time zone is a class whose methods `isoformat` would call.
        zone = getattr(value, "tzinfo", None)
        return said(value) if type(zone) in zones else None

    return describe


def _zone(kind: Any) -> Describe:
    offset: Any = kind.utcoffset
    return lambda value: str(int(offset(value, None).total_seconds()))


def _fraction(kind: Any) -> Describe:
    numerator = kind.__dict__["_numerator"].__get__
    denominator = kind.__dict__["_denominator"].__get__
    return lambda value: f"{numerator(value)}/{denominator(value)}"


def _uuid(kind: Any) -> Describe:
    number = kind.__dict__["int"].__get__
    return lambda value: "%032x" % number(value)


def _pattern(_kind: Any) -> Describe:
    return lambda value: f"{value.flags}:{value.pattern}" if type(value.pattern) is str else None


def _said(kind: Any) -> Describe:
    return kind.__str__


_SCALARS: Dict[str, Dict[str, Callable[[Any], Describe]]] = {
    "decimal": {"Decimal": _said},
    "fractions": {"Fraction": _fraction},
    "uuid": {"UUID": _uuid},
    "re": {"Pattern": _pattern},
    "pathlib": {
        "PurePosixPath": _said,
        "PureWindowsPath": _said,
        "PosixPath": _said,
        "WindowsPath": _said,
    },
    "datetime": {
        "date": _iso,
        "time": _iso,
        "datetime": _iso,
        "timezone": _zone,
        "timedelta": lambda _kind: (
            lambda value: f"{value.days},{value.seconds},{value.microseconds}"
        ),
    },
}


def array(value: object) -> "Optional[Tuple[str, List[object]]]":
    """Name and contents of a numpy array or number; None for everything else."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is None:
        return None
    kind = type(value)
    if kind is numpy.ndarray:
        held: Any = value
        if held.dtype.hasobject:
            return None
        return f"numpy.ndarray:{held.dtype.str}", [list(held.shape), held.tolist()]
    if inspecting.is_built_in(kind) and inspecting.descends(kind, numpy.generic):
        held = value
        return f"numpy.{kind.__name__}", [held.item()]
    return None
