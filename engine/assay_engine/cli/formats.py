"""The formats of `assay check`: lines about each report as it comes, and about all at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct
from typing_extensions import override

from assay_engine.cli.github_report import not_done, workflow_commands
from assay_engine.cli.json_report import to_json
from assay_engine.cli.junit_report import to_junit
from assay_engine.cli.outcome import could_not_run
from assay_engine.cli.output import complain, give, say
from assay_engine.cli.places import places_in
from assay_engine.cli.sarif_report import to_sarif
from assay_engine.cli.text import (
    lacks_a_model,
    report_lines,
    summary,
    uncompared_lines,
    without_want_of_a_model,
)
from assay_engine.types import Report, Severity

# For people; for programs; for GitHub Actions; for code scanning; for what shows tests' results.
FORMATS = ("text", "json", "github", "sarif", "junit")


class Checked(Struct, frozen=True):
    """The results of a run. `texts` are the texts that were checked, by path."""

    reports: Sequence[Report]
    unreadable: Sequence[str]
    texts: Mapping[str, str]


class Format(Struct, frozen=True, kw_only=True):
    """The base of all formats: lines for standard output, as in most formats."""

    verbose: bool = False

    def of_report(self, report: Report, text: str, said: set[str]) -> Iterator[str]:
        """The lines about a function as soon as it is finished. `said` collects remarks that
        concern all functions of a file."""
        return iter(())

    def say(self, line: str) -> None:
        give(line)

    def say_unreadable(self, sentences: Sequence[str]) -> None:
        for sentence in sentences:
            complain(sentence)

    def of_all(self, checked: Checked) -> Iterator[str]:
        if checked.reports or not checked.unreadable:
            yield from summary(checked.reports, verbose=self.verbose).split("\n")


class TextFormat(Format, frozen=True, kw_only=True):
    quiet: bool

    @override
    def say(self, line: str) -> None:
        say(line)

    @override
    def of_report(self, report: Report, text: str, said: set[str]) -> Iterator[str]:
        if not self.verbose:
            # The want of a model is told for all functions together.
            if lacks_a_model(report):
                return
            report = without_want_of_a_model(report)
        if self.quiet and _is_unremarkable(report):
            return
        yield from report_lines(report, said, verbose=self.verbose, quiet=self.quiet)

    @override
    def of_all(self, checked: Checked) -> Iterator[str]:
        if not self.verbose:
            yield from uncompared_lines(checked.reports)
        yield from super().of_all(checked)


class GitHub(Format, frozen=True):
    """`name` gives the name of a path in the repository, as for `Sarif`."""

    name: Callable[[str], str]

    @override
    def of_report(self, report: Report, text: str, said: set[str]) -> Iterator[str]:
        return workflow_commands(report, self.name(report.path), places_in(text), said)

    @override
    def say_unreadable(self, sentences: Sequence[str]) -> None:
        for sentence in sentences:
            self.say(not_done(sentence))


class Json(Format, frozen=True):
    @override
    def of_all(self, checked: Checked) -> Iterator[str]:
        yield to_json(checked.reports, checked.unreadable)


class Sarif(Format, frozen=True):
    name: Callable[[str], str]

    @override
    def of_all(self, checked: Checked) -> Iterator[str]:
        # There is a log even of nothing: without one, the alerts of the run before would stay.
        yield to_sarif(checked.reports, checked.unreadable, checked.texts, self.name)


class JUnit(Format, frozen=True):
    name: Callable[[str], str]

    @override
    def of_all(self, checked: Checked) -> Iterator[str]:
        yield to_junit(checked.reports, checked.unreadable, self.name)


def format_of(style: str, name: Callable[[str], str], *, verbose: bool, quiet: bool) -> Format:
    match style:
        case "github":
            return GitHub(name)
        case "json":
            return Json()
        case "junit":
            return JUnit(name)
        case "sarif":
            return Sarif(name)
        case _:
            return TextFormat(verbose=verbose, quiet=quiet)


def _is_unremarkable(report: Report) -> bool:
    return not could_not_run(report) and all(
        finding.severity is Severity.HINT for finding in report.findings
    )
