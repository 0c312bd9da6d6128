"""Shows the progress of a check: a bar on a terminal, nothing in a log."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from assay_engine.types import Progress

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
