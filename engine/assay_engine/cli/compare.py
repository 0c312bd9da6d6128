"""`assay compare`: whether functions do what another version of them does; no model, no key."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import replace
from typing_extensions import override

from assay_engine.cli.check import stopped_alike
from assay_engine.cli.checking import projects
from assay_engine.cli.formats import FORMATS, Checked, Format, format_of
from assay_engine.cli.outcome import exit_code
from assay_engine.cli.output import complain, say
from assay_engine.cli.places import name_from_root
from assay_engine.cli.since import Since
from assay_engine.cli.targets import Target, named_version
from assay_engine.config.configuration import EngineOptions, options_from
from assay_engine.engine import Engine
from assay_engine.errors import AssayError
from assay_engine.files.source_files import read_file
from assay_engine.syntax.units import find_units
from assay_engine.types import Report, SourceText
from assay_engine.words import count


class _Text(Format, frozen=True, kw_only=True):
    @override
    def say(self, line: str) -> None:
        say(line)

    @override
    def of_report(self, report: Report, text: str, said: set[str]) -> Iterator[str]:
        head = f"{report.path}:{report.line} {report.qualname}:"
        for finding in report.findings if report.versions else ():
            yield f"{head} differs"
            yield f"  {finding.code} {finding.severity}: {finding.message}"
        if report.versions is not None and not report.versions.differs:
            inputs = count(report.versions.inputs_accepted, "input")
            yield f"{head} no difference on {inputs}"
        for problem in report.problems:
            yield f"{head} not compared: {problem.message}"

    @override
    def of_all(self, checked: Checked) -> Iterator[str]:
        compared = [each.versions for each in checked.reports if each.versions is not None]
        differing = sum(each.differs for each in compared)
        left = len(checked.reports) - len(compared)
        same = len(compared) - differing
        functions = count(len(checked.reports), "function")
        yield f"{functions}: {differing} differ, {same} the same, {left} not compared"


@click.command(short_help="Compare functions with another version of them; no model.")
@click.argument("targets", nargs=-1, metavar="[PATH | FILE::NAME | FILE:LINE]...")
@click.option(
    "--since",
    metavar="REVISION",
    help="Compare functions that changed since the merge base of a git revision and HEAD.",
)
@click.option("--with", "other", metavar="FILE::NAME", help="Compare one function with another.")
@click.option("--format", "style", type=click.Choice(FORMATS), default="text")
@click.option("--interpreter", metavar="PATH", help="The Python that the code runs under.")
def compare(
    targets: tuple[str, ...],
    since: str | None,
    other: str | None,
    style: str,
    interpreter: str | None,
) -> None:
    """Run two versions of functions on the same inputs, and tell where they differ.

    Exits with 0 if no difference is found, 1 if there is one, 2 if something could not be compared
    for a reason that may pass.
    """
    if (since is None) == (other is None):
        raise click.UsageError("Say what to compare with: --since REVISION or --with FILE::NAME.")
    if other is not None and (len(targets) != 1 or "::" not in targets[0] or "::" not in other):
        raise click.UsageError("--with compares one FILE::NAME with another FILE::NAME.")

    def name(path: str) -> str:
        return name_from_root(Path(path), Path.cwd())

    told: Format = (
        _Text() if style == "text" else format_of(style, name, verbose=False, quiet=False)
    )
    options = replace(options_from(os.environ), interpreter=interpreter)
    reports: list[Report] = []
    unreadable: list[str] = []
    texts: dict[str, str] = {}
    try:
        with stopped_alike():
            changes = None if since is None else Since(since, os.environ)
            _run(targets, changes, other, options, told, (reports, unreadable, texts))
    except AssayError as failure:
        unreadable.append(str(failure))
    except KeyboardInterrupt:
        unreadable.append("stopped")
    told.say_unreadable(unreadable)
    for line in told.of_all(Checked(reports, unreadable, texts)):
        told.say(line)
    sys.exit(exit_code(reports, unreadable))


def _run(
    targets: tuple[str, ...],
    changes: Since | None,
    other: str | None,
    options: EngineOptions,
    told: Format,
    found: tuple[list[Report], list[str], dict[str, str]],
) -> None:
    reports, unreadable, texts = found
    said = set[str]()

    async def one(engine: Engine, own: tuple[Target, ...], root: str) -> None:
        path = own[0].path
        source = SourceText(str(path), read_file(path).text, root)
        texts[source.path] = source.text
        units, faults = find_units(source.text)
        unreadable.extend(f"{path}: {fault.message}" for fault in faults)
        unreadable.extend(filter(None, (each.missing(source.text, units) for each in own)))
        selections = [each.selects(source.text, units) for each in own]
        version = (
            changes.former(source) if changes is not None else named_version(str(other), source)
        )
        async for report in engine.compare(
            source, version, only=lambda unit: any(selects(unit) for selects in selections)
        ):
            reports.append(report)
            for line in told.of_report(report, source.text, said):
                told.say(line)

    for root, files in projects(targets, options):
        due = files if changes is None else changes.narrowed(files)
        if not due:
            since = "" if changes is None else changes.revision
            complain(f"no function has changed since {since}.")
            continue
        with Engine.open(replace(options, root=root)) as engine:
            for own in due:
                asyncio.run(one(engine, own, root))
            for notice in engine.notices:
                complain(notice)
