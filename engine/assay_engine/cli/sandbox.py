"""`assay sandbox`: runs a program on inputs by hand, confined as in a check.

Calls and their scenes are read as a person writes them, in JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import click

from assay_engine.cli.output import COULD_NOT_RUN, as_json, complain, give
from assay_engine.config.interpreter import named_interpreter
from assay_engine.errors import AssayError, ConfigurationError
from assay_engine.files.source_files import UnreadableFile, read_file
from assay_engine.inputs.staging import moment_of, outcome_of
from assay_sandbox import (
    Call,
    Fault,
    Limits,
    LoadFailed,
    Mock,
    Program,
    Sandbox,
    SandboxError,
    Scene,
    Timed,
    Value,
    decode,
)
from assay_sandbox.errors import ProtocolError
from assay_sandbox.tiers import TIERS

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


def _named(_context: click.Context, _option: click.Parameter, named: str | None) -> Path | None:
    try:
        return None if named is None else named_interpreter(named, os.environ)
    except ConfigurationError as problem:
        raise click.BadParameter(str(problem)) from None


interpreter_option = click.option(
    "--interpreter", metavar="PATH", callback=_named, help="The Python that programs run under."
)


INPUT_BYTES_MAX = 16 << 20


@click.command(short_help="Run a function of a file on inputs, confined.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--entry", required=True, metavar="NAME", help="What to call: f, or Class.method.")
@click.option(
    "--inputs",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A JSON list of calls: each a list of arguments, or {args, kwargs, stdin, scene}.",
)
@interpreter_option
@click.option("--tier", metavar="|".join(TIERS), help="Insist on one tier of confinement.")
@click.option("--seconds", type=float, default=1.0, help="Per call.", show_default=True)
def sandbox(
    file: Path,
    entry: str,
    inputs: Path,
    interpreter: Path | None,
    tier: str | None,
    seconds: float,
) -> None:
    """Run a function of FILE on inputs, confined, and print one JSON line per call.

    Values are typed JSON as in docs/internals/sandbox.md, of which plain JSON is a part. Exits with
    0 if every call was observed, whatever came of it, and with 2 if nothing could be run.
    """
    try:
        program = Program(read_file(file).text.removeprefix("\ufeff"), entry)
        calls = tuple(_calls(inputs))
        limits = Limits(call_seconds=seconds)
        with Sandbox(interpreter, tier=tier) as box:
            loaded = True
            for number, timed in box.stream_timed(program, calls, limits):
                give(_line(number, timed))
                loaded = loaded and not isinstance(timed.observation, LoadFailed)
            if not loaded:
                sys.exit(COULD_NOT_RUN)
    except SandboxError as failure:
        complain(failure.in_full())
        sys.exit(COULD_NOT_RUN)
    except (UnreadableFile, BadInputs, ValueError) as failure:
        complain(str(failure))
        sys.exit(COULD_NOT_RUN)


def _calls(path: Path) -> Iterator[Call]:
    try:
        # The path may lead to a pipe as well as to a file, and either may have no end.
        with path.open("rb") as file:
            content = file.read(INPUT_BYTES_MAX + 1)
    except OSError as failure:
        raise BadInputs(f"{path} cannot be read: {failure}") from failure
    if len(content) > INPUT_BYTES_MAX:
        raise BadInputs(f"{path} is larger than {INPUT_BYTES_MAX >> 20} MB")
    try:
        listed: object = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as failure:
        raise BadInputs(f"{path} is not JSON: {failure}") from failure
    if not isinstance(listed, list):
        raise BadInputs(f"{path} must hold a list of calls")
    for number, entry in enumerate(cast("list[object]", listed)):
        yield read_input(entry, f"{path}, call {number}")


def _line(number: int, timed: Timed) -> str:
    """The observation as JSON. Values that are typed JSON texts become part of the document."""
    observation = timed.observation
    fields: dict[str, Any] = asdict(observation) | {"wall_seconds": timed.seconds}
    for name in ("value", "args_after", "files_after", "mock_calls"):
        if isinstance(fields.get(name), str):
            fields[name] = _parsed(fields[name])
    return as_json({"call": number, "outcome": type(observation).__name__, **fields})


def _parsed(text: str) -> object:
    """The document in a text, or the text itself: the program may have written anything."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
