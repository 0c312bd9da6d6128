"""`assay compare`: whether functions do what another version of them does; no model, no key."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import replace
from typing_extensions import override

from assay_engine.check_unit import OtherVersion
from assay_engine.cli.checking import CheckRun
from assay_engine.cli.formats import FORMATS, Checked, Format, format_of
from assay_engine.cli.outcome import exit_code
from assay_engine.cli.output import say
from assay_engine.cli.places import name_from_root
from assay_engine.cli.since import Since
from assay_engine.cli.targets import named_version
from assay_engine.config.configuration import options_from
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
    changes = None if since is None else Since(since, os.environ)

    def version(source: SourceText) -> OtherVersion:
        return named_version(str(other), source)

    found = CheckRun(told, since=changes, other=version, compares=True)
    found.told(targets, options)
    sys.exit(exit_code(found.reports, found.unreadable))
