"""The server's settings: what the client may send, and how it is resolved.

Later ones win: the defaults, then `initializationOptions`, then the section `assay`, which the
client answers `workspace/configuration` with or pushes by `didChangeConfiguration`. The section is
live, so it takes precedence, except for `trusted`. The section may come from the very workspace
that is not trusted, so it can take trust back but not give it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import fields, replace

from assay_engine.config.settings import JudgeMode
from assay_engine.words import short
from assay_lsp.convert import is_path

SECTION = "assay"

_JUDGE_MODES = tuple(JudgeMode)
_UNKNOWN_SHOWN = 3
_LOG_LEVELS = ("debug", "info", "warning", "error")


class Trigger(StrEnum):
    """What starts a check besides a command."""

    # A save, for the functions that are new or changed since the last commit.
    CHANGED = "changed"
    SAVE = "save"
    MANUAL = "manual"


class ServerSettings(Struct, frozen=True):
    """Resolved settings. Paths are absolute; None means that the engine chooses."""

    interpreter: str | None = None
    replay: str | None = None
    trigger: Trigger = Trigger.CHANGED
    ask_above: int = 40
    code_lens: bool = True
    log_level: str = "warning"
    log_file: str | None = None
    judge: str | None = None
    # Limits under the names that messages use, as `{"tokens_per_day": 100_000}`.
    budget: Mapping[str, float] | None = None
    sampling: Mapping[str, float] | None = None
    offline: bool = False
    # None: the client has not sent it, and is taken not to know the setting.
    trusted: bool | None = None

    @property
    def may_run(self) -> bool:
        """Whether anything of the workspace may be run or sent."""
        return self.trusted is not False


def resolve(
    options: object, section: object, *, root: str | None
) -> tuple[ServerSettings, tuple[str, ...]]:
    """Settings from `initializationOptions` and the section, and complaints about what is unusable.

    Nothing here raises: an unusable value results in a complaint and leaves the former value.
    """
    complaints: list[str] = []
    settings = ServerSettings(trusted=_trusted(options, complaints))
    settings = _merged(settings, options, root, complaints, origin="initializationOptions")
    settings = _merged(settings, section, root, complaints, origin=f"the section {SECTION!r}")
    if isinstance(section, Mapping):
        trusted = cast("Mapping[object, object]", section).get("trusted")
        # Null does not take trust back: clients send it for unset values.
        if trusted not in (True, None):
            settings = replace(settings, trusted=False)
    return settings, tuple(complaints)


def names_settings(given: Mapping[str, object]) -> bool:
    """Whether any of the names is the name of a setting."""
    return not _FIELDS.keys().isdisjoint(given)


def _trusted(options: object, complaints: list[str]) -> bool | None:
    """Any value but true means no trust, including null, which is how Emacs spells false."""
    if not isinstance(options, Mapping) or "trusted" not in options:
        return None
    value = cast("Mapping[object, object]", options)["trusted"]
    if not isinstance(value, bool):
        complaints.append("trusted should be true or false; until then nothing is run or sent.")
    return value is True


def _merged(
    settings: ServerSettings, given: object, root: str | None, complaints: list[str], *, origin: str
) -> ServerSettings:
    if given is None:
        return settings
    if not isinstance(given, Mapping):
        complaints.append(f"{origin} should be an object with settings; it is ignored.")
        return settings
    unknown: list[str] = []
    for name, value in cast("Mapping[object, object]", given).items():
        field = _FIELDS.get(str(name))
        if field is None:
            unknown.append(repr(short(str(name))))
        elif value is not None and field != "trusted":
            kind, had = _KINDS[field], getattr(settings, field)
            if kind.accepts(value):
                settings = replace(settings, **{field: kind.converts(value, root)})
            else:
                stays = "what the project says" if had is None else had
                expected = kind.expectation.format(stays=stays)
                complaints.append(f"{_spelling(field)} should be {expected}.")
    if unknown:
        rest = len(unknown) - _UNKNOWN_SHOWN
        shown = ", ".join(unknown[:_UNKNOWN_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
        what = "no setting" if len(unknown) == 1 else "no settings"
        complaints.append(f"{shown} in {origin}: {what} of Assay; there are {', '.join(_FIELDS)}.")
    return settings


class _Kind(Struct, frozen=True):
    """Which values a setting accepts, how one is converted in a workspace with a root, and the
    complaint about any other, with a placeholder for the value that `stays`."""

    accepts: Callable[[object], bool]
    converts: Callable[[Any, str | None], object]
    expectation: str


def _path(value: str, root: str | None) -> str | None:
    """A path relative to the workspace; None if empty. A bare name is looked up on the PATH."""
    if not value:
        return None
    expanded = os.path.expanduser(value)
    if root is not None:
        expanded = expanded.replace("${workspaceFolder}", root)
        if os.sep in expanded:
            return str(Path(root, expanded))
    return expanded


def _spelling(field: str) -> str:
    """A field's name as editors spell it: `log_level` is `logLevel`."""
    first, *rest = field.split("_")
    return first + "".join(word.capitalize() for word in rest)


_FIELDS = {_spelling(field.name): field.name for field in fields(ServerSettings)}
_PATH = _Kind(
    lambda value: isinstance(value, str) and (not value or is_path(value)),
    _path,
    "a path; it is ignored",
)


def _are_numbers(value: object) -> bool:
    """Whether a value is an object of numbers; clients send null for each that is not set."""
    return isinstance(value, Mapping) and all(
        isinstance(each, int | float | None) and not isinstance(each, bool)
        for each in cast("Mapping[str, object]", value).values()
    )


_LIMITS = _Kind(
    _are_numbers,
    lambda value, _: {name: each for name, each in value.items() if each is not None} or None,
    "an object of numbers, by the names that messages use; it is ignored",
)
_BOOLEAN = _Kind(
    lambda value: isinstance(value, bool),
    lambda value, _: value,
    "true or false; it stays {stays}",
)
# All but `trusted`.
_KINDS = {
    "interpreter": _PATH,
    "replay": _PATH,
    "log_file": _PATH,
    "offline": _BOOLEAN,
    "judge": _Kind(
        # Empty, as with a path: the decision is left to others, here to the project.
        lambda value: value in (*_JUDGE_MODES, ""),
        lambda value, _: str(value) or None,
        f"one of {', '.join(_JUDGE_MODES)}; it stays {{stays}}",
    ),
    "trigger": _Kind(
        lambda value: value in tuple(Trigger),
        lambda value, _: Trigger(value),
        f"one of {', '.join(Trigger)}; it stays {{stays}}",
    ),
    "ask_above": _Kind(
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
        lambda value, _: value,
        "a number of requests, 0 or more; it stays {stays}",
    ),
    "code_lens": _BOOLEAN,
    "budget": _LIMITS,
    "sampling": _LIMITS,
    "log_level": _Kind(
        lambda value: isinstance(value, str) and value.lower() in _LOG_LEVELS,
        lambda value, _: value.lower(),
        f"one of {', '.join(_LOG_LEVELS)}; it stays {{stays}}",
    ),
}
