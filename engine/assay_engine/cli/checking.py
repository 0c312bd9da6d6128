"""Checks what was named, project by project, and says reports as they come."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

import click
from msgspec import Struct, field
from msgspec.structs import replace

from assay_engine.cli.consent import ask_for_consent
from assay_engine.cli.progress import ProgressBar, terminal_progress
from assay_engine.cli.targets import Target, path_in, project_root, targets_of
from assay_engine.configuration import EngineOptions, excluded, settings_for
from assay_engine.engine import Engine
from assay_engine.reading.files import UnreadableFile, read_file
from assay_engine.reading.units import find_units
from assay_engine.types import Report, SourceText, Tier
from assay_engine.words import visible

_NOTHING_THERE = (
    "there is no Python file there that is not left out (`exclude`, .gitignore, environments)."
    " Name a file to check it."
)

# What to say of a report; the set collects what has been said of all functions alike.
Lines = Callable[[Report, set[str]], Iterator[str]]


class Found(Struct):
    """What is finished so far, and what could not be read."""

    reports: list[Report] = field(default_factory=list[Report])
    unreadable: list[str] = field(default_factory=list[str])


def check_projects(
    targets: Sequence[str],
    options: EngineOptions,
    found: Found,
    lines: Lines,
    again: bool,
    tier: Tier,
) -> None:
    """Adds to `found` as it goes. Raises `BadTarget` and `AssayError`."""
    told: set[str] = set()
    for root, chosen in _projects(targets, options):
        if not chosen:
            say([_NOTHING_THERE])
        with Engine.open(replace(options, root=root)) as engine:
            _say_once(engine.notices, told)
            asyncio.run(_run(engine, chosen, root, found, lines, again, tier))
            # What came up on the way: a full disk, say.
            _say_once(engine.notices, told)


def _projects(
    arguments: Sequence[str], options: EngineOptions
) -> list[tuple[str, tuple[Target, ...]]]:
    """The targets by the root of their project, whose settings and modules are theirs.

    All are looked for before anything is checked, and their settings read: what is wrong with the
    last of them is said before the first has cost anything. Raises `BadTarget` and
    `ConfigurationError`.
    """
    by_root: dict[str, list[str]] = {}
    for argument in arguments or (".",):
        by_root.setdefault(str(project_root(path_in(argument))), []).append(argument)
    for root in by_root:
        settings_for(replace(options, root=root))
    return [
        (root, targets_of(own, excluded(replace(options, root=root))))
        for root, own in by_root.items()
    ]


def say(notices: Iterable[str]) -> None:
    for notice in notices:
        click.echo(f"assay: {visible(notice)}", err=True)


def _say_once(notices: Sequence[str], told: set[str]) -> None:
    say([notice for notice in notices if notice not in told])
    told.update(notices)


async def _run(
    engine: Engine,
    targets: Sequence[Target],
    root: str,
    found: Found,
    lines: Lines,
    again: bool,
    tier: Tier,
) -> None:
    await ask_for_consent(engine)
    said: set[str] = set()
    with _progress() as bar:
        async for report in _reports(engine, targets, root, again, tier, bar, found.unreadable):
            found.reports.append(report)
            told = list(lines(report, said))
            if len(told) > 1:
                told.append("")  # sets off what takes several lines
            if told:
                bar.print_above("\n".join(told))


async def _reports(
    engine: Engine,
    targets: Sequence[Target],
    root: str,
    again: bool,
    tier: Tier,
    bar: ProgressBar,
    unreadable: list[str],
) -> AsyncIterator[Report]:
    for target in targets:
        try:
            file = read_file(target.path)
        except UnreadableFile as problem:
            unreadable.append(str(problem))
            continue
        source = SourceText(str(target.path), file.text, root)
        units, faults = find_units(file.text)
        unreadable += [f"{target.path}: {fault.message}" for fault in faults]
        selects = target.selects(file.text, units)
        found: list[Report] = []
        async for report in engine.check(source, only=selects, listen=bar, again=again, tier=tier):
            found.append(report)
            if not engine.judges:
                yield report
        if engine.judges:
            judged = engine.judge(source, found, listen=bar, tier=tier)
            opinions = {each.qualname: each async for each in judged}
            for report in found:
                yield opinions.get(report.qualname, report)
        if selects is not None and not found:
            by_name = f"{target.qualname or 'without a name'} with a body"
            wanted = by_name if target.line is None else f"at line {target.line}"
            unreadable.append(f"{target.path}: no function {wanted} there")


def _progress() -> AbstractContextManager[ProgressBar]:
    return terminal_progress() if sys.stderr.isatty() else nullcontext(ProgressBar())
