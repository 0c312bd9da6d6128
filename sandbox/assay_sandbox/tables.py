"""Renders values of pandas and numpy as a person would type them, from the worker's descriptions.

The contents come from a process that a program controlled. Contents that the worker would not write
raise an error of `NOT_AS_WRITTEN`, and the caller has to show them in some other way.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from math import isnan
from typing import Any, TypeAlias, cast

from .values import Container, Member, Scalar, Value

Say: TypeAlias = Callable[[Value], str]

NOT_AS_WRITTEN = (TypeError, ValueError, LookupError)
_EPOCH = datetime.datetime(1970, 1, 1)
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_NOT_A_TIME = -(1 << 63)
# Kinds that pandas gives to plain lists of numbers and booleans.
_USUAL = ("<i8", "<f8", "|b1", "<c16")
# The maximum length of a zone's offset in seconds, as text, which is read for each moment.
_DISTANCE_MAX = 6
_ARRAY, _ARRAY_ITEM = "numpy.ndarray:", "numpy.void"
_USUAL_LABELS = (*_USUAL, "object", "str")
# Types that pandas would not leave as objects if a list holds nothing else.
_INFERRED = (int, float, complex, type(None), Container)
_LEAVES = (type(None), bool, int, float, complex, str, bytes, Scalar, Member)
# By the letter of numpy's kind.
_FAMILIES = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}


def array_shown(name: str, contents: Value, say: Say) -> str | None:
    """The call that makes the value; None unless it is an array or an item with fields, and for an
    array of such items. `say` renders the items, which are nested in lists."""
    parts = cast("list[Value]", contents) if isinstance(contents, list) else []
    if name == _ARRAY_ITEM and len(parts) == 2:
        return f"{_ARRAY_ITEM}({say(parts[1])}, dtype={say(parts[0])})"
    if not name.startswith(_ARRAY) or len(parts) != 2 or not isinstance(parts[0], list):
        return None
    sizes, items = cast("list[Value]", parts[0]), parts[1]
    kind = name.removeprefix(_ARRAY)
    written = "" if kind in _USUAL else f", dtype={kind!r}"
    if len(sizes) > 1 and 0 in sizes:
        # Nested lists cannot express the sizes of an empty array.
        return f"numpy.empty({say(tuple(sizes))}{written})"
    return f"numpy.array({say(items)}{written})"


def shown(name: str, contents: Any, say: Say) -> str:
    """Python-looking text of a value of pandas. `say` renders the values in it."""
    return _WRITERS[name](contents, say)


def _frame(contents: Any, say: Say) -> str:
    labels, rows, columns = contents
    keys = _spoken(labels, say)
    # The kind of texts depends on the version of pandas; the labels tell which it is.
    texts = "object" if len(labels) == 3 and labels[1] == "object" else "str"
    pairs = (
        f"{key}: {_values(kind, items, say, texts)}"
        for key, (kind, items) in zip(keys, columns, strict=True)
    )
    given = [f"{{{', '.join(pairs)}}}"] if columns else []
    return (
        f"pandas.DataFrame({', '.join([*given, *_index(rows, say), *_columns(labels, keys, say)])})"
    )


def _columns(labels: Any, keys: list[str], say: Say) -> list[str]:
    """The argument for the columns' labels, if the keys of the dict do not suffice."""
    names, levels = labels if len(labels) == 2 else ([labels[0]], [labels[1:]])
    if all(name is None for name in names):
        return []
    if not all(_is_leaf(item) for _kind, items in levels for item in items):
        # Its text would occur twice, and the texts of labels within it four times.
        raise ValueError("a label that holds others")
    return [f"columns={_of_labels(labels, keys, say)}"]


def _is_leaf(label: Value) -> bool:
    match label:
        case tuple() | frozenset():
            return all(map(_is_leaf, cast("tuple[Value, ...]", label)))
        case Container():
            return _is_leaf(label.items)
        case _:
            return type(cast(object, label)) in _LEAVES


def _series(contents: Any, say: Say) -> str:
    name, rows, (kind, items) = contents
    given = [_items(kind, items, say)]
    if not _is_usual(kind, items, "str"):
        given.append(f"dtype={_type(kind, say)}")
    given += _index(rows, say)
    if name is not None:
        given.append(f"name={say(name)}")
    return f"pandas.Series({', '.join(given)})"


def _index(labels: Any, say: Say) -> list[str]:
    """The argument that gives these labels to the rows; nothing if they count from zero."""
    if len(labels) == 2:
        return [f"index={_labels(labels, say)}"]
    name, kind, items = labels
    if name is None and kind in _USUAL_LABELS:
        counted = kind == "<i8" and items == list(range(len(items)))
        return [] if counted else [f"index={_items(kind, items, say)}"]
    return [f"index={_labels(labels, say)}"]


def _labels(labels: Any, say: Say) -> str:
    return _of_labels(labels, _spoken(labels, say), say)


def _of_labels(labels: Any, spoken: list[str], say: Say) -> str:
    given = [f"[{', '.join(spoken)}]"]
    if len(labels) == 2:
        if any(name is not None for name in labels[0]):
            given.append(f"names={say(labels[0])}")
        return f"pandas.MultiIndex.from_tuples({', '.join(given)})"
    name, kind, _items_said = labels
    if kind not in _USUAL_LABELS:
        given.append(f"dtype={_type(kind, say)}")
    if name is not None:
        given.append(f"name={say(name)}")
    return f"pandas.Index({', '.join(given)})"


def _spoken(labels: Any, say: Say) -> list[str]:
    """The text of every label; tuples where there are several levels."""
    if len(labels) == 3:
        return _each(labels[1], labels[2], say)
    levels = [_each(kind, items, say) for kind, items in labels[1]]
    ends = "," if len(levels) == 1 else ""
    return [f"({', '.join(parts)}{ends})" for parts in zip(*levels, strict=True)]


def _values(kind: Any, items: Any, say: Say, texts: str) -> str:
    """A column in a table: a list, or an array if pandas would not give a list the right type."""
    if _is_usual(kind, items, texts):
        return _items(kind, items, say)
    return _array([kind, items], say)


def _array(column: Any, say: Say) -> str:
    kind, items = column
    plain = kind == "object" or (isinstance(kind, str) and kind[1:2] in _FAMILIES)
    library = "numpy" if plain else "pandas"
    return f"{library}.array({_items(kind, items, say)}, dtype={_type(kind, say)})"


def _is_usual(kind: Any, items: Any, texts: str) -> bool:
    """Whether pandas gives this kind to a plain list of the items, if it gives `texts` to texts."""
    given = [item for item in items if item is not None and not _is_nan(item)]
    if not items:
        return bool(kind == "object")
    if given and all(isinstance(item, str) for item in given):
        return bool(kind == texts)
    if kind == "object":
        return not all(isinstance(item, _INFERRED) for item in given)
    return kind in _USUAL


def _is_nan(item: Value) -> bool:
    return isinstance(item, float) and isnan(item)


def _type(kind: Any, say: Say) -> str:
    match kind:
        case ["category", bool() as ordered, [known, items]]:
            order = ", ordered=True" if ordered else ""
            return f"pandas.CategoricalDtype({_items(known, items, say)}{order})"
        case [str() as moments, zone]:
            return repr(f"datetime64[{_unit(moments)}, {_zone(zone, say)}]")
        case str() if kind[1:2] in ("M", "m"):
            family = "datetime64" if kind[1] == "M" else "timedelta64"
            return repr(f"{family}[{_unit(kind)}]")
        case str() if kind[1:2] in _FAMILIES and kind[2:].isdigit():
            bits = "" if kind[1] == "b" else str(8 * int(kind[2:]))
            return repr(_FAMILIES[kind[1]] + bits)
        case str() if kind.isalnum():
            return "object" if kind == "object" else repr(kind)
        case _:
            raise ValueError("no kind of items")


def _items(kind: Any, items: Any, say: Say) -> str:
    return f"[{', '.join(_each(kind, items, say))}]"


def _each(kind: Any, items: Any, say: Say) -> list[str]:
    if not isinstance(items, list):
        raise TypeError("items that are no list")
    held = cast("list[Value]", items)
    match kind:
        case ["category", bool(), [known, list()]]:
            return _each(known, held, say)
        case [str() as moments, zone]:
            return [_moment(item, _unit(moments), zone) for item in held]
        case str() if kind[1:2] == "M":
            return [_moment(item, _unit(kind), None) for item in held]
        case str() if kind[1:2] == "m":
            return [_span(item, _unit(kind)) for item in held]
        case _:
            return [say(item) for item in held]


def _unit(kind: str) -> str:
    unit = kind[4:-1]
    if unit not in _PER_SECOND:
        raise ValueError("no unit of pandas")
    return unit


def _moment(count: Any, unit: str, zone: Value) -> str:
    return "None" if count in (None, _NOT_A_TIME) else repr(_at(count, unit, zone))


def _at(count: int, unit: str, zone: Value) -> str:
    """The text of the moment, in its own zone if that is given by its offset."""
    seconds, rest = divmod(count, _PER_SECOND[unit])
    away = int(zone.text) if _is_distance(zone) else 0
    try:
        text = str(_EPOCH + datetime.timedelta(seconds=seconds + away))
    except OverflowError:
        raise ValueError("a moment beyond Python's calendar") from None
    offset = "" if zone is None else _offset(away)
    return f"{text}{_fraction(rest, unit)}{offset}"


def _is_distance(zone: Value) -> bool:
    known = isinstance(zone, Scalar) and zone.type_name == "datetime.timezone"
    return known and len(zone.text) <= _DISTANCE_MAX


def _zone(zone: Value, say: Say) -> str:
    if not _is_distance(zone):
        return say(zone)
    away = int(zone.text)
    return f"UTC{_offset(away)}" if away else "UTC"


def _offset(away: int) -> str:
    hours, minutes = divmod(abs(away) // 60, 60)
    return f"{'-' if away < 0 else '+'}{hours:02}:{minutes:02}"


def _fraction(rest: int, unit: str) -> str:
    nanoseconds = f"{rest * (10**9 // _PER_SECOND[unit]):09}"
    return f".{nanoseconds}".rstrip("0").rstrip(".")


def _span(count: Any, unit: str) -> str:
    if count in (None, _NOT_A_TIME):
        return "None"
    seconds, rest = divmod(count, _PER_SECOND[unit])
    days, seconds = divmod(seconds, 86400)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return repr(f"{days} days {'+' if days < 0 else ''}{clock}{_fraction(rest, unit)}")


def _timestamp(contents: Any, say: Say) -> str:
    count, zone = contents
    if zone is None or _is_distance(zone):
        return f"pandas.Timestamp({_moment(count, 'ns', zone)})"
    return f"pandas.Timestamp({_moment(count, 'ns', _UTC)}).tz_convert({say(zone)})"


_UTC = Scalar("datetime.timezone", "0")
_WRITERS: dict[str, Callable[[Any, Say], str]] = {
    "pandas.DataFrame": _frame,
    "pandas.Series": _series,
    "pandas.Index": _labels,
    "pandas.MultiIndex": _labels,
    "pandas.array": _array,
    "pandas.Timestamp": _timestamp,
    "pandas.Timedelta": lambda contents, _say: f"pandas.Timedelta({_span(contents, 'ns')})",
    "pandas.NaT": lambda _contents, _say: "pandas.NaT",
    "pandas.NA": lambda _contents, _say: "pandas.NA",
}
