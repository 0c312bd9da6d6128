"""The console script: runs the command, and is the last net for errors that no command expected."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from traceback import extract_tb

import click

from assay_engine.cli import output
from assay_engine.cli.commands import cli
from assay_engine.cli.exit_status import COULD_NOT_RUN


def main() -> None:
    """The console script. Exit codes: 0 clean, 1 findings, 2 could not run."""
    # Reports quote any text; a terminal that cannot show it must not end the run.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        cli()
    except Exception as failure:
        if isinstance(failure, OSError) and output.fails():
            click.echo(f"assay: {output.unwritten(failure)}.", err=True)
            sys.exit(COULD_NOT_RUN)
        # The last net: an error that the command did not expect ends in a sentence, too.
        where = extract_tb(failure.__traceback__)[-1]
        click.echo(
            f"assay: internal error: {type(failure).__name__} in "
            f"{Path(where.filename).name}, line {where.lineno}: {failure}. Please report this, "
            "with what you ran.",
            err=True,
        )
        sys.exit(COULD_NOT_RUN)
