"""`assay check`: puts functions on trial and says what came out."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

import click
from msgspec.structs import replace

from assay_engine.cli.apply import apply_replacements
from assay_engine.cli.consent import ask_for_consent
from assay_engine.cli.json_report import to_json
from assay_engine.cli.progress import ProgressBar, terminal_progress
from assay_engine.cli.targets import BadTarget, Target, path_in, project_root, targets_of
from assay_engine.cli.text import report_lines, summary
from assay_engine.configuration import EngineOptions, excluded, options_from
from assay_engine.engine import Engine
from assay_engine.errors import AssayError
from assay_engine.reading.files import UnreadableFile, read_file
from assay_engine.reading.units import find_units
from assay_engine.recalling import PASSING
from assay_engine.settings import JudgeMode
from assay_engine.types import Report, Severity, SourceText, Status, Tier
from assay_engine.words import visible

CLEAN, FINDINGS, COULD_NOT_RUN = 0, 1, 2
_NOTHING_THERE = (
    "there is no Python file there that is not left out (`exclude`, .gitignore, environments)."
    " Name a file to check it."
)

# What to say of a report; the set collects what has been said of all functions alike.
Lines = Callable[[Report, set[str]], Iterator[str]]


@click.command()
@click.argument("targets", nargs=-1, metavar="[PATH | FILE::NAME | FILE:LINE]...")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text")
@click.option("-v", "--verbose", is_flag=True, help="Say what every verdict rests on and cost.")
@click.option(
    "-q", "--quiet", is_flag=True, help="Say nothing of functions that have nothing but hints."
)
@click.option("--record", metavar="FILE", help="Write the model's replies to a transcript.")
@click.option("--replay", metavar="FILE", help="Run from a transcript; send nothing.")
@click.option("--offline", is_flag=True, help="Send nothing; use the cache alone.")
@click.option("--apply", is_flag=True, help="Write selected replacements into the files.")
@click.option(
    "--judge/--no-judge",
    default=None,
    help="Ask a judge about every function that was compared or asks the network, or about none.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Check unchanged functions anew. Kept replies serve again if they could be used; in place "
    "of others the model is asked anew, which costs tokens.",
)
@click.option(
    "--tier",
    type=click.Choice([str(tier) for tier in Tier]),
    default=str(Tier.STANDARD),
    help="How much a check may cost: thorough triangulates, too.",
)
@click.option("--interpreter", metavar="PATH", help="The Python that the checked code runs under.")
def check(
    targets: tuple[str, ...],
    style: str,
    verbose: bool,
    quiet: bool,
    record: str | None,
    replay: str | None,
    offline: bool,
    apply: bool,
    judge: bool | None,
    again: bool,
    tier: str,
    interpreter: str | None,
) -> None:
    """Check the functions of files and folders (default: the current folder).

    Exits with 0 if there is no finding of severity warning or error, 1 if there is one, 2 if
    something could not be checked for a reason that may pass, such as an endpoint that is down.
    """
    if verbose and quiet:
        raise click.UsageError("--verbose and --quiet exclude each other")
    if record is not None and replay is not None:
        raise click.UsageError("--record and --replay exclude each other: nothing new would come")

    def lines(report: Report, said: set[str]) -> Iterator[str]:
        if style == "text" and not (quiet and _unremarkable(report)):
            yield from report_lines(report, said, verbose=verbose)

    options = replace(
        options_from(os.environ),
        interpreter=interpreter,
        replay=replay,
        record=record,
        offline=offline,
        judge=None if judge is None else (JudgeMode.ALWAYS if judge else JudgeMode.OFF),
    )
    reports: list[Report] = []
    unreadable: list[str] = []
    told: set[str] = set()
    try:
        for root, chosen in _projects(targets, options):
            if not chosen:
                _say([_NOTHING_THERE])
            with Engine.open(replace(options, root=root)) as engine:
                _say_once(engine.notices, told)
                found, unread = asyncio.run(_run(engine, chosen, root, lines, again, Tier(tier)))
                # What came up on the way: a full disk, say.
                _say_once(engine.notices, told)
            reports += found
            unreadable += unread
    except (AssayError, BadTarget) as failure:
        click.echo(f"assay: {visible(str(failure))}", err=True)
        sys.exit(COULD_NOT_RUN)
    if style == "json":
        click.echo(to_json(reports, unreadable))
    else:
        click.echo(summary(reports))
    for problem in unreadable:
        click.echo(f"assay: {visible(problem)}", err=True)
    if apply:
        for line in apply_replacements(reports):
            click.echo(visible(line), err=style == "json")
    sys.exit(_exit_code(reports, unreadable))


def _projects(
    arguments: Sequence[str], options: EngineOptions
) -> list[tuple[str, tuple[Target, ...]]]:
    """The targets by the root of their project, whose settings and modules are theirs.

    All are looked for before anything is checked. Raises `BadTarget`.
    """
    by_root: dict[str, list[str]] = {}
    for argument in arguments or (".",):
        by_root.setdefault(str(project_root(path_in(argument))), []).append(argument)
    return [
        (root, targets_of(own, excluded(replace(options, root=root))))
        for root, own in by_root.items()
    ]


def _say(notices: Iterable[str]) -> None:
    for notice in notices:
        click.echo(f"assay: {visible(notice)}", err=True)


def _say_once(notices: Sequence[str], told: set[str]) -> None:
    _say([notice for notice in notices if notice not in told])
    told.update(notices)


async def _run(
    engine: Engine, targets: Sequence[Target], root: str, lines: Lines, again: bool, tier: Tier
) -> tuple[list[Report], list[str]]:
    await ask_for_consent(engine)
    reports: list[Report] = []
    unreadable: list[str] = []
    said: set[str] = set()
    with _progress() as bar:
        async for report in _reports(engine, targets, root, again, tier, bar, unreadable):
            reports.append(report)
            told = list(lines(report, said))
            if len(told) > 1:
                told.append("")  # sets off what takes several lines
            if told:
                bar.print_above("\n".join(told))
    return reports, unreadable


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


def _exit_code(reports: Sequence[Report], unreadable: Sequence[str]) -> int:
    """What could not run outweighs findings: CI must not take half a check for a whole one."""
    if unreadable or any(map(_could_not_run, reports)):
        return COULD_NOT_RUN
    serious = (Severity.ERROR, Severity.WARNING)
    found = any(finding.severity in serious for report in reports for finding in report.findings)
    return FINDINGS if found else CLEAN


def _unremarkable(report: Report) -> bool:
    return not _could_not_run(report) and all(
        finding.severity is Severity.HINT for finding in report.findings
    )


def _could_not_run(report: Report) -> bool:
    """No verdict, for a reason that may be gone next time."""
    decided = report.verdict.status is not Status.ABSTAINED
    return not decided and any(problem.kind in PASSING for problem in report.problems)
