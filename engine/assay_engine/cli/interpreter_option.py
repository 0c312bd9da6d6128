"""The option `--interpreter` of commands that look at no project: a path, or a name on the PATH."""

from __future__ import annotations

import os
from pathlib import Path

import click

from assay_engine.errors import ConfigurationError
from assay_engine.interpreter import named_interpreter


def _named(_context: click.Context, _option: click.Parameter, named: str | None) -> Path | None:
    try:
        return None if named is None else named_interpreter(named, os.environ)
    except ConfigurationError as problem:
        raise click.BadParameter(str(problem)) from None


interpreter_option = click.option(
    "--interpreter", metavar="PATH", callback=_named, help="The Python that programs run under."
)
