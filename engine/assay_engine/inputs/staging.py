"""Puts calls into scenes: as a reply says, or mechanically where the reply says nothing.

A scene is built only for the things that the program seems to need. All other calls stay as they
are.

Reads mocks from one fixed form: which calls of a program are answered, and with which outcomes.
``{"requests.get": [{"raises": "requests.Timeout", "message": "slow"}, {"returns": [1, 2]}]}``

Besides values to return and exceptions to raise, an outcome can be an object. It is given by its
attributes and its methods' results: ``{"object": {"status_code": 200, "json()": {"a": 1}}}``.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

from assay_engine.specification.needs import Needs, needs_of
from assay_engine.syntax.expressions import is_literal, literal
from assay_engine.syntax.parsing import statements_read
from assay_engine.types import Specification
from assay_engine.values.describing import stand_in
from assay_sandbox import Call, Fault, Mock, Scalar, Scene, Value

SETTINGS = ("files", "stdin", "environment", "now")
MOCKS = "mocks"
CHARACTERS_MAX = 100_000
# A leap day's last second, the turn of a year, and two plain ones: seconds since 1970.
INSTANTS = (951_868_799.0, 1_609_459_200.0, 1_700_000_000.0, 1_718_454_615.0)
TEXTS = ("3\n1\n2\n", "", "one two\n\ntwo\n", "a,b\n1,2\n", "7", "x = 1\n# y\nz = 2\n")


def settings_asked(specification: Specification) -> tuple[str, ...]:
    """The settings that inputs of a function may have, as it needs them. Others are variables."""
    needs = needs_of(specification)
    asked = (needs.files, needs.stdin, needs.environment, needs.clocks)
    return tuple(name for name, is_asked in zip(SETTINGS, asked, strict=True) if is_asked)


def setting(statement: str, names: Collection[str] = SETTINGS) -> tuple[str, object] | None:
    """The name and value of a setting like ``files = {…}``, a literal; None for all else."""
    if len(statement) > CHARACTERS_MAX:
        return None
    match statements_read(statement):
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)] if name in names and is_literal(
            value
        ):
            return name, literal(value)
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
        time = None
        if now is not None:
            time = float(now) if isinstance(now, int | float) else moment_of(str(now))
            # The moment will have to be shown later.
            datetime.fromtimestamp(time, UTC)
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


def answered(calls: Sequence[Call], specification: Specification) -> tuple[Call, ...]:
    """The calls with mocks, if the function makes requests to the network; else all of them."""
    asks = bool(needs_of(specification).network)
    return tuple(call for call in calls if not asks or (call.scene and call.scene.mocks))


def _staged(call: Call, number: int, needs: Needs) -> Call:
    text = TEXTS[number % len(TEXTS)]
    if needs.stdin and not call.stdin:
        call = replace(call, stdin=text)
    scene = call.scene
    if scene is None and needs.files:
        names: list[str] = []
        for value in call.values:
            match value:
                case str():
                    names.append(value)
                case Scalar(type_name, path) if type_name.startswith("pathlib."):
                    names.append(path)
                case _:
                    pass
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


MOCKS_MAX = 10
OUTCOMES_MAX = 20


def mocks_of(declared: object, mockable: Collection[str]) -> tuple[Mock, ...] | None:
    """The mocks that a literal declares.

    None if any part of it has another form, or if it mocks a name that is not in `mockable`.
    """
    if not isinstance(declared, dict) or len(cast("dict[object, object]", declared)) > MOCKS_MAX:
        return None
    found: list[Mock] = []
    for name, outcomes in cast("dict[object, object]", declared).items():
        if not isinstance(name, str) or name not in mockable or not isinstance(outcomes, list):
            return None
        read = [_outcome(each) for each in cast("list[object]", outcomes)[: OUTCOMES_MAX + 1]]
        if not 1 <= len(read) <= OUTCOMES_MAX:
            return None
        made = [each[0] for each in read if each is not None]
        if len(made) < len(read):
            return None
        try:
            found.append(Mock(name, tuple(made)))
        except ValueError:  # the exception to raise is not a name
            return None
    return tuple(found)


def _outcome(declared: object) -> tuple[Value | Fault] | None:
    """A declared outcome, in a tuple of its own since it may be None; None if it is no outcome.

    The form is ``{"returns": value}``, ``{"object": {...}}``, or ``{"raises": "Type", "message":
    "text"}`` with or without a message.
    """
    if not isinstance(declared, dict):
        return None
    match cast("dict[object, object]", declared):
        case {"object": object() as parts, **rest} if not rest and isinstance(parts, dict):
            made = stand_in(cast("Mapping[object, object]", parts))
            return None if made is None else (made,)
        case {"returns": value, **rest} if not rest:
            return (cast("Value", value),)
        case {"raises": str(name), "message": str(message), **rest} if not rest:
            return (Fault(name, message),)
        case {"raises": str(name), **rest} if not rest:
            return (Fault(name),)
        case _:
            return None


def moment_of(text: str) -> float:
    """Seconds since 1970 of an ISO 8601 text, taken as UTC if it names no zone.

    Raises ValueError for any other text.
    """
    said = datetime.fromisoformat(text)
    return (said if said.tzinfo else said.replace(tzinfo=UTC)).timestamp()
