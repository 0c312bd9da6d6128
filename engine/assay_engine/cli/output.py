"""What a command prints and how it ends: lines for standard output, the progress of a check (a bar
on a terminal, nothing in a log), the outcome of a run and its exit status.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from assay_engine.check.report_cache import PASSING
from assay_engine.types import Problem, ProblemKind, Progress, Report, Severity, Status
from assay_engine.words import one_line


def obeyed_by_nobody(text: str) -> str:
    """The text on one line that neither a terminal nor a runner of CI takes for a command.

    Runners of GitHub Actions obey a line that begins with ``::``, behind blanks, too, or that holds
    ``##[``.
    """
    line = one_line(text).replace("##[", "##\\[")
    said = line.lstrip()
    return f"{line[: -len(said)]}\\{said}" if said.startswith("::") else line


def fails() -> bool:
    """Whether standard output takes nothing more; in that case, lead it away."""
    try:
        # The text that failed before may be gone from the buffer, so only another write tells.
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError:
        lead_away()
        return True
    return False


def unwritten(failure: OSError) -> str:
    reason = failure.strerror
    return f"the output cannot be written ({reason}); make room, or send it elsewhere"


def lead_away() -> None:
    """Lead standard output to nowhere: Python would try to write at its end, too, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


class ProgressBar:
    """A listener that shows no progress, for runs that nobody watches."""

    def __call__(self, progress: Progress, /) -> None:
        return

    def begin(self, file: int, files: int) -> None:
        """Begin with the functions of another file, number `file` of `files`."""

    def print_above(self, text: str) -> None:
        click.echo(text)


class _TerminalBar(ProgressBar):
    def __init__(self, bar: Bar, task: TaskID) -> None:
        self._bar = bar
        self._task = task
        self._file = ""

    def begin(self, file: int, files: int) -> None:
        self._file = f"file {file} of {files}, " if files > 1 else ""

    def __call__(self, progress: Progress, /) -> None:
        self._bar.update(
            self._task,
            total=progress.total,
            completed=progress.done,
            description=f"{self._file}{progress.qualname}: {progress.stage}",
        )

    def print_above(self, text: str) -> None:
        # The bar is on standard error: it is taken away while standard output is written.
        self._bar.stop()
        click.echo(text)
        self._bar.start()


@contextmanager
def terminal_progress() -> Generator[ProgressBar]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(bar_width=20), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _TerminalBar(bar, bar.add_task("", total=None))


DONE, FINDINGS, COULD_NOT_RUN = 0, 1, 2


def exit_code(reports: Sequence[Report], unreadable: Sequence[str]) -> int:
    """The exit code. A check that could not run outweighs findings: CI must not take half a check
    for a whole one."""
    if unreadable or any(map(could_not_run, reports)):
        return COULD_NOT_RUN
    serious = (Severity.ERROR, Severity.WARNING)
    found = any(finding.severity in serious for report in reports for finding in report.findings)
    return FINDINGS if found else DONE


def could_not_run(report: Report) -> bool:
    """Whether the function has no verdict, for a reason that may be gone next time."""
    return bool(passing_problems(report))


def passing_problems(report: Report) -> tuple[Problem, ...]:
    """The problems that kept the function from having a verdict and may be gone next time."""
    if report.verdict.status is not Status.ABSTAINED:
        return ()
    return tuple(problem for problem in report.problems if problem.kind in PASSING)


def has_no_docstring(report: Report) -> bool:
    """Whether the function lacks a docstring. Many do, and nobody expects a word about each."""
    return any(problem.kind is ProblemKind.NO_DOCSTRING for problem in report.problems)
