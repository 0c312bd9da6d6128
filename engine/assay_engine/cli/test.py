"""`assay test`: saves what a check has shown as a test of the project's own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from assay_engine.cli.finding_reports import NoReport, Recalled, printed_reports, recalled
from assay_engine.cli.output import COULD_NOT_RUN, complain, say, show
from assay_engine.errors import AssayError
from assay_engine.files.source_files import UnreadableFile, read_file, write_file
from assay_engine.fixes.saving import SavedTest, chosen, saved_test
from assay_engine.messages.fixes import no_test_phrase
from assay_engine.splicing import apply_edits
from assay_engine.splicing.edits import unified_diff
from assay_engine.types import Problem

CANDIDATES, FUNCTION = "candidates", "function"


@click.command("test", short_help="Save the result of a check as a test for pytest.")
@click.argument("target", metavar="FILE::NAME | FILE:LINE")
@click.option(
    "--expect",
    type=click.Choice([CANDIDATES, FUNCTION]),
    default=CANDIDATES,
    help="Whose outcome is right: the candidates' (the default), or the function's.",
)
@click.option("--write", is_flag=True, help="Write the test into the project's tests.")
@click.option(
    "--report",
    metavar="FILE",
    help="Read the report from a file that `assay check --format json` printed.",
)
def save_test(target: str, expect: str, write: bool, report: str | None) -> None:
    """Show a test for pytest of the input on which a function differs, as its report has it.

    It is printed as a difference, or written with --write, where the project keeps its tests and
    as it writes them. Nothing is sent, and nothing of the project is run.
    """
    try:
        printed = None if report is None else printed_reports(Path(report))
        found, *others = recalled((target,), printed)
        if others:
            raise NoReport(f"{target} names several functions. Name one: FILE::NAME.")
        saved = _saved(found, expect)
        if not saved.edits:
            say(f"{saved.path}: {saved.name} is there already")
        elif write:
            _write(saved)
            say(f"{saved.path}: the test is written")
        else:
            after = apply_edits(saved.before or "", saved.edits)
            name = os.path.relpath(saved.path)
            show(unified_diff(name, saved.before or "", after).removesuffix("\n"))
    except AssayError as failure:
        complain(str(failure))
        sys.exit(COULD_NOT_RUN)


def _saved(found: Recalled, expect: str) -> SavedTest:
    report = found.report
    number = chosen(report.expectations, of_function=expect == FUNCTION)
    if number is None:
        raise NoReport(f"There is no test of {report.qualname} to save: {no_test_phrase(report)}.")
    saved = saved_test(found.source, report, number)
    if isinstance(saved, Problem):
        raise NoReport(saved.message)
    return saved


def _write(saved: SavedTest) -> None:
    path = Path(saved.path)
    after = apply_edits(saved.before or "", saved.edits)
    try:
        if saved.before is None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(after)
        else:
            write_file(read_file(path), after)
    except (OSError, UnreadableFile, UnicodeError) as failure:
        raise AssayError(f"{path} cannot be written ({failure}).") from failure
