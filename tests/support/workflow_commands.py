"""Reads a log as the runner of GitHub Actions does (`ActionCommand.cs` of actions/runner)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FORMER = re.compile(r"##\[[^]]*\]")
_LINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Command:
    """What the runner would obey: `::name key=value,…::data`, with its escapes undone."""

    name: str
    properties: dict[str, str]
    data: str


def commands_in(log: str) -> list[Command]:
    """All that a runner would take for a command, of whatever name."""
    found = (_command(line) for line in _LINE.split(log))
    return [command for command in found if command is not None]


def _command(line: str) -> Command | None:
    told = line.lstrip()
    head, separator, data = told[2:].partition("::")
    if not told.startswith("::") or not separator:
        # What the runner obeyed before, it still does.
        former = _FORMER.search(line)
        return None if former is None else Command(former[0], {}, "")
    name, _, properties = head.partition(" ")
    pairs = (each.partition("=") for each in properties.split(",") if each)
    return Command(
        name, {key: _unescaped(value, property=True) for key, _, value in pairs}, _unescaped(data)
    )


def _unescaped(text: str, *, property: bool = False) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n")):
        text = text.replace(escape, character)
    if property:
        text = text.replace("%3A", ":").replace("%2C", ",")
    return text.replace("%25", "%")
