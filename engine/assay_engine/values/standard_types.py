"""Types of the standard library whose values are told by a text: a row of one table for each.

Beside its row here, such a type needs an entry in the sandbox's
`worker/values/standard_types.py`, which tells its values, and one in `worker/values/making.py`,
which builds them.
"""

from __future__ import annotations

_REAL_PATHS = ("pathlib.PosixPath", "pathlib.WindowsPath")
_PURE_PATHS = ("pathlib.PurePosixPath", "pathlib.PureWindowsPath", *_REAL_PATHS)
# By the name that annotations have for the type: the sandbox's names for the type, and for those
# that are accepted in its place.
STANDARD_TYPES = {
    "date": ("datetime.date", "datetime.datetime"),
    "datetime": ("datetime.datetime",),
    "time": ("datetime.time",),
    "timedelta": ("datetime.timedelta",),
    "timezone": ("datetime.timezone",),
    "ZoneInfo": ("zoneinfo.ZoneInfo",),
    "Decimal": ("decimal.Decimal",),
    "Fraction": ("fractions.Fraction",),
    "UUID": ("uuid.UUID",),
    "Path": _REAL_PATHS,
    "PosixPath": _REAL_PATHS[:1],
    "PurePath": _PURE_PATHS,
    "PurePosixPath": (_PURE_PATHS[0], _REAL_PATHS[0]),
}
