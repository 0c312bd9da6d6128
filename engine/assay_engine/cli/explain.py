"""`assay explain`: tells what a finding's code means, or shows the evidence of stored reports."""

from __future__ import annotations

import secrets
import sys
import textwrap
from pathlib import Path

import click

from assay_engine.cli.exit_status import COULD_NOT_RUN
from assay_engine.cli.recalling import printed_reports, recalled
from assay_engine.cli.rules import RULES, Rule
from assay_engine.errors import AssayError
from assay_engine.words import one_line

WIDTH = 80


@click.command(short_help="Say what the codes of findings mean, or show the evidence.")
@click.argument("subjects", metavar="[CODE]... | [PATH | FILE::NAME | FILE:LINE]...", nargs=-1)
@click.option("--html", is_flag=True, help="Make a page of what stored reports rest on.")
@click.option(
    "-o", "--output", metavar="FILE", help="Where to write the page, instead of to standard output."
)
@click.option(
    "--report",
    metavar="FILE",
    help="Take the reports from a file that `assay check --format json` printed.",
)
def explain(subjects: tuple[str, ...], html: bool, output: str | None, report: str | None) -> None:
    """Say what findings with these codes mean and what to do about them; without any, list all.

    With --html, show the evidence on functions, files or folders (default: the current folder),
    as far as reports on them are stored: a page of its own that a browser shows. Nothing is sent.
    """
    if html:
        try:
            _write(_page(subjects, report), output)
        except AssayError as failure:
            click.echo(f"assay: {one_line(str(failure))}", err=True)
            sys.exit(COULD_NOT_RUN)
    elif output is not None or report is not None:
        raise click.UsageError("--output and --report are for the page that --html makes.")
    elif subjects:
        click.echo("\n\n".join(_at_length(_rule(each)) for each in subjects))
    else:
        click.echo("\n".join(map(_headline, RULES)))


def _page(targets: tuple[str, ...], printed: str | None) -> str:
    from assay_engine.saying.evidence_page import evidence_page

    reports = None if printed is None else printed_reports(Path(printed))
    if targets or not reports:
        reports = [each.report for each in recalled(targets or (".",), reports)]
    return evidence_page(*reports, nonce=secrets.token_urlsafe())


def _write(page: str, output: str | None) -> None:
    if output is None:
        click.echo(page)
        return
    try:
        Path(output).write_text(page, encoding="utf-8")
    except OSError as failure:
        raise AssayError(f"{output} cannot be written ({failure.strerror}).") from failure


def _rule(code: str) -> Rule:
    found = [rule for rule in RULES if rule.code == code.upper()]
    if found:
        return found[0]
    codes = ", ".join(each.code for each in RULES)
    hint = " A function's evidence is shown with --html." if "." in code else ""
    raise click.BadParameter(f"there is no {code}; there are {codes}.{hint}")


def _headline(rule: Rule) -> str:
    return f"{rule.code} ({rule.severity}): {rule.title}"


def _at_length(rule: Rule) -> str:
    said = (rule.description, f"What to do: {rule.help}")
    return "\n\n".join([_headline(rule), *(textwrap.fill(each, WIDTH) for each in said)])
