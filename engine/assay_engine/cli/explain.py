"""`assay explain`: tells what a finding's code means, or shows the evidence of stored reports.

The meaning of each finding code in few words, for services that list the rules of a tool.
"""

from __future__ import annotations

import secrets
import sys
import textwrap
from pathlib import Path

import click
from msgspec import Struct

from assay_engine.cli.finding_reports import printed_reports, recalled
from assay_engine.cli.output import COULD_NOT_RUN, complain, give, show
from assay_engine.errors import AssayError
from assay_engine.types import Code, Severity
from assay_engine.words import obeyed_by_nobody

WIDTH = 80


@click.command(short_help="Say what the codes of findings mean, or show the evidence.")
@click.argument("subjects", metavar="[CODE]... | [PATH | FILE::NAME | FILE:LINE]...", nargs=-1)
@click.option("--html", is_flag=True, help="Make a page of the evidence in stored reports.")
@click.option(
    "-o", "--output", metavar="FILE", help="Where to write the page, instead of standard output."
)
@click.option(
    "--report",
    metavar="FILE",
    help="Read the reports from a file that `assay check --format json` printed.",
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
            complain(str(failure))
            sys.exit(COULD_NOT_RUN)
    elif output is not None or report is not None:
        raise click.UsageError("--output and --report are for the page that --html makes.")
    elif subjects:
        show("\n\n".join(_at_length(_rule(each)) for each in subjects))
    else:
        show("\n".join(map(_headline, RULES)))


def _page(targets: tuple[str, ...], printed: str | None) -> str:
    from assay_engine.pages.evidence_page import evidence_page

    reports = None if printed is None else printed_reports(Path(printed))
    if targets or not reports:
        reports = [each.report for each in recalled(targets or (".",), reports)]
    return evidence_page(*reports, nonce=secrets.token_urlsafe())


def _write(page: str, output: str | None) -> None:
    if output is None:
        give(obeyed_by_nobody(page, lambda each: f"&#{ord(each)};"))
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


class Rule(Struct, frozen=True):
    """`title` is the heading of the code's page in docs/findings; `severity` the usual one."""

    code: Code
    severity: Severity
    title: str
    description: str
    help: str


RULES = (
    Rule(
        Code.DIFFERS,
        Severity.WARNING,
        "differs from the consensus",
        "Candidates that were written from the docstring alone agree on an input's outcome, and "
        "the function's is different.",
        "Look at the input. If the candidates are right, use the replacement. If the function is "
        "right, the docstring does not say so: add the input to it as an example.",
    ),
    Rule(
        Code.JUDGED,
        Severity.WARNING,
        "judged not to conform to the docstring",
        "A judge that reads the docstring, an input and what the function did on it, but never the "
        "code, finds that this is not what the docstring promises.",
        "Compare the docstring with the input and the output. The judge's reason is a model's, "
        "word for word, and may be wrong.",
    ),
    Rule(
        Code.FAILS_EXAMPLE,
        Severity.ERROR,
        "fails an example of its own docstring",
        "The docstring shows a call and its result, and the function gives another.",
        "Run the example. Fix the function, or the example if that is what is wrong.",
    ),
    Rule(
        Code.RAISES,
        Severity.WARNING,
        "raises where the consensus returns a value",
        "The function raises an exception on an input that candidates written from the docstring "
        "accept.",
        "Look at the input. If it is valid, fix the function or use the replacement. If it is "
        'not, say so in the docstring ("raises ValueError if ...").',
    ),
    Rule(
        Code.CHANGED,
        Severity.WARNING,
        "differs from another version",
        "The function and another version of it were run on the same input, and behaved "
        "differently.",
        "Compare both outcomes. Fix the function if the other version is right.",
    ),
    Rule(
        Code.AMBIGUOUS,
        Severity.INFORMATION,
        "the docstring allows several behaviours",
        "Candidates that were written from the docstring disagree on an input, or it leaves open "
        "whether the function is right there.",
        "Decide what the input should give, and add it to the docstring as an example.",
    ),
    Rule(
        Code.NOT_DETERMINISTIC,
        Severity.INFORMATION,
        "not deterministic",
        "Two runs of the function on the same input, with different hash and random seeds, gave "
        "different answers.",
        "If randomness is intended, take a random.Random or a seed as a parameter. If it is not, "
        "look for the order of a set, the clock, or random.",
    ),
    Rule(
        Code.DOUBTFUL_EXAMPLE,
        Severity.WARNING,
        "an example of the docstring is likely to be wrong",
        "The function fails an example of its docstring, and so do the candidates, which return "
        "there what the function does.",
        "Work the example out by hand, and fix it or the function.",
    ),
    Rule(
        Code.NOT_CHECKED,
        Severity.HINT,
        "could not be checked",
        "The function was not checked; the message says why.",
        "You need not do anything. To have it checked, add an example to its docstring, or make "
        "it callable on its own.",
    ),
)
