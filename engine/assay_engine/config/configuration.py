"""Where settings come from: defaults, the user's file, `[tool.assay]` of the project, the caller.

Settings that decide where code is sent and how it is confined are never taken from the project: the
author of a checked file must not be able to choose them. A project may lower what a check costs and
uses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
import platformdirs
from msgspec import Struct, field
from msgspec.structs import fields, replace

from assay_engine.advice import Advice
from assay_engine.config.did_you_mean import SHOWN_MAX, misnamed
from assay_engine.config.provenance import may_have_come_along
from assay_engine.config.settings import (
    BOUNDS,
    Budget,
    EndpointSettings,
    Execution,
    JudgeMode,
    Redacted,
    Sampling,
    Settings,
    Thorough,
)
from assay_engine.errors import ConfigurationError
from assay_engine.files.bounded import is_file, is_folder, is_there, read_toml, real
from assay_engine.files.patterns import is_pattern
from assay_engine.types import EditorOffer
from assay_engine.words import listed, short

UNCONFINED_VARIABLE = "ASSAY_RUN_UNCONFINED"
UNCONFINED_VALUE = "i-accept-that-programs-can-do-anything-i-can"
USER_SETTINGS_VARIABLE = "ASSAY_SETTINGS"
_NOT_FROM_FILES = {"unconfined"}
# Every other number bounds what a check costs and uses. A project may lower it; only the user may
# raise it.
_NO_COST = "sampling.temperature"
_SECTIONS = ("sampling", "budget", "execution", "thorough")

Section = TypeVar("Section", Sampling, Budget, Execution, Thorough)


class EngineOptions(Redacted, frozen=True):
    """The choices of the caller, a command line or an editor. The environment is handed in."""

    # The environment contains API keys.
    HIDDEN = frozenset(("environment",))

    interpreter: str | None = None
    replay: str | None = None
    record: str | None = None
    offline: bool = False
    # Whether what has changed since the last commit also runs as it was there.
    beside_commit: bool = False
    judge: str | None = None
    root: str | None = None
    # Whether the user has said that they trust whoever wrote the project.
    trusted: bool = False
    # The user's own file of settings; it need not exist, unless the environment names it.
    user_settings: str | None = None
    # Limits of the user's own, as tables of a file of settings: an editor's. They take precedence.
    limits: Mapping[str, Mapping[str, object]] = field(
        default_factory=dict[str, Mapping[str, object]]
    )
    store_path: str | None = None
    # For how long not to look again after no model server was found on this machine.
    look_again_seconds: float = math.inf
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    # The models of the editor that its user has chosen for Assay. They take precedence.
    editor_models: tuple[EditorOffer, ...] = ()


class ResolvedSettings(Struct, frozen=True):
    """Settings, and a sentence for each thing that a project asked for in vain."""

    settings: Settings
    notices: tuple[str, ...] = ()
    endpoint: EndpointSettings | None = None


def _user_settings_path(environment: Mapping[str, str]) -> str:
    """The path where the user's own settings are, or would be."""
    return environment.get(USER_SETTINGS_VARIABLE) or _usual_settings_path()


def _usual_settings_path() -> str:
    return str(Path(platformdirs.user_config_dir("assay"), "settings.toml"))


def _came_along(options: EngineOptions) -> bool:
    """Whether the user's own settings, which nobody has named, may have come with the project."""
    path = options.user_settings
    named = options.environment.get(USER_SETTINGS_VARIABLE)
    if named or path is None or path != _usual_settings_path():
        return False
    return may_have_come_along(Path(path), options.root)


def unused(options: EngineOptions) -> str:
    """A sentence if the user's own settings are not used; empty if they are."""
    if not _came_along(options):
        return ""
    return (
        f"{options.user_settings} is not used: it is in the project or outside your home folder, "
        f"so the project could have supplied it. To use it, name it in {USER_SETTINGS_VARIABLE}."
    )


def options_from(environment: Mapping[str, str]) -> EngineOptions:
    """The options that the environment sets. Callers add the rest."""
    return EngineOptions(
        user_settings=_user_settings_path(environment),
        store_path=environment.get("ASSAY_STORE"),
        environment=dict(environment),
    )


def settings_for(options: EngineOptions) -> ResolvedSettings:
    """The settings that hold for these options.

    Raises `ConfigurationError`, naming the file and the setting.
    """
    own, endpoint = Settings(), None
    came_along = _came_along(options)
    if options.user_settings is not None and not came_along:
        path = Path(options.user_settings)
        table = _read(path)
        if options.environment.get(USER_SETTINGS_VARIABLE) and not is_there(path):
            raise ConfigurationError(
                f"{path} (named by {USER_SETTINGS_VARIABLE}) does not exist, so its limits would "
                "not apply. Fix the name, or unset it."
            )
        own = _changed(own, table, str(path), ("judge", "endpoint"), "")
        endpoint = _endpoint(table, path)
    own = _changed(own, options.limits, "the editor's settings", (), "")
    project, where = _project_table(options.root), "[tool.assay] in pyproject.toml"
    wanted = _changed(own, project, where, ("judge", "exclude"), "tool.assay.")
    settings, capped = _within(wanted, own)
    if options.judge is not None:
        settings = replace(settings, judge=_judge_mode(options.judge, "the command line or editor"))
        capped = [each for each in capped if each != "judge"]
    if options.environment.get(UNCONFINED_VARIABLE) == UNCONFINED_VALUE:
        settings = replace(settings, execution=replace(settings.execution, unconfined=True))
    notices = _notices(capped, wanted, settings, options)
    if came_along and is_file(Path(str(options.user_settings))):
        notices.append(unused(options))
    return ResolvedSettings(settings, tuple(notices), endpoint)


def project_root(path: Path) -> Path:
    """The nearest folder at or above the path that looks like a project.

    Without one, it is the folder that contains the file's outermost package, or the file's own
    folder if the file is in no package.
    """
    start = real(path)
    folder = start if is_folder(start) else start.parent
    for candidate in (folder, *folder.parents):
        if is_file(candidate / "pyproject.toml") or is_there(candidate / ".git"):
            return candidate
    while is_file(folder / "__init__.py") and folder != folder.parent:
        folder = folder.parent
    return folder


def excluded(root: str) -> tuple[str, ...]:
    """Patterns, as in .gitignore, of files of a project that are not to be checked.

    Raises `ConfigurationError`.
    """
    where = f"{Path(root, 'pyproject.toml')}: [tool.assay] exclude"
    patterns = _project_table(root).get("exclude", [])
    if not isinstance(patterns, list) or not all(
        isinstance(pattern, str) for pattern in cast("list[object]", patterns)
    ):
        raise ConfigurationError(f"{where} must be a list of patterns.")
    found = tuple(cast("list[str]", patterns))
    wrong = [short(repr(pattern)) for pattern in found if not is_pattern(pattern)]
    if wrong:
        none = "which is not a pattern" if len(wrong) == 1 else "which are not patterns"
        it = "it" if len(wrong) == 1 else "them"
        raise ConfigurationError(
            f"{where} holds {listed(wrong, SHOWN_MAX)}, {none}. Write {it} as in .gitignore."
        )
    return found


def _endpoint(table: Mapping[str, object], path: Path) -> EndpointSettings | None:
    if (given := table.get("endpoint")) is None:
        return None
    try:
        found = msgspec.convert(given, EndpointSettings)
        flaw = found.flaw
    except msgspec.ValidationError as failure:
        found, flaw = None, str(failure)
    if flaw:
        raise ConfigurationError(
            f"{path}: [endpoint] cannot be used: {flaw}. Correct it, or {Advice.SET_UP}."
        )
    return found


def _within(wanted: Settings, own: Settings) -> tuple[Settings, list[str]]:
    """The settings that a project asks for, within the bounds of the user's own.

    The second value holds the names of the settings that are beyond them.
    """
    found, capped = wanted, list[str]()
    for section, name in (each.split(".") for each in BOUNDS if each != _NO_COST):
        asked, most = getattr(found, section), getattr(getattr(own, section), name)
        if getattr(asked, name) > most:
            found = replace(found, **{section: replace(asked, **{name: most})})
            capped.append(f"{section}.{name}")
    modes = list(JudgeMode)
    if modes.index(wanted.judge) > modes.index(own.judge):
        found, capped = replace(found, judge=own.judge), [*capped, "judge"]
    return found, capped


def _notices(
    capped: list[str], wanted: Settings, settings: Settings, options: EngineOptions
) -> list[str]:
    where = options.user_settings or "your settings"
    return [
        f"The project asks for {name} = {_value(wanted, name)}, and {_value(settings, name)} is "
        f"used: a project may only lower what a check costs and uses. To allow more, set it in "
        f"{where}."
        for name in capped
    ]


def _value(settings: Settings, name: str) -> object:
    value: object = settings
    for part in name.split("."):
        value = getattr(value, part)
    return str(value) if isinstance(value, StrEnum) else value


def _project_table(root: str | None) -> dict[str, object]:
    if root is None:
        return {}
    path = Path(root, "pyproject.toml")
    tool = _read(path).get("tool", {})
    table = cast("dict[str, object]", tool).get("assay", {}) if isinstance(tool, dict) else None
    if not isinstance(table, dict):
        raise ConfigurationError(f"{path}: [tool.assay] must be a table.")
    return cast("dict[str, object]", table)


def _read(path: Path) -> dict[str, object]:
    """The contents of a file of settings; empty if the file does not exist."""
    try:
        return read_toml(path)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as failure:
        reason = getattr(failure, "strerror", None) or failure
        raise ConfigurationError(f"{path} cannot be read: {reason}. Fix it.") from failure


def _changed(
    settings: Settings,
    table: Mapping[str, object],
    where: str,
    others: tuple[str, ...],
    inside: str,
) -> Settings:
    known = {section: _names(getattr(settings, section)) for section in _SECTIONS}
    wrong = [*filter(None, [misnamed(table, known, others, where, inside)])]
    given = {section: _section(table.get(section, {}), section, where, wrong) for section in known}
    changes: dict[str, Any] = {
        section: replace(
            getattr(settings, section),
            **_numbers(entries, getattr(settings, section), section, where, wrong),
        )
        for section, entries in given.items()
    }
    if "judge" in table:
        try:
            changes["judge"] = _judge_mode(table["judge"], where)
        except ConfigurationError as failure:
            wrong.append(str(failure))
    if wrong:
        # Tell all the mistakes at once, so that the user can mend them together.
        raise ConfigurationError(" ".join(wrong))
    return replace(settings, **changes)


def _names(section: Section) -> set[str]:
    return {entry.name for entry in fields(section)} - _NOT_FROM_FILES


def _judge_mode(given: object, where: str) -> JudgeMode:
    if given not in list(JudgeMode):
        raise ConfigurationError(
            f"{where}: judge must be one of {', '.join(JudgeMode)}, not {given!r}."
        )
    return JudgeMode(str(given))


def _section(given: object, name: str, where: str, wrong: list[str]) -> dict[str, object]:
    """What a table sets. If it is not a table: nothing, with a sentence added to `wrong`."""
    if isinstance(given, dict):
        return cast("dict[str, object]", given)
    wrong.append(f"{where}: {name} must be a table.")
    return {}


def _numbers(
    given: Mapping[str, object], before: Section, name: str, where: str, wrong: list[str]
) -> dict[str, int | float]:
    """The numbers that a table sets. A sentence is added to `wrong` for each invalid value."""
    found: dict[str, int | float] = {}
    known = _names(before)
    for key in filter(known.__contains__, given):
        try:
            found[key] = _number(given[key], getattr(before, key), f"{name}.{key}", where)
        except ConfigurationError as failure:
            wrong.append(str(failure))
    return found


def _number(value: object, before: object, name: str, where: str) -> int | float:
    whole = isinstance(before, int)
    least, most = BOUNDS[name]
    if (
        isinstance(value, bool)
        or not isinstance(value, int if whole else int | float)
        or not math.isfinite(value)
        or not least <= value <= most
    ):
        kind = "a whole number" if whole else "a number"
        raise ConfigurationError(
            f"{where}: {name} must be {kind} from {least} to {most}, not {value!r}."
        )
    return int(value) if whole else float(value)
