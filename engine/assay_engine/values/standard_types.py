"""Types of the standard library whose values are told by a text: a row of one table for each.

Beside its row here, such a type needs an entry in the sandbox's `worker/known.py`, which tells its
values, and one in `worker/standard.py`, which builds them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import PurePosixPath
from random import Random
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from msgspec import Struct

from assay_sandbox import Scalar, Value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# By how much a value is moved, before it is multiplied by a unit of its type.
STEPS = (-10, -1, 1, 10)
# The characters of file names; their suffixes are in `_SUFFIXES`.
NAME_ALPHABET = "abcxyzABC012 _-.é"
NAME_MAX = 6
_SUFFIXES = ("", ".txt", ".py", ".tar.gz", ".TXT", ".")


class StandardType(Struct, frozen=True):
    """A type whose values are `Scalar`s.

    - `carried`: the sandbox's names for the type and those that are accepted in its place; what is
      drawn has the first
    - `draw`: makes a strategy of texts; Hypothesis is imported only then, since that takes long
    - `moved`: from the text of a value and one of `STEPS` to the text of a value near to it; None
      if values are not moved but replaced. May raise ValueError, ArithmeticError or LookupError
    """

    carried: tuple[str, ...]
    draw: Callable[[], SearchStrategy[str]] | None = None
    moved: Callable[[str, int, Random], str] | None = None


def strategy_of(name: str) -> SearchStrategy[Value] | None:
    """The strategy for the standard type that annotations call `name`, if there is one."""
    known = STANDARD_TYPES.get(name)
    if known is None or known.draw is None:
        return None
    type_name = known.carried[0]
    return known.draw().map(lambda text: Scalar(type_name, text))


def moved(value: Scalar, random: Random) -> Scalar | None:
    """A value near to this one, or this one if there is none; None if its type is not moved."""
    step = random.choice(STEPS)
    move = _MOVES.get(value.type_name)
    try:
        return None if move is None else Scalar(value.type_name, move(value.text, step, random))
    except (ValueError, ArithmeticError, LookupError):
        # The result is beyond the calendar, the text is no such value, or its zone is unknown.
        return value


def another_day(day: date, random: Random) -> date:
    try:
        return day + timedelta(days=random.choice(STEPS) * random.choice((1, 3, 30, 365)))
    except OverflowError:  # beyond the calendar
        return day


def _dates() -> SearchStrategy[str]:
    import hypothesis.strategies as st

    return st.dates(date(1970, 1, 1), date(2040, 12, 31)).map(date.isoformat)


def _moments() -> SearchStrategy[str]:
    import hypothesis.strategies as st

    moments = st.datetimes(datetime(1970, 1, 1), datetime(2040, 12, 31))
    return moments.map(lambda moment: moment.replace(microsecond=0).isoformat())


def _times_of_day() -> SearchStrategy[str]:
    import hypothesis.strategies as st

    return st.times().map(lambda moment: moment.replace(microsecond=0).isoformat())


def _durations() -> SearchStrategy[str]:
    import hypothesis.strategies as st

    seconds = st.integers(-100_000, 1_000_000)
    return seconds.map(lambda count: f"{count // 86_400},{count % 86_400},0")


def _decimals() -> SearchStrategy[str]:
    import hypothesis.strategies as st

    cents = st.integers(-100_000, 1_000_000)
    return cents.map(lambda count: f"{'-' * (count < 0)}{abs(count) // 100}.{abs(count) % 100:02}")


def _fractions() -> SearchStrategy[str]:
    import hypothesis.strategies as st

    return st.fractions(-10, 10, max_denominator=12).map(str)


def _identifiers() -> SearchStrategy[str]:
    import hypothesis.strategies as st

    return st.integers(0, (1 << 128) - 1).map(lambda number: f"{number:032x}")


def _paths() -> SearchStrategy[str]:
    """Texts of paths as `pathlib` writes them, without empty parts."""
    import hypothesis.strategies as st

    def written(start: str, folders: list[str], stem: str, suffix: str) -> str:
        return str(PurePosixPath(start, *folders, stem + suffix))

    part = st.text(NAME_ALPHABET, min_size=1, max_size=NAME_MAX)
    starts, suffixes = st.sampled_from(("", "", "/")), st.sampled_from(_SUFFIXES)
    return st.builds(written, starts, st.lists(part, max_size=2), part, suffixes)


def _moved_date(text: str, _step: int, random: Random) -> str:
    return another_day(date.fromisoformat(text), random).isoformat()


def _moved_moment(text: str, step: int, random: Random) -> str:
    told, bracket, zone = text.partition("[")
    moment = datetime.fromisoformat(told)
    if zone:
        # The zone's offset from UTC depends on the moment.
        moment = moment.astimezone(ZoneInfo(zone[:-1]))
    seconds = step * random.choice((1, 60, 3600, 86_400))
    return f"{(moment + timedelta(seconds=seconds)).isoformat()}{bracket}{zone}"


def _moved_decimal(text: str, step: int, random: Random) -> str:
    return str(Decimal(text) + step * random.choice((Decimal(1), Decimal("0.01"))))


def _moved_duration(text: str, step: int, random: Random) -> str:
    days, seconds, rest = map(int, text.split(","))
    span = timedelta(days, seconds + step * random.choice((1, 3600)), rest)
    return f"{span.days},{span.seconds},{span.microseconds}"


_REAL_PATHS = ("pathlib.PosixPath", "pathlib.WindowsPath")
_PURE_PATHS = ("pathlib.PurePosixPath", "pathlib.PureWindowsPath", *_REAL_PATHS)
# By the name that annotations have for the type.
STANDARD_TYPES = {
    "date": StandardType(("datetime.date", "datetime.datetime"), _dates, _moved_date),
    "datetime": StandardType(("datetime.datetime",), _moments, _moved_moment),
    "time": StandardType(("datetime.time",), _times_of_day),
    "timedelta": StandardType(("datetime.timedelta",), _durations, _moved_duration),
    "timezone": StandardType(("datetime.timezone",)),
    "ZoneInfo": StandardType(("zoneinfo.ZoneInfo",)),
    "Decimal": StandardType(("decimal.Decimal",), _decimals, _moved_decimal),
    "Fraction": StandardType(("fractions.Fraction",), _fractions),
    "UUID": StandardType(("uuid.UUID",), _identifiers),
    "Path": StandardType(_REAL_PATHS, _paths),
    "PosixPath": StandardType(_REAL_PATHS[:1], _paths),
    "PurePath": StandardType(_PURE_PATHS, _paths),
    "PurePosixPath": StandardType((_PURE_PATHS[0], _REAL_PATHS[0]), _paths),
}
# The sandbox's names for all of them.
CARRIED = frozenset(name for each in STANDARD_TYPES.values() for name in each.carried)
_MOVES = {each.carried[0]: each.moved for each in STANDARD_TYPES.values()}
