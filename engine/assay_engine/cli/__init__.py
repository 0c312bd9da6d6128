"""The command line: the editor's twin for terminals and CI."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING

import click

from assay_engine.cli.exit_status import COULD_NOT_RUN

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

COMMANDS = {
    "bench": "assay_engine.cli.bench:bench",
    "check": "assay_engine.cli.check:check",
    "consent": "assay_engine.cli.consent:consent",
    "doctor": "assay_engine.cli.doctor:doctor",
    "sandbox": "assay_engine.cli.sandbox:sandbox",
    "schema": "assay_engine.cli.schema:schema",
}
GROUP = "assay.commands"


class _Commands(click.Group):
    """Loads a subcommand when it is called, so that `assay server` pays for nothing else."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*COMMANDS, *(entry.name for entry in _others())])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            module, _, attribute = COMMANDS[cmd_name].partition(":")
            return getattr(import_module(module), attribute)
        for entry in _others():
            if entry.name == cmd_name:
                return entry.load()
        return None

    def invoke(self, ctx: click.Context) -> object:
        # What ends a command early is not left to click, which exits with `FINDINGS` then.
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            click.echo("assay: stopped", err=True)
            sys.exit(COULD_NOT_RUN)
        except BrokenPipeError:
            # Who reads it has seen enough: there is nobody to tell.
            _lead_output_away()
            sys.exit(COULD_NOT_RUN)


def _others() -> Iterable[EntryPoint]:
    """The commands of installed packages above this one. Looking for them takes 50 ms."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="assay", prog_name="assay")
def cli() -> None:
    """Put generated Python functions on trial."""


def main() -> None:
    """The console script. Exit codes: 0 clean, 1 findings, 2 could not run."""
    # Reports quote any text; a terminal that cannot show it must not end the run.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        cli()
    except Exception as failure:
        if isinstance(failure, OSError) and _output_fails():
            click.echo(
                f"assay: what it has to say cannot be written ({failure.strerror}); make room, or "
                "send it elsewhere.",
                err=True,
            )
            sys.exit(COULD_NOT_RUN)
        # The last net: what a command did not expect ends in a sentence, too.
        where = extract_tb(failure.__traceback__)[-1]
        click.echo(
            f"assay: it failed in a way that it should not have: {type(failure).__name__} in "
            f"{Path(where.filename).name}, line {where.lineno}: {failure}. Please report this, "
            "with what you ran.",
            err=True,
        )
        sys.exit(COULD_NOT_RUN)


def _output_fails() -> bool:
    """Whether standard output takes nothing more; then it is led away."""
    try:
        # What failed before may be gone from the buffer: only writing tells.
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError:
        _lead_output_away()
        return True
    return False


def _lead_output_away() -> None:
    """Python would try to write at the end, too, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
