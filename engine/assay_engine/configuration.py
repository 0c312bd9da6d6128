"""Where settings come from: defaults, then `[tool.assay]` of the project, then the environment.

What decides where code is sent and how it is confined is never taken from the project: whoever
wrote the file that is checked must not be able to choose it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from assay_engine.bounded import read_bytes
from assay_engine.errors import ConfigurationError
from assay_engine.settings import (
    CANDIDATES_MIN,
    Budget,
    Endpoint,
    Execution,
    JudgeMode,
    Sampling,
    Settings,
    Thorough,
)

UNCONFINED_VARIABLE = "ASSAY_RUN_UNCONFINED"
UNCONFINED_VALUE = "i-accept-that-programs-can-do-anything-i-can"
KEY_VARIABLES = ("ASSAY_API_KEY", "OPENAI_API_KEY")
MODEL_VARIABLES = ("ASSAY_MODEL", "OPENAI_MODEL")
_NOT_FROM_PROJECT = {"unconfined"}

Section = TypeVar("Section", Sampling, Budget, Execution, Thorough)


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """What the caller decides: a command line or an editor. The environment is handed in."""

    interpreter: str | None = None
    replay: str | None = None
    record: str | None = None
    offline: bool = False
    judge: str | None = None
    root: str | None = None
    # Whether the user has said that they trust whoever wrote the project.
    trusted: bool = False
    store_path: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


def settings_for(options: EngineOptions) -> Settings:
    """Raises `ConfigurationError`, naming the file and the setting."""
    table = _project_table(options.root)
    settings = Settings(
        sampling=_section(Sampling(), table, "sampling"),
        budget=_section(Budget(), table, "budget"),
        execution=_section(Execution(), table, "execution"),
        judge=_judge(options.judge if options.judge is not None else table.get("judge")),
        thorough=_section(Thorough(), table, "thorough"),
    )
    if settings.sampling.candidates < CANDIDATES_MIN:
        raise ConfigurationError(
            f"[tool.assay.sampling] candidates must be at least {CANDIDATES_MIN}: "
            "fewer can never decide anything."
        )
    unknown = set(table) - {"sampling", "budget", "execution", "thorough", "exclude", "judge"}
    if unknown:
        raise ConfigurationError(
            f"[tool.assay] has no setting {sorted(unknown)[0]!r}. See docs/configuration.md."
        )
    if options.environment.get(UNCONFINED_VARIABLE) == UNCONFINED_VALUE:
        settings = replace(settings, execution=replace(settings.execution, unconfined=True))
    return settings


def excluded(options: EngineOptions) -> tuple[str, ...]:
    """Patterns, as in .gitignore, of files that are not to be checked."""
    patterns = _project_table(options.root).get("exclude", [])
    if not isinstance(patterns, list) or not all(
        isinstance(pattern, str) for pattern in cast("list[object]", patterns)
    ):
        raise ConfigurationError("[tool.assay] exclude must be a list of patterns.")
    return tuple(cast("list[str]", patterns))


def endpoint_from(environment: Mapping[str, str]) -> Endpoint | None:
    """The endpoint that the environment names; None if it names no base URL.

    A key alone chooses nothing: code is sent only where somebody said it may go.
    """
    base_url = environment.get("ASSAY_BASE_URL") or environment.get("OPENAI_BASE_URL")
    if not base_url:
        return None
    model = _first(environment, MODEL_VARIABLES)
    if not model:
        raise ConfigurationError(
            f"ASSAY_MODEL is not set. Name the model to use at {base_url} in it."
        )
    return Endpoint(base_url, model, _first(environment, KEY_VARIABLES))


def _first(environment: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((environment[name] for name in names if environment.get(name)), "")


def _project_table(root: str | None) -> dict[str, object]:
    if root is None:
        return {}
    path = Path(root, "pyproject.toml")
    try:
        text = read_bytes(path).decode("utf-8")
        table: Any = tomllib.loads(text).get("tool", {}).get("assay", {})
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, AttributeError) as failure:
        raise ConfigurationError(f"{path} cannot be read: {failure}. Mend it.") from failure
    if not isinstance(table, dict):
        raise ConfigurationError(f"{path}: [tool.assay] must be a table.")
    return cast("dict[str, object]", table)


def _judge(given: object) -> JudgeMode:
    if given is None:
        return JudgeMode.OFF
    if given not in list(JudgeMode):
        raise ConfigurationError(f"judge must be one of {', '.join(JudgeMode)}, not {given!r}.")
    return JudgeMode(str(given))


def _section(defaults: Section, table: Mapping[str, object], name: str) -> Section:
    given = table.get(name, {})
    if not isinstance(given, dict):
        raise ConfigurationError(f"[tool.assay.{name}] must be a table.")
    known = {entry.name for entry in fields(defaults)} - _NOT_FROM_PROJECT
    changes: dict[str, Any] = {}
    for key, value in cast("dict[str, object]", given).items():
        if key not in known:
            raise ConfigurationError(
                f"[tool.assay.{name}] has no setting {key!r}; it has {', '.join(sorted(known))}."
            )
        changes[key] = _number(value, getattr(defaults, key), f"{name}.{key}")
    return replace(defaults, **changes)


def _number(value: object, default: object, name: str) -> int | float:
    wanted = (int,) if isinstance(default, int) else (int, float)
    if isinstance(value, bool) or not isinstance(value, wanted) or value < 0:
        kind = "a whole number" if wanted == (int,) else "a number"
        raise ConfigurationError(f"[tool.assay] {name} must be {kind} that is not negative.")
    return type(default)(value) if isinstance(default, int | float) else value
