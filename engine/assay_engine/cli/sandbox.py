"""`assay sandbox`: runs a program on inputs by hand, confined as in a check."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import click

from assay_engine.cli.exit_status import COULD_NOT_RUN
from assay_engine.cli.interpreter_option import interpreter_option
from assay_engine.cli.scene_json import BadInputs, read_input
from assay_engine.reading.files import UnreadableFile, read_file
from assay_sandbox import Call, Limits, LoadFailed, Program, Sandbox, SandboxError, Timed

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
@click.option("--tier", metavar="N|L|B|S|M|J|W", help="Insist on one tier of confinement.")
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
                click.echo(_line(number, timed))
                loaded = loaded and not isinstance(timed.observation, LoadFailed)
            if not loaded:
                sys.exit(COULD_NOT_RUN)
    except SandboxError as failure:
        click.echo(f"assay: {failure.in_full()}", err=True)
        sys.exit(COULD_NOT_RUN)
    except (UnreadableFile, BadInputs, ValueError) as failure:
        click.echo(f"assay: {failure}", err=True)
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
    return json.dumps({"call": number, "outcome": type(observation).__name__, **fields})


def _parsed(text: str) -> object:
    """The document in a text, or the text itself: the program may have written anything."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
