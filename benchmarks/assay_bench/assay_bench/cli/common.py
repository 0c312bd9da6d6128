"""Options and helpers that the commands of `assay bench` share."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any

import click
from typing_extensions import override

from assay_bench.datasets import UnreadableDataset
from assay_bench.results import Setting
from assay_engine.cli import output
from assay_engine.cli.output import COULD_NOT_RUN, complain
from assay_engine.config.interpreter import named_interpreter
from assay_engine.errors import AssayError, ConfigurationError
from assay_engine.version import own_version
from assay_sandbox import (
    Call,
    InterpreterUnusable,
    Program,
    Returned,
    Sandbox,
    SandboxError,
    decode,
)

FILE = click.Path(path_type=Path)
# The upper bound is more than any data has, and few enough to be counted through.
COUNT = click.IntRange(1, 1_000_000)


class Finite(click.FloatRange):
    """A range without NaN, which every other range lets through, and without infinities."""

    @override
    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


SECONDS = Finite(0.1, 1_000_000)


def _interpreter(
    _context: click.Context, _option: click.Parameter, named: str | None
) -> Path | None:
    try:
        return None if named is None else named_interpreter(named, os.environ)
    except ConfigurationError as problem:
        raise click.BadParameter(str(problem)) from None


interpreter_option = click.option(
    "--interpreter",
    metavar="PATH",
    callback=_interpreter,
    help="The Python that programs run under.",
)
limit_option = click.option("--limit", type=COUNT, metavar="N", help="Only the first N tasks.")
candidates_option = click.option(
    "--candidates",
    type=COUNT,
    default=10,
    show_default=True,
    help="How many samples to use, from the first.",
)
out_option = click.option(
    "--out", type=FILE, required=True, help="The results folder; a run already there is continued."
)


def skipped(problem: str) -> None:
    complain(f"left out: {problem}")


_ASKED = """
import platform

def python():
    return f"{platform.python_implementation()} {platform.python_version()}"
"""


def setting_of(runner: Sandbox) -> Setting:
    """The setting of a run: the confined interpreter itself tells its version. Raises SandboxError,
    here once rather than for every task."""
    ((seen,),) = runner.run_many([Program(_ASKED, "python")], [Call()])
    if not isinstance(seen, Returned):
        raise InterpreterUnusable(f"The interpreter does not say its version: {seen}")
    return Setting(own_version(), str(decode(seen.value)))


def nothing_joins(file: Path, other: Path) -> UnreadableDataset:
    return UnreadableDataset(
        f"{file} has no task of {other}; give files of the same benchmark, by the same names"
    )


@contextmanager
def resumable(out: Path) -> Generator[None]:
    """End the command with a word on what ended the run; what `out` holds is not lost."""
    try:
        yield
    except SandboxError as failure:
        complain(failure.in_full())
        sys.exit(COULD_NOT_RUN)
    except AssayError as failure:
        complain(str(failure))
        sys.exit(COULD_NOT_RUN)
    except BrokenPipeError:
        raise  # nobody reads the output any more; the command line ends the run quietly
    except OSError as failure:
        said = output.unwritten(failure) if output.fails() else f"{failure}; see to it"
        complain(f"{said}, and the same command goes on in {out}")
        sys.exit(COULD_NOT_RUN)
    except KeyboardInterrupt:
        complain(f"stopped; the same command goes on in {out}")
        sys.exit(COULD_NOT_RUN)
