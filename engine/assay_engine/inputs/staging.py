"""Puts calls into scenes: as a reply says, or mechanically where the reply says nothing.

A scene is built only for the things that the program seems to need. All other calls stay as they
are.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

from assay_engine.inputs.mocking import mocks_of
from assay_engine.inputs.scene_parts import moment_of
from assay_engine.reading.needs import Needs, needs_of
from assay_engine.syntax.literal import NotLiteral, literal
from assay_engine.syntax.parsing import parse
from assay_engine.types import Specification
from assay_sandbox import Call, Scalar, Scene, Value

SETTINGS = ("files", "stdin", "environment", "now")
MOCKS = "mocks"
CHARACTERS_MAX = 100_000
# A leap day's last second, the turn of a year, and two plain ones: seconds since 1970.
INSTANTS = (951_868_799.0, 1_609_459_200.0, 1_700_000_000.0, 1_718_454_615.0)
TEXTS = ("3\n1\n2\n", "", "one two\n\ntwo\n", "a,b\n1,2\n", "7", "x = 1\n# y\nz = 2\n")


def setting(statement: str, names: Collection[str] = SETTINGS) -> tuple[str, object] | None:
    """The name and value of a setting like ``files = {…}``, a literal; None for all else."""
    if len(statement) > CHARACTERS_MAX:
        return None
    tree = parse(statement)
    match tree:
        case ast.Module(body=[ast.Assign(targets=[ast.Name(id=name)], value=value)]):
            try:
                return (name, literal(value)) if name in names else None
            except NotLiteral:
                return None
        case _:
            return None


def placed(
    call: Call, settings: Mapping[str, object], mockable: Collection[str] = ()
) -> Call | None:
    """The call in the scene that settings describe; None if that scene is impossible.

    `mockable` are the names that may be mocked.
    """
    stdin = settings.get("stdin", "")
    if not isinstance(stdin, str):
        return None
    call = replace(call, stdin=stdin)
    if settings.keys() <= {"stdin"}:
        return call
    files, environment = settings.get("files", {}), settings.get("environment", {})
    if not _holds(files, (str, bytes)) or not _holds(environment, (str,)):
        return None
    mocks = mocks_of(settings.get(MOCKS, {}), mockable)
    if mocks is None:
        return None
    try:
        now = settings.get("now")
        time = None if now is None else _seconds(now)
        scene = Scene(
            tuple(cast("dict[str, str | bytes]", files).items()),
            tuple(cast("dict[str, str]", environment).items()),
            time,
            mocks=mocks,
        )
    except (ValueError, OverflowError, OSError):
        return None
    return replace(call, scene=scene)


def staged(calls: Sequence[Call], specification: Specification) -> tuple[Call, ...]:
    """The calls with the surroundings that they miss.

    These are files named by the texts that the calls are given, standard input, and an instant.
    Their contents are taken in turn from short lists, so that the same calls get the same scenes.
    """
    needs = needs_of(specification)
    return tuple(_staged(call, number, needs) for number, call in enumerate(calls))


def answered(
    calls: Sequence[Call], lenders: Sequence[Call], specification: Specification
) -> tuple[Call, ...]:
    """The calls with mocks that answer the function's requests to the network.

    A call without mocks gets the scene of a lender that has some, each lender in turn. It is left
    out if there is no such lender.
    """
    if not needs_of(specification).network:
        return tuple(calls)
    scenes = [each.scene for each in lenders if _is_answered(each)]
    return tuple(
        call if _is_answered(call) else replace(call, scene=scenes[number % len(scenes)])
        for number, call in enumerate(calls)
        if scenes or _is_answered(call)
    )


def _is_answered(call: Call) -> bool:
    return call.scene is not None and bool(call.scene.mocks)


def _file_names(value: Value) -> tuple[str, ...]:
    match value:
        case str():
            return (value,)
        case Scalar(type_name, text) if type_name.startswith("pathlib."):
            return (text,)
        case _:
            return ()


def _staged(call: Call, number: int, needs: Needs) -> Call:
    text = TEXTS[number % len(TEXTS)]
    if needs.stdin and not call.stdin:
        call = replace(call, stdin=text)
    scene = call.scene
    if scene is None and needs.files:
        names = [name for value in call.values for name in _file_names(value)]
        try:
            scene = Scene(tuple((name, text) for name in dict.fromkeys(names)))
        except ValueError:  # a text is no name for a file: then there are no files
            scene = Scene()
    if scene is None and (needs.clocks or needs.environment):
        scene = Scene()
    if scene is not None and needs.clocks and scene.time is None:
        scene = replace(scene, time=INSTANTS[number % len(INSTANTS)])
    return replace(call, scene=scene)


def _holds(entry: object, kinds: tuple[type, ...]) -> bool:
    return isinstance(entry, dict) and all(
        isinstance(name, str) and isinstance(value, kinds)
        for name, value in cast("dict[object, object]", entry).items()
    )


def _seconds(now: object) -> float:
    """The seconds since 1970 of a moment.

    Raises ValueError, OverflowError or OSError for a moment that the calendar does not have.
    """
    seconds = float(now) if isinstance(now, int | float) else moment_of(str(now))
    # A check: the moment will have to be shown later.
    datetime.fromtimestamp(seconds, UTC)
    return seconds
