"""Reads calls and their scenes as a person writes them in JSON, for `assay sandbox`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from assay_engine.errors import AssayError
from assay_engine.inputs.scene_parts import moment_of, outcome_of
from assay_sandbox import Call, Fault, Mock, Scene, Value, decode
from assay_sandbox.errors import ProtocolError

_CALL = ("args", "kwargs", "stdin", "scene")
_SCENE = ("files", "environment", "time", "random_seed", "mocks")


class BadInputs(AssayError):
    """The inputs are not what the command takes; the message says what it takes."""


def read_input(entry: object, where: str) -> Call:
    """Read one call: a list of arguments, or an object. Raises `BadInputs`, which names `where`."""
    if isinstance(entry, list):
        return Call(_arguments(cast("list[object]", entry), where))
    if not isinstance(entry, dict):
        raise BadInputs(f"{where}: neither a list of arguments nor an object of {_any(_CALL)}")
    parts = _object(cast("object", entry), where, _CALL)
    args, stdin = parts.get("args", []), parts.get("stdin", "")
    if not isinstance(args, list) or not isinstance(stdin, str):
        raise BadInputs(f"{where}: args must be a list, and stdin text")
    kwargs = _object(parts.get("kwargs", {}), f"{where}, kwargs")
    return Call(
        _arguments(cast("list[object]", args), where),
        tuple((name, _value(value, where)) for name, value in kwargs.items()),
        stdin,
        _scene(parts["scene"], f"{where}, scene") if "scene" in parts else None,
    )


def _scene(entry: object, where: str) -> Scene:
    parts = _object(entry, where, _SCENE)
    files: list[tuple[str, str | bytes]] = []
    for name, written in _object(parts.get("files", {}), f"{where}, files").items():
        content = _value(written, where)
        if not isinstance(content, str | bytes):
            raise BadInputs(f'{where}: {name} must hold text or {{"bytes": "base64"}}')
        files.append((name, content))
    environment = _object(parts.get("environment", {}), f"{where}, environment")
    if not all(isinstance(value, str) for value in environment.values()):
        raise BadInputs(f"{where}: every variable of the environment must be text")
    mocks = _object(parts.get("mocks", {}), f"{where}, mocks")
    try:
        return Scene(
            tuple(files),
            tuple((name, str(value)) for name, value in environment.items()),
            _time(parts.get("time"), where),
            _seed(parts.get("random_seed"), where),
            tuple(Mock(name, _outcomes(listed, where)) for name, listed in mocks.items()),
        )
    except ValueError as failure:
        raise BadInputs(f"{where}: {failure}") from failure


def _time(entry: object, where: str) -> float | None:
    """Read seconds since 1970, or an ISO 8601 text, which is in UTC unless it gives an offset."""
    if entry is None or (isinstance(entry, int | float) and not isinstance(entry, bool)):
        return entry
    try:
        return moment_of(str(entry))
    except ValueError as failure:
        raise BadInputs(f"{where}: time must be seconds since 1970 or ISO 8601") from failure


def _seed(entry: object, where: str) -> int | None:
    if entry is None or (isinstance(entry, int) and not isinstance(entry, bool) and entry >= 0):
        return entry
    raise BadInputs(f"{where}: random_seed must be a whole number that is not negative")


def _outcomes(entry: object, where: str) -> tuple[Value | Fault, ...]:
    if not isinstance(entry, list):
        raise BadInputs(f"{where}: a mock takes a list of outcomes")
    return tuple(_outcome(each, where) for each in cast("list[object]", entry))


def _outcome(entry: object, where: str) -> Value | Fault:
    read = outcome_of(entry, lambda value: _value(value, where))
    if read is None:
        raise BadInputs(
            f'{where}: an outcome of a mock is {{"returns": value}} or '
            '{"raises": "Type", "message": "text"}'
        )
    return read[0]


def _object(entry: object, where: str, known: tuple[str, ...] = ()) -> Mapping[str, object]:
    if not isinstance(entry, dict):
        raise BadInputs(f"{where}: must be an object{f' of {_any(known)}' if known else ''}")
    parts = cast("dict[str, object]", entry)
    unknown = sorted(parts.keys() - set(known)) if known else []
    if unknown:
        raise BadInputs(f"{where}: {unknown[0]!r} is not one of {_any(known)}")
    return parts


def _any(names: tuple[str, ...]) -> str:
    return ", ".join(names)


def _arguments(values: list[object], where: str) -> tuple[Value, ...]:
    return tuple(_value(value, where) for value in values)


def _value(value: object, where: str) -> Value:
    try:
        return decode(json.dumps(value), expressions=True)
    except ProtocolError as failure:
        raise BadInputs(f"{where}: {failure}") from failure
