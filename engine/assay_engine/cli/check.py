"""`assay check`: puts functions on trial and tells the results."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from assay_engine.bounds import REQUEST_CHARACTERS_MAX
from assay_engine.cli.apply import apply_replacements
from assay_engine.cli.baseline import BadBaseline, baseline_of, read_baseline, write_baseline
from assay_engine.cli.checking import CheckRun
from assay_engine.cli.formats import FORMATS, format_of
from assay_engine.cli.outcome import exit_code
from assay_engine.cli.output import COULD_NOT_RUN, DONE, complain, say
from assay_engine.cli.places import name_from_root
from assay_engine.cli.since import Since
from assay_engine.cli.targets import path_in
from assay_engine.config.configuration import EngineOptions, options_from
from assay_engine.config.settings import JudgeMode
from assay_engine.errors import AssayError
from assay_engine.files.bounded import read_bytes
from assay_engine.types import Code, Tier
from assay_engine.words import count


class CheckOptions(Struct, frozen=True):
    targets: tuple[str, ...]
    style: str
    verbose: bool
    quiet: bool
    record: str | None
    replay: str | None
    offline: bool
    since: str | None
    spec: str | None
    baseline: str | None
    write_baseline: str | None
    apply: bool
    judge: bool | None
    again: bool
    tier: str
    interpreter: str | None


# Whatever else checks functions takes these, too.
REPLAY = click.option("--replay", metavar="FILE", help="Run from a transcript; send nothing.")
OFFLINE = click.option("--offline", is_flag=True, help="Send nothing; use the cache alone.")
JUDGE = click.option(
    "--judge/--no-judge",
    default=None,
    help="Ask a judge about every function that was compared or uses the network, or about none.",
)
TIER = click.option(
    "--tier",
    type=click.Choice([str(tier) for tier in Tier]),
    default=str(Tier.STANDARD),
    help="How much a check may cost; thorough also triangulates.",
)
INTERPRETER = click.option(
    "--interpreter", metavar="PATH", help="The Python that the checked code runs under."
)


@click.command(short_help="Check the functions of files and folders.")
@click.argument("targets", nargs=-1, metavar="[PATH | FILE::NAME | FILE:LINE]...")
@click.option("--format", "style", type=click.Choice(FORMATS), default="text")
@click.option(
    "-v", "--verbose", is_flag=True, help="Show the evidence for every verdict, and its cost."
)
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Show only findings (no hints) and what could not be checked for now.",
)
@click.option("--record", metavar="FILE", help="Write the model's replies to a transcript.")
@REPLAY
@OFFLINE
@click.option(
    "--since",
    metavar="REVISION",
    help="Check only functions that changed since the merge base of a git revision and HEAD.",
)
@click.option(
    "--spec",
    metavar="FILE",
    help="What the functions were asked for (an issue, a prompt). It is sent to the model, and "
    "applies in addition to their docstrings, or instead.",
)
@click.option(
    "--baseline",
    metavar="FILE",
    help="Leave out the findings in a file that --write-baseline wrote.",
)
@click.option(
    "--write-baseline",
    metavar="FILE",
    help="Write the findings into a file. They do not fail this run, or a run with "
    "--baseline, until their functions change.",
)
@click.option("--apply", is_flag=True, help="Write selected replacements into the files.")
@JUDGE
@click.option(
    "--again",
    is_flag=True,
    help="Check unchanged functions again. Stored replies that were usable are reused; for the "
    "others the model is asked again, which costs tokens.",
)
@TIER
@INTERPRETER
def check(**options: Any) -> None:
    """Check the functions of files and folders (default: the current folder).

    Exits with 0 if there is no finding of severity warning or error, 1 if there is one, 2 if
    something could not be checked for a reason that may pass, such as an endpoint that is down.
    """
    sys.exit(_checked(CheckOptions(**options)))


def _checked(chosen: CheckOptions) -> int:
    """Run the check; return the exit code."""
    if chosen.verbose and chosen.quiet:
        raise click.UsageError("--verbose and --quiet cannot be combined.")
    if chosen.record is not None and chosen.replay is not None:
        raise click.UsageError(
            "--record and --replay cannot be combined: a replay asks nothing, so there is nothing "
            "to record."
        )
    narrowed = chosen.baseline is not None or chosen.since is not None
    if chosen.write_baseline is not None and narrowed:
        raise click.UsageError(
            "--write-baseline writes all findings, and cannot be combined with --baseline or "
            "--since."
        )

    def name(path: str) -> str:
        return name_from_root(Path(path), Path.cwd())

    told = format_of(chosen.style, name, verbose=chosen.verbose, quiet=chosen.quiet)
    options = engine_options(
        replay=chosen.replay,
        offline=chosen.offline,
        judge=chosen.judge,
        interpreter=chosen.interpreter,
    )
    options = replace(options, record=chosen.record)
    changes = None if chosen.since is None else Since(chosen.since, os.environ)
    try:
        known = frozenset[tuple[str, Code]]()
        if chosen.baseline is not None:
            known = read_baseline(Path(chosen.baseline))
    except BadBaseline as problem:
        raise click.UsageError(str(problem)) from None
    found = CheckRun(
        told,
        again=chosen.again,
        tier=Tier(chosen.tier),
        since=changes,
        request="" if chosen.spec is None else _request_in(Path(chosen.spec)),
        known=known,
    )
    if found.told(chosen.targets, options) and chosen.apply:
        named = [path_in(each) for each in chosen.targets or (".",)]
        for line in apply_replacements(found.reports, named):
            say(line, err=chosen.style != "text")
    if found.left_out:
        complain(f"{count(found.left_out, 'finding')} left out: in {chosen.baseline}")
    status = exit_code(found.reports, found.unreadable)
    if chosen.write_baseline is None:
        return status
    if status == COULD_NOT_RUN:
        complain(f"{chosen.write_baseline} is not written: not everything could be checked")
        return status
    baseline = baseline_of(found.reports, found.texts, name)
    try:
        write_baseline(Path(chosen.write_baseline), baseline)
    except AssayError as failure:
        complain(str(failure))
        return COULD_NOT_RUN
    functions = count(len(baseline.functions), "function")
    complain(f"{chosen.write_baseline} is written: the findings of {functions}")
    return DONE


def _request_in(path: Path) -> str:
    try:
        text = read_bytes(path, REQUEST_CHARACTERS_MAX * 4).decode("utf-8").strip()
    except OSError as failure:
        raise click.UsageError(f"--spec {path} cannot be read ({failure.strerror}).") from None
    except UnicodeError:
        raise click.UsageError(f"--spec {path} is not UTF-8 text. Save it as UTF-8.") from None
    if not text or len(text) > REQUEST_CHARACTERS_MAX:
        raise click.UsageError(
            f"--spec {path} holds {count(len(text), 'character')}. Write what was asked for there, "
            f"in 1 to {REQUEST_CHARACTERS_MAX:,}."
        )
    return text


def engine_options(
    *, replay: str | None, offline: bool, judge: bool | None, interpreter: str | None
) -> EngineOptions:
    """The engine's options, by the environment and the options of a command that checks."""
    mode = None
    if judge is not None:
        mode = JudgeMode.ALWAYS if judge else JudgeMode.OFF
    return replace(
        options_from(os.environ),
        interpreter=interpreter,
        replay=replay,
        offline=offline,
        judge=mode,
    )
