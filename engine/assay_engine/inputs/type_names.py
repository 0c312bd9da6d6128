"""The names that annotations use for the known types, grouped by what their values are like."""

from __future__ import annotations

_PATHS = ("pathlib.PosixPath", "pathlib.WindowsPath")

NUMBERS = frozenset(("int", "float", "bool", "complex"))
# Each with the sandbox's names for the type.
SCALARS = {
    "Decimal": ("decimal.Decimal",),
    "Fraction": ("fractions.Fraction",),
    "UUID": ("uuid.UUID",),
    "date": ("datetime.date", "datetime.datetime"),
    "datetime": ("datetime.datetime",),
    "time": ("datetime.time",),
    "timedelta": ("datetime.timedelta",),
    "Path": _PATHS,
    "PurePath": (*_PATHS, "pathlib.PurePosixPath", "pathlib.PureWindowsPath"),
}
ARRAYS = frozenset(("list", "List", "Sequence", "MutableSequence", "deque", "Deque"))
SETS = frozenset(("set", "Set", "AbstractSet", "MutableSet", "frozenset", "FrozenSet"))
MAPPINGS = frozenset(
    ("dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict")
)
