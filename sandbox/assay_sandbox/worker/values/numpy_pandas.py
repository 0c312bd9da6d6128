"""Describes values of numpy and pandas: arrays, numbers, tables, labels, columns and moments.

A program can replace a property, a method or a module of theirs, but nothing of those is called:
fields of Python objects are taken from where Python keeps them, and those of compiled classes
through descriptors that only C code can make. Arrays are read by numpy's own C methods, and texts
of Arrow by methods of its library, whose types cannot be changed. Masked arrays are written in
Python: of these, the array and the mask are read.

A column of pandas is told as kind and items. The kind is numpy's (``<i8``; moments and spans of
time as numbers of their unit), ``object``, ``str`` or ``string`` (the same with ``NA``), ``Int64``
and the like, a list of numpy's kind and the time zone, or a list of ``category``, whether it is
ordered, and the column of categories. Labels are told as name, kind and items; those of several
levels as their names and a column for each level. Missing items are None where pandas keeps them
apart. A table's layout in memory, its caches, ``freq``, ``attrs`` and flags are not told.
"""

from __future__ import annotations

import sys
from types import GetSetDescriptorType

from .. import inspecting
from ..inspecting import is_built_in, lineage, namespace, of_c
from .fields import fields_of, instance_dict
from .untransferable import found_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


class TooMany(Exception):
    """An array has more items than may be told."""


def array(value: object, most: int) -> tuple[str, object] | None:
    """Name and contents of a numpy array or number; None for everything else.

    Contents of an array: its shape and items, and the fields of an item if it has any. Contents of
    such an item: its fields, too; of a moment or span of time: its unit and number. Raises TooMany
    for an array of more than `most` items.
    """
    kind = type(value)
    held: Any = value
    if of_c(kind, "numpy.ndarray"):
        if held.dtype.hasobject:
            return None
        if held.size > most:
            raise TooMany
        described = [list(held.shape), held.tolist()]
        if held.dtype.fields is not None:
            # Without the size, which includes the padding between fields.
            return "numpy.ndarray:|V", [*described, _fields(held.dtype)]
        return f"numpy.ndarray:{held.dtype.str}", described
    if is_built_in(kind) and any(of_c(ancestor, "numpy.generic") for ancestor in lineage(kind)):
        name = f"numpy.{kind.__name__}"
        if held.dtype.kind in "mM":
            return name, (held.dtype.str, int(held.astype("i8")))
        item = held.item()
        if held.dtype.fields is not None:
            return name, [_fields(held.dtype), item]
        # A number that has no Python equivalent is its own item.
        return (name, item) if type(item) in _ITEMS else None
    return None


def _fields(kind: Any) -> list[object]:
    """Name, type and shape of an item's fields, in the item's order, without padding."""
    found: list[object] = []
    for name in kind.names:
        field = kind.fields[name][0]
        inner = field.base
        said = inner.str if inner.fields is None else _fields(inner)
        found.append((name, said, field.shape) if field.shape else (name, said))
    return found


def untransferable(name: str, value: object, most: int) -> object:
    """The description of an array of objects, or a masked one; None for everything else.

    Type, shape, items and mask; no item where the mask hides it, and no mask that hides nothing.
    `name`: the name of its type. Raises TooMany.
    """
    if name == "numpy.ndarray" and of_c(type(value), name):
        return _described(value, most)
    if name not in _MASKED or found_in("numpy.ma.core", ["MaskedArray"]) is not type(value):
        return None
    array: Any = next(each for each in lineage(type(value)) if of_c(each, "numpy.ndarray"))
    # By C code, and as the plain array type: for others, numpy calls their `__array_finalize__`.
    told: list[Any] = _described(namespace(array)["view"](value, array), most)
    found: object = (instance_dict(value) or {}).get("_mask")
    kind = type(found)
    if not of_c(kind, "numpy.ndarray"):
        return [*told, False] if of_c(kind, "numpy.bool") or of_c(kind, "numpy.bool_") else None
    mask: Any = found
    items: list[Any] = told.pop()
    if mask.size != len(items):
        return None
    hidden: list[Any] = mask.ravel().tolist()
    pairs = zip(items, hidden)  # noqa: B905 (3.9)
    items = [None if gone is True else item for item, gone in pairs]
    return [*told, items, hidden if any(gone is not False for gone in hidden) else False]


def _described(array: Any, most: int) -> list[object]:
    if array.size > most:
        raise TooMany
    return [array.dtype.str, list(array.shape), array.ravel().tolist()]


# Names of the type in different versions.
_MASKED = ("numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray")
_ITEMS = (bool, int, float, complex, str, bytes, tuple)


LABELS_MAX = 1_000_000
INTEGERS = "<i8" if sys.byteorder == "little" else ">i8"
# The interpreter's own dict, because a program can replace `sys.modules`.
_LOADED = sys.modules
# Nanoseconds per unit, by the number that pandas gives to the unit.
_NANOSECONDS = {7: 10**9, 8: 10**6, 9: 10**3, 10: 1}
_MASKED_KINDS = {"i": "Int", "u": "UInt", "f": "Float"}
_NUMBERS = "biufc"
# Kinds of floating-point numbers that are longer than Python's.
_LONG = "gG"
_CANNOT_BE_READ = "its parts are not where pandas keeps them"


class Untold(Exception):
    """Why a value of pandas is not told."""


def described(value: object) -> tuple[str, object] | None:
    """Name and contents of a value of pandas; None for everything else. Raises Untold."""
    if "pandas" not in _LOADED:
        return None
    tell = _TELLERS.get(_name(type(value)))
    return None if tell is None else tell(value)


def name(kind: type) -> str:
    """The name of a class of pandas, the same in every version."""
    return f"pandas.{_name(kind)}"


def _name(kind: type) -> str:
    """The name of a class of pandas, whatever its module; empty for any other class."""
    module = inspecting.namespace(kind).get("__module__")
    if type(module) is not str or module.partition(".")[0] != "pandas":
        return ""
    return inspecting.short_name(kind)


def _attribute(value: object, name: str) -> Any:
    """The field that an object of a Python class keeps under this name, or None."""
    own = instance_dict(value)
    return None if own is None else own.get(name)


def _compiled(value: object, name: str) -> Any:
    """The field that an object of a compiled class keeps under this name, or None."""
    for ancestor in inspecting.lineage(type(value)):
        held: Any = inspecting.namespace(ancestor).get(name)
        # Only under its own name in its own class: a program may have moved it.
        if (
            type(held) is GetSetDescriptorType
            and held.__name__ == name
            and held.__objclass__ is ancestor
        ):
            return held.__get__(value, type(value))
    return None


def _is_array(held: object, *dimensions: int) -> bool:
    array: Any = held
    return inspecting.of_c(type(held), "numpy.ndarray") and array.ndim in dimensions


def _is_of_arrow(held: object) -> bool:
    return inspecting.of_c(type(held), "pyarrow.lib.ChunkedArray")


def _frame(value: object) -> tuple[str, object]:
    manager = _attribute(value, "_mgr")
    axes, blocks = _compiled(manager, "axes"), _compiled(manager, "blocks")
    _expect(type(axes) is list and len(axes) == 2 and type(blocks) is tuple)
    found: dict[int, object] = {}
    for block in blocks:
        places = _compiled(_compiled(block, "_mgr_locs"), "as_array")
        held = _columns(_compiled(block, "values"), "a column")
        _expect(_is_array(places, 1) and len(places) == len(held))
        found.update(zip(places.tolist(), held))  # noqa: B905 (3.9)
    _expect(sorted(found) == list(range(len(found))))
    columns = [found[place] for place in range(len(found))]
    return "pandas.DataFrame", [_labels(axes[0]), _labels(axes[1]), columns]


def _series(value: object) -> tuple[str, object]:
    manager = _attribute(value, "_mgr")
    axes, blocks = _attribute(manager, "axes"), _attribute(manager, "blocks")
    _expect(type(axes) is list and type(blocks) is tuple and len(axes) == len(blocks) == 1)
    column = _column(_compiled(blocks[0], "values"), "a column")
    return "pandas.Series", [_attribute(value, "_name"), _labels(axes[0]), column]


def _moment(value: object) -> tuple[str, object]:
    # A tuple, because it may be the key of a dict.
    return "pandas.Timestamp", (_nanoseconds(value), _compiled(value, "tzinfo"))


def _nanoseconds(value: object) -> int:
    count, unit = _compiled(value, "_value"), _compiled(value, "_creso")
    _expect(type(count) is int and type(unit) is int and unit in _NANOSECONDS)
    return count * _NANOSECONDS[unit]


def _nothing(name: str, value: object) -> tuple[str, object] | None:
    """The marker of a missing item; None for an object of a program's class of the same name."""
    return (name, None) if fields_of(value) is None else None


def _labels(index: object) -> list[object]:
    if _name(type(index)) != "MultiIndex":
        return [_attribute(index, "_name"), *_items_of_labels(index)]
    names = _listed(_attribute(index, "_names"))
    levels = _listed(_attribute(index, "_levels"))
    codes = _listed(_attribute(index, "_codes"))
    _expect(len(names) == len(levels) == len(codes))
    told: list[object] = []
    for level, numbers in zip(levels, codes):  # noqa: B905 (3.9)
        kind, items = _items_of_labels(level)
        told.append([kind, _spelled(items, numbers)])
    return [names, told]


def _listed(held: object) -> list[Any]:
    """The items of a list, or of pandas' subclass of list."""
    _expect(inspecting.descends(type(held), list))
    stored: Any = list
    return stored.__getitem__(held, slice(None))


def _items_of_labels(index: object) -> list[Any]:
    name = _name(type(index))
    if name == "RangeIndex":
        numbers = _attribute(index, "_range")
        _expect(type(numbers) is range)
        if numbers[LABELS_MAX:]:
            raise Untold(f"a range of more than {LABELS_MAX} labels")
        return [INTEGERS, list(numbers)]
    return _column(_attribute(index, "_data"), "labels")


def _column(values: object, what: str) -> list[Any]:
    columns = _columns(values, what)
    _expect(len(columns) == 1)
    return columns[0]


def _columns(values: object, what: str) -> list[list[Any]]:
    """Kind and items of every column in an array of either library. `what`: for messages."""
    name = _name(type(values))
    array, zone = values, None
    if name in _NUMPY_INSIDE:
        array = _compiled(values, "_ndarray")
        zone = _attribute(_compiled(values, "_dtype"), "_tz")
    elif name in _ARRAYS:
        return [_ARRAYS[name](values, what)]
    elif not _is_array(values, 1, 2):
        known = f"pandas.arrays.{name}" if name.isidentifier() else "a class of somebody else's"
        raise Untold(f"{what} of {known}")
    _expect(_is_array(array, 1, 2))
    rows: Any = array
    return [_of_numpy(row, zone, what) for row in (rows if rows.ndim == 2 else (rows,))]


def _of_numpy(array: Any, zone: object, what: str) -> list[Any]:
    kind = array.dtype
    if kind.kind in "mM":
        items = array.astype("i8").tolist()
        return [kind.str if zone is None else [kind.str, zone], items]
    if kind.kind == "O":
        return ["object", array.tolist()]
    if kind.kind not in _NUMBERS or kind.char in _LONG:
        raise Untold(f"{what} of numpy's {kind.str}")
    return [kind.str, array.tolist()]


def _masked(values: object, _what: str) -> list[Any]:
    data, mask = _attribute(values, "_data"), _attribute(values, "_mask")
    _expect(_is_array(data, 1) and _is_array(mask, 1) and mask.dtype.kind == "b")
    _expect(len(data) == len(mask) and data.dtype.kind in "biuf")
    kind = "boolean"
    if data.dtype.kind != "b":
        kind = f"{_MASKED_KINDS[data.dtype.kind]}{8 * data.dtype.itemsize}"
    pairs = zip(data.tolist(), mask.tolist())  # noqa: B905 (3.9)
    return [kind, [None if hidden else item for item, hidden in pairs]]


def _categorical(values: object, _what: str) -> list[Any]:
    kind = _compiled(values, "_dtype")
    categories = _items_of_labels(_attribute(kind, "_categories"))
    items = _spelled(categories[1], _compiled(values, "_ndarray"))
    return [["category", _attribute(kind, "_ordered") is True, categories], items]


def _texts(values: object, _what: str) -> list[Any]:
    kind = _compiled(values, "_dtype") or _attribute(values, "_dtype")
    chunks, array = _attribute(values, "_pa_array"), _compiled(values, "_ndarray")
    if chunks is None:
        _expect(_is_array(array, 1))
        items = array.tolist()
    else:
        # Like numpy's arrays, these are of a type that cannot be changed.
        _expect(_is_of_arrow(chunks))
        items = chunks.to_pylist()
    # The marker of a missing item tells the two kinds apart: NaN, or `NA`.
    name = "str" if type(_attribute(kind, "_na_value")) is float else "string"
    return [name, [item if type(item) is str else None for item in items]]


def _spelled(items: list[Any], codes: Any) -> list[Any]:
    """The item that each code stands for, None where there is none."""
    _expect(_is_array(codes, 1) and codes.dtype.kind == "i")
    numbers: list[int] = codes.tolist()
    _expect(max(numbers, default=-1) < len(items))
    return [None if number < 0 else items[number] for number in numbers]


def _expect(holds: bool) -> None:
    """Raise Untold unless `holds`: programs may alter pandas' objects, or imitate its classes."""
    if not holds:
        raise Untold(_CANNOT_BE_READ)


_NUMPY_INSIDE = ("DatetimeArray", "TimedeltaArray", "NumpyExtensionArray")
_ARRAYS: dict[str, Callable[[object, str], list[Any]]] = {
    "IntegerArray": _masked,
    "FloatingArray": _masked,
    "BooleanArray": _masked,
    "Categorical": _categorical,
    "StringArray": _texts,
    "StringArrayNumpySemantics": _texts,
    "ArrowStringArray": _texts,
    "ArrowStringArrayNumpySemantics": _texts,
}
_INDEXES = (
    "Index", "RangeIndex", "DatetimeIndex", "TimedeltaIndex", "CategoricalIndex",
    "IntervalIndex", "PeriodIndex",
)  # fmt: skip
_TELLERS: dict[str, Callable[[object], tuple[str, object] | None]] = {
    "DataFrame": _frame,
    "Series": _series,
    **dict.fromkeys(_INDEXES, lambda value: ("pandas.Index", _labels(value))),
    "MultiIndex": lambda value: ("pandas.MultiIndex", _labels(value)),
    **dict.fromkeys(
        (*_NUMPY_INSIDE, *_ARRAYS), lambda value: ("pandas.array", _column(value, "items"))
    ),
    "Timestamp": _moment,
    "Timedelta": lambda value: ("pandas.Timedelta", _nanoseconds(value)),
    "NaTType": lambda value: _nothing("pandas.NaT", value),
    "NAType": lambda value: _nothing("pandas.NA", value),
}
