"""The commands, each loaded when it is called.

The console script: runs the command, and is the last net for errors that no command expected.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING

import click

from assay_engine.cli import output
from assay_engine.cli.output import COULD_NOT_RUN, complain, lead_away, show, word_streams
from assay_engine.version import own_version, recorded_commit

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

COMMANDS = {
    "check": "assay_engine.cli.check:check",
    "compare": "assay_engine.cli.compare:compare",
    "consent": "assay_engine.cli.consent:consent",
    "doctor": "assay_engine.cli.doctor:doctor",
    "explain": "assay_engine.cli.explain:explain",
    "mcp": "assay_engine.cli.mcp.command:mcp",
    "schema": "assay_engine.cli.json_report:schema",
    "setup": "assay_engine.cli.setup:setup",
    "test": "assay_engine.cli.test:save_test",
}
GROUP = "assay.commands"


class _Commands(click.Group):
    """Loads a subcommand when it is called, so that `assay server` pays for nothing else."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*COMMANDS, *(entry.name for entry in _others() if _is_installed(entry))])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            module, _, attribute = COMMANDS[cmd_name].partition(":")
            return getattr(import_module(module), attribute)
        for entry in _others():
            if entry.name == cmd_name:
                if not _is_installed(entry):
                    raise click.UsageError(
                        f"`assay {cmd_name}` is not installed; in a clone of Assay, "
                        f"`pip install ./benchmarks/assay_{cmd_name}` adds it"
                    )
                return entry.load()
        return None

    def invoke(self, ctx: click.Context) -> object:
        # An early end is not left to click, which would exit with the status of `FINDINGS`.
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            complain("stopped")
            sys.exit(COULD_NOT_RUN)
        except BrokenPipeError:
            # The reader of the output has seen enough, so there is nobody to tell.
            lead_away()
            sys.exit(COULD_NOT_RUN)


def _others() -> Iterable[EntryPoint]:
    """The commands of installed packages above this one. Looking for them takes 50 ms."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def _is_installed(entry: EntryPoint) -> bool:
    """Whether the command's package is there: that of another distribution may not be."""
    return find_spec(entry.module.partition(".")[0]) is not None


def _say_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    commit = recorded_commit() or _commit_of_checkout()
    show(f"assay, version {own_version()}" + (f" (commit {commit})" if commit else ""))
    context.exit()


def _commit_of_checkout() -> str:
    """The commit that a checkout is at, if Assay runs in one; else empty."""
    from assay_engine.files.git import Git, GitUnusable

    package = Path(__file__).resolve().parents[1]
    # An environment may lie in any other repository.
    if package.parent.name != "engine" or not (package.parents[1] / ".git").exists():
        return ""
    try:
        answer = Git(package, os.environ).ask("rev-parse", "--short=12", "HEAD")
    except GitUnusable:
        return ""
    return "" if answer.status else answer.line


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_say_version,
    help="Show the version, and the commit that it was built from.",
)
def cli() -> None:
    """Put generated Python functions on trial."""


def main() -> None:
    """The console script. Exit codes: 0 clean, 1 findings, 2 could not run."""
    # Reports quote any text; a terminal that cannot show it must not end the run.
    word_streams()
    try:
        cli()
    except Exception as failure:
        if isinstance(failure, OSError) and output.fails():
            complain(f"{output.unwritten(failure)}.")
            sys.exit(COULD_NOT_RUN)
        # The last net: an error that the command did not expect ends in a sentence, too.
        where = extract_tb(failure.__traceback__)[-1]
        complain(
            f"internal error: {type(failure).__name__} in {Path(where.filename).name}, line "
            f"{where.lineno}: {failure}. Please report this, with what you ran."
        )
        sys.exit(COULD_NOT_RUN)
