"""Strategies for the types without parameters, built in or of the standard library.

Other modules import this one only where they need it, since Hypothesis takes long to import.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from pathlib import PurePosixPath

import hypothesis.strategies as st
from hypothesis.strategies import SearchStrategy

from assay_engine.inputs.strategies import TEXT_MAX
from assay_sandbox import Scalar, Value

# Letters, digits, signs and a few unusual characters, but no control characters.
ALPHABET = "abcxyzABC0123456789 _-.,:;/+'\"()[]\téß中😀"
# The characters of file names; their suffixes are in `_SUFFIXES`.
NAME_ALPHABET = "abcxyzABC012 _-.é"
NAME_MAX = 6
_SUFFIXES = ("", ".txt", ".py", ".tar.gz", ".TXT", ".")


def simple(name: str, alphabet: str) -> SearchStrategy[Value] | None:
    """The strategy for the type of this name; None if it has parameters or is not known.

    `alphabet` gives the characters of half of the texts, unless it is empty.
    """
    if name in _TEXTS:
        return _texts(alphabet)
    factory = _FACTORIES.get(name)
    return None if factory is None else factory()


def _texts(alphabet: str) -> SearchStrategy[Value]:
    general = st.text(ALPHABET, max_size=TEXT_MAX)
    return st.one_of(st.text(alphabet, max_size=TEXT_MAX), general) if alphabet else general


def _integers() -> SearchStrategy[Value]:
    return st.one_of(st.integers(-5, 12), st.integers(-200, 2000), st.integers(-100_000, 100_000))


def _floats() -> SearchStrategy[Value]:
    tame = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3))
    return st.one_of(tame, st.integers(-10, 100).map(float))


def _complex_numbers() -> SearchStrategy[Value]:
    part = st.integers(-9, 9)
    return st.builds(complex, part, part)


def _bytes() -> SearchStrategy[bytes]:
    return st.binary(max_size=TEXT_MAX)


def _ranges() -> SearchStrategy[Value]:
    steps = st.sampled_from((1, 1, 2, -1, -3))
    return st.builds(_range, st.integers(-5, 12), st.integers(-2, 12), steps)


def _range(start: int, length: int, step: int) -> Value:
    return Scalar("range", f"{start},{start + length * step},{step}")


def _identifiers() -> SearchStrategy[Value]:
    numbers = st.integers(0, (1 << 128) - 1)
    return numbers.map(lambda number: Scalar("uuid.UUID", f"{number:032x}"))


def _anything() -> SearchStrategy[Value]:
    return st.one_of(st.integers(-5, 12), st.text("abc", max_size=3))


def _dates() -> SearchStrategy[Value]:
    dates = st.dates(date(1970, 1, 1), date(2040, 12, 31))
    return dates.map(lambda day: Scalar("datetime.date", day.isoformat()))


def _moments() -> SearchStrategy[Value]:
    times = st.datetimes(datetime(1970, 1, 1), datetime(2040, 12, 31)).map(
        lambda moment: moment.replace(microsecond=0)
    )
    return times.map(lambda moment: Scalar("datetime.datetime", moment.isoformat()))


def _times_of_day() -> SearchStrategy[Value]:
    return st.times().map(
        lambda moment: Scalar("datetime.time", moment.replace(microsecond=0).isoformat())
    )


def _durations() -> SearchStrategy[Value]:
    seconds = st.integers(-100_000, 1_000_000)
    return seconds.map(lambda n: Scalar("datetime.timedelta", f"{n // 86_400},{n % 86_400},0"))


def _decimals() -> SearchStrategy[Value]:
    cents = st.integers(-100_000, 1_000_000)
    return cents.map(
        lambda n: Scalar("decimal.Decimal", f"{'-' * (n < 0)}{abs(n) // 100}.{abs(n) % 100:02}")
    )


def _fractions() -> SearchStrategy[Value]:
    ratio = st.fractions(-10, 10, max_denominator=12)
    return ratio.map(lambda value: Scalar("fractions.Fraction", str(value)))


def _paths() -> SearchStrategy[Value]:
    return _path_texts().map(lambda path: Scalar("pathlib.PosixPath", path))


def _pure_paths() -> SearchStrategy[Value]:
    return _path_texts().map(lambda path: Scalar("pathlib.PurePosixPath", path))


def _path_texts() -> SearchStrategy[str]:
    """Texts of paths as `pathlib` writes them, without empty parts."""

    def written(start: str, folders: list[str], stem: str, suffix: str) -> str:
        return str(PurePosixPath(start, *folders, stem + suffix))

    part = st.text(NAME_ALPHABET, min_size=1, max_size=NAME_MAX)
    starts, suffixes = st.sampled_from(("", "", "/")), st.sampled_from(_SUFFIXES)
    return st.builds(written, starts, st.lists(part, max_size=2), part, suffixes)


_TEXTS = frozenset(("str", "AnyStr", "LiteralString"))
_FACTORIES: dict[str, Callable[[], SearchStrategy[Value]]] = {
    **dict.fromkeys(("int", "SupportsInt", "SupportsIndex", "SupportsAbs", "Integral"), _integers),
    **dict.fromkeys(("float", "Real", "SupportsFloat", "Number"), _floats),
    **dict.fromkeys(("bytes", "ByteString"), _bytes),
    **dict.fromkeys(("None", "NoneType"), st.none),
    **dict.fromkeys(("Any", "object", "Hashable"), _anything),
    **dict.fromkeys(("Path", "PosixPath"), _paths),
    **dict.fromkeys(("PurePath", "PurePosixPath"), _pure_paths),
    "bool": st.booleans,
    "complex": _complex_numbers,
    "bytearray": lambda: _bytes().map(bytearray),
    "range": _ranges,
    "UUID": _identifiers,
    "date": _dates,
    "datetime": _moments,
    "time": _times_of_day,
    "timedelta": _durations,
    "Decimal": _decimals,
    "Fraction": _fractions,
}
