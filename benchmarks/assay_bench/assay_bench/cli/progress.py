"""Shows the progress of a measurement."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from assay_engine.cli.output import console


def progress(total: int) -> AbstractContextManager[Callable[[str], None]]:
    """A bar on a terminal, nothing elsewhere. Call what it yields with a name per finished step."""
    return _terminal_progress(total) if sys.stderr.isatty() else nullcontext(_unseen)


def _unseen(_task: str) -> None:
    return


@contextmanager
def _terminal_progress(total: int) -> Generator[Callable[[str], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console(), transient=True) as bar:
        shown = bar.add_task("", total=total)
        yield lambda task: bar.update(shown, advance=1, description=task)
