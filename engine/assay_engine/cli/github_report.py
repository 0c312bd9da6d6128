"""Reports as workflow commands of GitHub Actions, which shows them beside the lines they are about.

The runner obeys any line of the log that begins with ``::``, and undoes the escapes below. The text
that programs and models wrote is put on one line, behind a command, so it never begins a line.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay_engine.cli.outcome import passing_problems
from assay_engine.cli.places import Places, TextRegion
from assay_engine.types import Report, Severity
from assay_engine.words import one_line, visible

# Hints are left out. They say that a function can never be checked: beside every such function,
# that would be noise.
_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
}


def workflow_commands(report: Report, path: str, places: Places, said: set[str]) -> Iterator[str]:
    """One line for each finding, and for each reason that kept the function from being checked for
    now. `path` is the path of the file in its repository.

    `said` collects reasons: a reason that concerns several functions is told beside the first only.
    """
    for finding in report.findings:
        command = _COMMANDS.get(finding.severity)
        if command is not None:
            where = _where(path, places.within(report, finding.span))
            title = f"Assay {finding.code}: {report.qualname}"
            yield _line(command, where | {"title": title}, finding.message)
    for problem in passing_problems(report):
        if problem.reason not in said:
            said.add(problem.reason)
            where = _where(path, places.name_of(report))
            title = f"Assay could not check {report.qualname}"
            yield _line("error", where | {"title": title}, problem.message)


def not_done(sentence: str) -> str:
    """The line on something that could not be read or done, without a place in a file."""
    return _line("error", {"title": "Assay could not check everything"}, sentence)


def _where(path: str, region: TextRegion) -> dict[str, str]:
    where = {"file": path, "line": str(region.line), "endLine": str(region.end_line)}
    if region.line == region.end_line:
        # The runner takes columns only for a region that lies on one line.
        where |= {"col": str(region.column), "endColumn": str(region.end_column)}
    return where


def _line(command: str, properties: dict[str, str], message: str) -> str:
    told = ",".join(f"{name}={_escaped_property(value)}" for name, value in properties.items())
    return f"::{command} {told}::{_escaped(one_line(message))}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(visible(text)).replace(":", "%3A").replace(",", "%2C")
