"""Describes values of standard types that are neither built in nor made of fields."""

from __future__ import annotations

import gc
import sys
import time
import types

from .. import inspecting
from ..inspecting import identity, kind_of
from . import fields
from .fields import slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from .fields import Pairs

    Describe = Callable[[Any], str | None]
    Contents = Callable[[Any], object]
    Read = Callable[[Any], Pairs | None]

# The lowest limit on digits that an interpreter accepts.
_LEAST_BEYOND = 10**640
# Bound here, because a program can replace these.
_Proxy, _Moment = types.MappingProxyType, time.struct_time

_REASONS: dict[type, str] = {
    types.FunctionType: "a function",
    types.BuiltinFunctionType: "a function",
    types.MethodType: "a method",
    types.ModuleType: "a module",
    types.CoroutineType: "a coroutine that nobody awaits",
    types.AsyncGeneratorType: "an asynchronous generator inside another value",
}


# By identity: a metaclass could answer for `hash` and `==` of its types.
_REASONS_BY_ID = {identity(kind): reason for kind, reason in _REASONS.items()}


def reason(kind: type) -> str:
    return _REASONS_BY_ID.get(identity(kind), "its state cannot be read from outside")


def named(inputs: bytes) -> list[str]:
    """The modules whose types are named in the typed JSON of a batch."""
    return [name for name in MODULES if f"{name}.".encode() in inputs]


def loaded() -> list[str]:
    """The modules whose types can be told apart by now, because they are loaded."""
    return [name for name in MODULES if name in sys.modules]


def scalars() -> list[tuple[type, Describe]]:
    """Types that one text describes, from the modules that are loaded."""
    found: list[tuple[type, Describe]] = [
        (range, _range),
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


def containers() -> list[tuple[type, Contents]]:
    """Types that hold other values, from the modules that are loaded."""
    empty: dict[Any, Any] = {}
    behind: Any = gc.get_referents
    found: list[tuple[type, Contents]] = [
        (slice, lambda value: [value.start, value.stop, value.step]),
        (type(empty.keys()), list),
        (type(empty.values()), list),
        (type(empty.items()), list),
        # The proxy would call methods of its mapping, which may be of a class of the program.
        (_Proxy, lambda value: behind(value)[0]),
        # By its nine numbers: its zone is not compared by `==`, either.
        (_Moment, tuple),
    ]
    collections: Any = sys.modules.get("collections")
    if collections is not None:
        found.append((collections.deque, _deque))
    array: Any = sys.modules.get("array")
    if array is not None:
        found.append((array.array, lambda value: [value.typecode, value.tolist()]))
    return found


def length(value: Any) -> int:
    """How many items one of these containers holds; 0 if that would run the program's code."""
    return 0 if kind_of(value) is slice or kind_of(value) is _Proxy else len(value)


def mappings() -> list[tuple[type, Read]]:
    """Kinds of dicts, from the modules that are loaded, and readers of their pairs in order."""
    found: list[tuple[type, Read]] = []
    if fields.FROZENDICT is not None:
        found.append((fields.FROZENDICT, fields.pairs))
    collections: Any = sys.modules.get("collections")
    if collections is not None:
        found += [
            (collections.OrderedDict, fields.ordered_pairs),
            (collections.defaultdict, fields.pairs),
            (collections.Counter, fields.pairs),
        ]
    return found


def enumeration() -> type | None:
    """The base of all enumerations, if there can be any."""
    module: Any = sys.modules.get("enum")
    return None if module is None else module.Enum


def _digits(*numbers: object) -> str | None:
    """The numbers as text; None if one of them is not a plain integer.

    Very long ones are hexadecimal: CPython neither writes nor reads their decimal digits.
    """
    if any(type(number) is not int for number in numbers):
        return None
    return ",".join(map(_number, numbers))


def _range(value: Any) -> str | None:
    """The shortest equal range, which stops right behind its last number."""
    start, stop, step = value.start, value.stop, value.step
    if any(type(number) is not int for number in (start, stop, step)):
        return None
    one = 1 if step > 0 else -1
    others = (stop - start - one) // step
    if others < 0:
        return _digits(0, 0, 1)
    if others == 0:
        return _digits(start, start + 1, 1)
    return _digits(start, start + others * step + one, step)


def _number(number: Any) -> str:
    return repr(number) if -_LEAST_BEYOND < number < _LEAST_BEYOND else hex(number)


def _deque(value: Any) -> object:
    items: list[Any] = list(value)
    return items if value.maxlen is None else (items, value.maxlen)


def _iso(kind: Any) -> Describe:
    said: Any = kind.isoformat
    datetime = sys.modules["datetime"]
    zones = (type(None), datetime.timezone)

    def describe(value: Any) -> str | None:
        zone = getattr(value, "tzinfo", None)
        if any(type(zone) is known for known in zones):
            return said(value)
        # Any other time zone is a class whose methods `isoformat` would call.
        name = zone_name(zone)
        return None if name is None else f"{said(value)}[{name}]"

    return describe


ZONE = "zoneinfo.ZoneInfo"


def zone_name(value: object) -> str | None:
    """The name of a time zone of the database; None for everything else."""
    kind = type(value)
    if inspecting.short_name(kind) != "ZoneInfo" or not inspecting.made_by_c(kind, "utcoffset"):
        return None
    key: object = inspecting.c_descriptor(kind, "key").__get__(value, kind)
    return key if type(key) is str else None


def _zone(kind: Any) -> Describe:
    offset: Any = kind.utcoffset
    # Bound here, because the offset may be of a class of the program.
    seconds: Any = sys.modules["datetime"].timedelta.total_seconds

    def describe(value: Any) -> str:
        distance: float = seconds(offset(value, None))
        return "%d" % distance if distance.is_integer() else "%.6f" % distance

    return describe


def _fraction(kind: Any) -> Describe:
    numerator = slot(kind, "_numerator")
    denominator = slot(kind, "_denominator")

    def describe(value: Any) -> str | None:
        digits = _digits(numerator(value), denominator(value))
        return None if digits is None else digits.replace(",", "/")

    return describe


def _uuid(kind: Any) -> Describe:
    read = slot(kind, "int")

    def describe(value: Any) -> str | None:
        number: object = read(value)
        return "%032x" % number if type(number) is int else None

    return describe


def _path(kind: Any) -> Describe:
    said: Any = kind.__str__
    slots = [
        slot(ancestor, name)
        for ancestor in inspecting.lineage(kind)
        for name, held in inspecting.namespace(ancestor).items()
        if type(held) is types.MemberDescriptorType and name not in _REMEMBERED_OF_PATHS
    ]

    def describe(value: Any) -> str | None:
        return said(value) if all(_only_texts(read(value)) for read in slots) else None

    return describe


# Slots that are not part of a path's text: an accessor, a hash, lower-case parts, its origin.
_REMEMBERED_OF_PATHS = frozenset(
    (
        "_accessor",
        "_cparts",
        "_hash",
        "_info",
        "_lines_cached",
        "_parts_normcase_cached",
        "_pparts",
        "_resolving",
        "_str_normcase_cached",
    )
)


def _only_texts(held: object) -> bool:
    """Whether a slot holds only plain texts, or nothing."""
    parts: Any = held
    if type(held) is not list and type(held) is not tuple:
        parts = () if held is None else (held,)
    return all(type(part) is str for part in parts)


def _pattern(_kind: Any) -> Describe:
    def describe(value: Any) -> str | None:
        pattern: object = value.pattern
        if type(pattern) is bytes:
            return f"b{value.flags}:{pattern.decode('latin-1')}"
        return f"{value.flags}:{pattern}" if type(pattern) is str else None

    return describe


def _decimal(kind: Any) -> Describe:
    said: Any = kind.__str__
    # A program's context may choose a small e; such a text contains no other e.
    return lambda value: said(value).replace("e", "E")


_SCALARS: dict[str, dict[str, Callable[[Any], Describe]]] = {
    "decimal": {"Decimal": _decimal},
    "fractions": {"Fraction": _fraction},
    "uuid": {"UUID": _uuid},
    "re": {"Pattern": _pattern},
    "pathlib": {
        "PurePosixPath": _path,
        "PureWindowsPath": _path,
        "PosixPath": _path,
        "WindowsPath": _path,
    },
    "datetime": {
        "date": _iso,
        "time": _iso,
        "datetime": _iso,
        "timezone": _zone,
        "timedelta": lambda _kind: (
            lambda value: _digits(value.days, value.seconds, value.microseconds)
        ),
    },
}
# Modules whose types are told apart, if they are loaded before the program is.
MODULES = tuple(sorted({"array", "collections", "enum", *_SCALARS}))
