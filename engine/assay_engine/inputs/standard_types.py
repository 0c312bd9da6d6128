"""Strategies for values of the built-in types and of those that the standard library adds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from assay_sandbox import Container, Scalar, Value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

ITEMS_MAX = 6
TEXT_MAX = 12
# Letters, digits, signs and the odd one out; boundary cases of text without control characters.
ALPHABET = "abcxyzABC0123456789 _-.,:;/+'\"()[]\téß中😀"
# What file names are made of, and how they end.
NAME_ALPHABET = "abcxyzABC012 _-.é"
NAME_MAX = 6
_SUFFIXES = ("", ".txt", ".py", ".tar.gz", ".TXT", ".")


def simple(name: str, alphabet: str) -> SearchStrategy[Value] | None:
    """Of the type of this name, if it has no parameters and is known. `alphabet`: what half of its
    texts are made of, if it is not empty."""
    import datetime

    import hypothesis.strategies as st

    match name:
        case "int" | "SupportsInt" | "SupportsIndex" | "SupportsAbs" | "Integral":
            return st.one_of(
                st.integers(-5, 12), st.integers(-200, 2000), st.integers(-100_000, 100_000)
            )
        case "float" | "Real" | "SupportsFloat" | "Number":
            tame = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3))
            return st.one_of(tame, st.integers(-10, 100).map(float))
        case "bool":
            return st.booleans()
        case "complex":
            part = st.integers(-9, 9)
            return st.builds(complex, part, part)
        case "str" | "AnyStr" | "LiteralString":
            general = st.text(ALPHABET, max_size=TEXT_MAX)
            if not alphabet:
                return general
            return st.one_of(st.text(alphabet, max_size=TEXT_MAX), general)
        case "bytes" | "ByteString":
            return st.binary(max_size=TEXT_MAX)
        case "bytearray":
            return st.binary(max_size=TEXT_MAX).map(bytearray)
        case "range":
            steps = st.sampled_from((1, 1, 2, -1, -3))
            return st.builds(_range, st.integers(-5, 12), st.integers(-2, 12), steps)
        case "UUID":
            numbers = st.integers(0, (1 << 128) - 1)
            return numbers.map(lambda number: Scalar("uuid.UUID", f"{number:032x}"))
        case "None" | "NoneType":
            return st.none()
        case "Any" | "object" | "Hashable":
            return st.one_of(st.integers(-5, 12), st.text("abc", max_size=3))
        case "date":
            dates = st.dates(datetime.date(1970, 1, 1), datetime.date(2040, 12, 31))
            return dates.map(lambda day: Scalar("datetime.date", day.isoformat()))
        case "datetime":
            times = st.datetimes(
                datetime.datetime(1970, 1, 1), datetime.datetime(2040, 12, 31)
            ).map(lambda moment: moment.replace(microsecond=0))
            return times.map(lambda moment: Scalar("datetime.datetime", moment.isoformat()))
        case "time":
            return st.times().map(
                lambda moment: Scalar("datetime.time", moment.replace(microsecond=0).isoformat())
            )
        case "timedelta":
            seconds = st.integers(-100_000, 1_000_000)
            return seconds.map(
                lambda n: Scalar("datetime.timedelta", f"{n // 86_400},{n % 86_400},0")
            )
        case "Decimal":
            cents = st.integers(-100_000, 1_000_000)
            return cents.map(
                lambda n: Scalar(
                    "decimal.Decimal", f"{'-' * (n < 0)}{abs(n) // 100}.{abs(n) % 100:02}"
                )
            )
        case "Fraction":
            ratio = st.fractions(-10, 10, max_denominator=12)
            return ratio.map(lambda value: Scalar("fractions.Fraction", str(value)))
        case "Path" | "PosixPath" | "PurePath" | "PurePosixPath":
            kind = "pathlib.PurePosixPath" if "Pure" in name else "pathlib.PosixPath"
            return _paths().map(lambda path: Scalar(kind, path))
        case _:
            return None


def collection(
    name: str, of: Callable[[int], SearchStrategy[Value] | None]
) -> SearchStrategy[Value] | None:
    """Of the type of this name, if it is one; `of` gives the strategies of its parameters, or None
    where there is no room for another level: what it holds is empty then."""
    import hypothesis.strategies as st

    match name:
        case (
            "list"
            | "List"
            | "Sequence"
            | "MutableSequence"
            | "Iterable"
            | "Iterator"
            | "Collection"
            | "Container"
            | "Reversible"
            | "Sized"
        ):
            return _with_repeats(of(0))
        case "set" | "Set" | "AbstractSet" | "MutableSet":
            return _hashed(of(0)).map(set)
        case "frozenset" | "FrozenSet":
            return _hashed(of(0)).map(frozenset)
        case "dict" | "Dict" | "Mapping" | "MutableMapping":
            return _dictionaries(of(0), of(1))
        case "defaultdict" | "DefaultDict" | "OrderedDict":
            ordered = "collections.OrderedDict"
            return _dictionaries(of(0), of(1)).map(lambda items: Container(ordered, items))
        case "Counter":
            return _dictionaries(of(0), st.integers(0, 5)).map(
                lambda items: Container("collections.Counter", items)
            )
        case "deque" | "Deque":
            return _with_repeats(of(0)).map(lambda items: Container("collections.deque", items))
        case _:
            return None


def _paths() -> SearchStrategy[str]:
    """Paths as they are written once they are made: without empty parts."""
    import hypothesis.strategies as st

    def written(start: str, folders: list[str], stem: str, suffix: str) -> str:
        return str(PurePosixPath(start, *folders, stem + suffix))

    part = st.text(NAME_ALPHABET, min_size=1, max_size=NAME_MAX)
    starts, suffixes = st.sampled_from(("", "", "/")), st.sampled_from(_SUFFIXES)
    return st.builds(written, starts, st.lists(part, max_size=2), part, suffixes)


def _range(start: int, length: int, step: int) -> Value:
    return Scalar("range", f"{start},{start + length * step},{step}")


def _with_repeats(items: SearchStrategy[Value] | None) -> SearchStrategy[Value]:
    """Lists, some of them with equal items, where ties and duplicates matter."""
    import hypothesis.strategies as st

    if items is None:
        return st.builds(list[Value])
    plain = st.lists(items, max_size=ITEMS_MAX)
    repeated = st.lists(items, min_size=1, max_size=3).flatmap(
        lambda few: st.lists(st.sampled_from(few), min_size=1, max_size=ITEMS_MAX)
    )
    return st.one_of(plain, repeated)


def _hashed(items: SearchStrategy[Value] | None) -> SearchStrategy[list[Value]]:
    import hypothesis.strategies as st

    if items is None:
        return st.builds(list[Value])
    return st.lists(items.filter(_is_hashable), max_size=ITEMS_MAX)


def _dictionaries(
    keys: SearchStrategy[Value] | None, values: SearchStrategy[Value] | None
) -> SearchStrategy[Value]:
    import hypothesis.strategies as st

    if keys is None or values is None:
        return st.builds(dict[Value, Value])
    return st.dictionaries(keys.filter(_is_hashable), values, max_size=ITEMS_MAX)


def _is_hashable(value: Value) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
