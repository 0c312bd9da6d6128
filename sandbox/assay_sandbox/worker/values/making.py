"""Makes arguments of numpy, pandas and the standard library, and objects from their fields.

Names may come from another program, so they lead to no function but those listed here.

An object is made without its class having a say. A class that converts, counts or checks what it is
given (`__init__`, `__post_init__`, `__new__`, a property) did so when the object was first made.
Once more would make another object of it.
"""

from __future__ import annotations

import sys
from types import GetSetDescriptorType, MappingProxyType, MemberDescriptorType

from ..core import OrderedDict, defaultdict, deque
from ..inspecting import descends, identity, is_class, kind_of, lineage, namespace, short_name
from .fields import instance_dict, notes
from .numpy_pandas import INTEGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


class Unbuildable(Exception):
    """An input that cannot be made in this program's namespace."""


def of_numpy(name: str, items: Any) -> Any:
    numpy: Any = __import__("numpy")
    if name.startswith("numpy.ndarray:"):
        kind: Any = items[2] if len(items) > 2 else name.partition(":")[2]
        return numpy.array(items[1], dtype=kind).reshape(items[0])
    number: Any = getattr(numpy, name.partition(".")[2], None)
    if not is_class(number) or not descends(number, numpy.generic):
        raise Unbuildable(f"no {name} can be made of what is told of one")
    if kind_of(items) is list:
        return numpy.array(items[1], dtype=items[0])[()]
    if kind_of(items) is tuple:
        return numpy.array(items[1], dtype="i8").astype(items[0])[()]
    return number(items)


def of_pandas(name: str, contents: Any) -> Any:
    """A value of pandas; its labels are a range again if they count from zero."""
    make = _MAKERS.get(name)
    if make is None:
        raise Unbuildable(f"no {name} can be made of what is told of one")
    return make(__import__("pandas"), contents)


def _frame(pandas: Any, contents: Any) -> Any:
    labels, rows, columns = contents
    index = _labels(pandas, rows)
    series = [_series_of(pandas, index, column) for column in columns]
    # By position first, because labels may occur more than once.
    frame = pandas.DataFrame(dict(enumerate(series)), index=index)
    frame.columns = _labels(pandas, labels)
    return frame


def _series(pandas: Any, contents: Any) -> Any:
    name, rows, column = contents
    return _series_of(pandas, _labels(pandas, rows), column).rename(name)


def _series_of(pandas: Any, index: Any, column: Any) -> Any:
    values = _array(pandas, *column)
    # With the type, or pandas would convert texts among objects to its own.
    return pandas.Series(values, index=index, dtype=values.dtype)


def _labels(pandas: Any, labels: list[Any]) -> Any:
    if len(labels) == 2:
        return _levels(pandas, *labels)
    name, kind, items = labels
    if kind == INTEGERS and items == list(range(len(items))):
        return pandas.RangeIndex(len(items), name=name)
    values = _array(pandas, kind, items)
    return pandas.Index(values, dtype=values.dtype, name=name, tupleize_cols=False)


def _levels(pandas: Any, names: list[Any], columns: list[Any]) -> Any:
    levels: list[Any] = []
    codes: list[list[int]] = []
    for kind, items in columns:
        places: dict[Any, int] = {}
        codes.append(
            [-1 if item is None else places.setdefault(item, len(places)) for item in items]
        )
        levels.append(_labels(pandas, [None, kind, list(places)]))
    return pandas.MultiIndex(levels=levels, codes=codes, names=names)


def _array(pandas: Any, kind: Any, items: list[Any]) -> Any:
    numpy: Any = __import__("numpy")
    if kind_of(kind) is list:
        if kind[0] == "category":
            return _categorical(pandas, kind, items)
        moments = numpy.array(items, dtype="i8").view(kind[0])
        return pandas.DatetimeIndex(moments, tz="UTC").tz_convert(kind[1]).array
    if kind == "object":
        held = numpy.empty(len(items), dtype=object)
        # One by one, because lists among them would be taken for rows.
        for place, item in enumerate(items):
            held[place] = item
        return held
    if kind[1:2] in ("m", "M"):
        return numpy.array(items, dtype="i8").view(kind)
    if kind[0].isalpha():
        return pandas.array(items, dtype=kind)
    return numpy.array(items, dtype=kind)


def _categorical(pandas: Any, kind: Any, items: list[Any]) -> Any:
    _, ordered, categories = kind
    places = {item: place for place, item in enumerate(categories[1])}
    codes = [-1 if item is None else places[item] for item in items]
    known = _labels(pandas, [None, *categories])
    return pandas.Categorical.from_codes(codes, categories=known, ordered=ordered)


def _moment(pandas: Any, contents: Any) -> Any:
    nanoseconds, zone = contents
    moment = pandas.Timestamp(_span_of_numpy("datetime64", nanoseconds))
    return moment if zone is None else moment.tz_localize("UTC").tz_convert(zone)


def _span_of_numpy(name: str, nanoseconds: int) -> Any:
    # Microseconds where possible: pandas chooses them itself, and they have room for every year.
    whole = nanoseconds % 1000 == 0
    count, unit = (nanoseconds // 1000, "us") if whole else (nanoseconds, "ns")
    return getattr(__import__("numpy"), name)(count, unit)


_MAKERS: dict[str, Callable[[Any, Any], Any]] = {
    "pandas.DataFrame": _frame,
    "pandas.Series": _series,
    "pandas.Index": _labels,
    "pandas.MultiIndex": _labels,
    "pandas.array": lambda pandas, contents: pandas.array(_array(pandas, *contents)),
    "pandas.Timestamp": _moment,
    "pandas.Timedelta": lambda pandas, contents: pandas.Timedelta(
        _span_of_numpy("timedelta64", contents)
    ),
    "pandas.NaT": lambda pandas, _contents: pandas.NaT,
    "pandas.NA": lambda pandas, _contents: pandas.NA,
}


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


def fill_standard(made: object, fields: dict[str, Any]) -> None:
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


# Immutable bases whose content has to be there when the object is made.
_FROZEN_BASES = ("int", "float", "complex", "str", "bytes", "tuple", "frozenset")
_FILLED_BASES = {"list": "extend", "dict": "update", "set": "update", "bytearray": "extend"}
_SET_BY_C = (identity(GetSetDescriptorType), identity(MemberDescriptorType))
# Between the names of flags in the name of what they make together.
_AND = "|"


def made(kind: Any, fields: dict[str, Any]) -> Any:
    """An instance with these fields."""
    if hasattr(kind, "__struct_fields__"):
        # Those of msgspec are laid out by C code, which alone can fill them.
        return kind(**fields)
    if _is_enumeration(kind):
        # A flag without a name: none of those that it might be made of.
        return kind(fields["_value_"])
    if descends(kind, BaseException):
        arguments = fields.pop("args", ())
        error: Any = _new(kind, *arguments)
        error.args = arguments
        return _filled(error, fields)
    names: Any = getattr(kind, "_fields", None)
    if descends(kind, tuple) and names is not None:
        return _new(kind, [fields[name] for name in names])
    builtins = vars(sys.modules["builtins"])
    for name in _FROZEN_BASES:
        if name in fields and descends(kind, builtins[name]):
            content = fields.pop(name)
            return _filled(builtins[name].__new__(kind, content), fields)
    instance = _new(kind)
    fill_standard(instance, fields)
    for name, fill in _FILLED_BASES.items():
        if name in fields and descends(kind, builtins[name]):
            getattr(builtins[name], fill)(instance, fields.pop(name))
    return _filled(instance, {**fields, **notes(kind, fields)})


def member(kind: Any, name: str) -> Any:
    """The member of an enumeration, or the flags that stand together in the name."""
    first, *others = [kind[part] for part in name.split(_AND)]
    for each in others:
        first |= each
    return first


def _is_enumeration(kind: Any) -> bool:
    enum: Any = sys.modules.get("enum")
    return enum is not None and descends(kind, enum.Enum)


def _new(kind: Any, *arguments: Any) -> Any:
    """An instance as the nearest C ancestor makes one."""
    for ancestor in lineage(kind):
        make: Any = namespace(ancestor).get("__new__")
        if make is not None and type(make) is type(object.__new__):
            return make(kind, *arguments)
    return kind.__new__(kind, *arguments)


def _filled(instance: Any, fields: dict[str, Any]) -> Any:
    kind = kind_of(instance)
    own = instance_dict(instance)
    for name, item in fields.items():
        descriptor = _set_by_c(kind, name)
        if descriptor is not None:
            descriptor.__set__(instance, item)
        elif own is not None:
            own[name] = item
        else:
            object.__setattr__(instance, name, item)
    return instance


def _set_by_c(kind: type, name: str) -> Any:
    """The slot, or what C code keeps in an object, under this name; None if there is none."""
    for ancestor in lineage(kind):
        found: Any = namespace(ancestor).get(name)
        if identity(kind_of(found)) in _SET_BY_C:
            return found
    return None
