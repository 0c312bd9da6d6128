"""Builds inputs of numpy and pandas from what `numpy_values` and `pandas_values` tell of them."""

from __future__ import annotations

from .inspecting import descends, is_class, kind_of
from .pandas_values import INTEGERS

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
