"""Reports as a SARIF log, for code scanning and other services that take findings of any tool."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from assay_engine import digest
from assay_engine.cli import sarif
from assay_engine.cli.explain import RULES
from assay_engine.cli.outcome import exit_code, has_no_docstring, passing_problems
from assay_engine.cli.output import COULD_NOT_RUN
from assay_engine.cli.places import TextRegion, places_in
from assay_engine.cli.sarif import Level, Message, plain
from assay_engine.fixes.replacing import edits_for
from assay_engine.messages.fixes import replacement_phrase
from assay_engine.types import Code, Finding, Problem, Report, Severity, Status
from assay_engine.version import own_version
from assay_engine.words import one_line

# The engine counts code points, and so does the log.
_COLUMNS = "unicodeCodePoints"
_ROOT = "%SRCROOT%"
_FINGERPRINT = "assayFunction/v1"
_LEVELS = {
    Severity.ERROR: Level.ERROR,
    Severity.WARNING: Level.WARNING,
    Severity.INFORMATION: Level.NOTE,
    Severity.HINT: Level.NONE,
}
_INDICES = {rule.code: index for index, rule in enumerate(RULES)}


def to_sarif(
    reports: Sequence[Report],
    unreadable: Sequence[str],
    texts: Mapping[str, str],
    name: Callable[[str], str],
) -> str:
    """The log of the reports: the same bytes for the same reports.

    `texts` holds, by path, the texts that the reports were made of. `name` gives the name of a path
    in its repository (`places.name_from_root`).
    """
    rest = exit_code(reports, unreadable)
    told = [
        each
        for report in reports
        for each in _File(name(report.path), texts[report.path]).told(report)
    ]
    notes = [each for each in told if isinstance(each, sarif.Notification)]
    notes += [sarif.Notification(Level.ERROR, _message(sentence)) for sentence in unreadable]
    run = sarif.Run(
        tool=sarif.Tool(sarif.ToolComponent("Assay", own_version(), tuple(_rules()))),
        column_kind=_COLUMNS,
        original_uri_base_ids={_ROOT: sarif.Base(Message("The root of the repository."))},
        invocations=(sarif.Invocation(rest != COULD_NOT_RUN, rest, tuple(notes)),),
        results=tuple(each for each in told if isinstance(each, sarif.Result)),
    )
    return sarif.to_text(sarif.Log(sarif.SCHEMA, "2.1.0", (run,)))


def _rules() -> Iterator[sarif.ReportingDescriptor]:
    for rule in RULES:
        yield sarif.ReportingDescriptor(
            id=rule.code,
            short_description=plain(rule.title),
            full_description=plain(rule.description),
            default_configuration=sarif.Configuration(_LEVELS[rule.severity]),
            help=plain(rule.help),
        )


class _File:
    """A file that reports were made of."""

    def __init__(self, name: str, text: str) -> None:
        self._location = _artifact(name)
        self._text = text
        self._places = places_in(text)

    def told(self, report: Report) -> Iterator[sarif.Result | sarif.Notification]:
        for finding in report.findings:
            where = self._location_of(report, self._places.within(report, finding.span))
            if finding.code is Code.NOT_CHECKED:
                if has_no_docstring(report):
                    continue
                rule = sarif.RuleReference(finding.code, _INDICES[finding.code])
                yield sarif.Notification(Level.NOTE, _message(finding.message), (where,), rule)
            else:
                yield self._result(report, finding, where)
        name = self._location_of(report, self._places.name_of(report))
        passing = passing_problems(report)
        for problem in report.problems if report.verdict.status is Status.ABSTAINED else ():
            level = Level.ERROR if problem in passing else Level.NOTE
            yield sarif.Notification(level, _message(problem.message), (name,))

    def _result(self, report: Report, finding: Finding, where: sarif.Location) -> sarif.Result:
        return sarif.Result(
            rule_id=finding.code,
            rule_index=_INDICES[finding.code],
            level=_LEVELS[finding.severity],
            message=_message(finding.message),
            locations=(where,),
            partial_fingerprints={_FINGERPRINT: _fingerprint(report, finding)},
            related_locations=tuple(
                sarif.Location(
                    self._physical(self._places.within(report, related.span)),
                    message=_message(related.message),
                )
                for related in finding.related
            ),
            # If the example is wrong, another function mends nothing.
            fixes=() if finding.code is Code.DOUBTFUL_EXAMPLE else tuple(self._fixes(report)),
        )

    def _fixes(self, report: Report) -> Iterator[sarif.Fix]:
        for index, replacement in enumerate(report.replacements):
            edits = edits_for(self._text, report, index)
            if isinstance(edits, Problem):
                continue
            replacements = tuple(
                sarif.ArtifactReplacement(
                    _region(self._places.region(edit.span)), sarif.ArtifactContent(edit.new_text)
                )
                for edit in edits
            )
            yield sarif.Fix(
                _message(f"Replace with the candidate that {replacement_phrase(replacement)}"),
                (sarif.ArtifactChange(self._location, replacements),),
            )

    def _location_of(self, report: Report, region: TextRegion) -> sarif.Location:
        logical = sarif.LogicalLocation(report.qualname, "function")
        return sarif.Location(self._physical(region), (logical,))

    def _physical(self, region: TextRegion) -> sarif.PhysicalLocation:
        return sarif.PhysicalLocation(self._location, _region(region))


def _fingerprint(report: Report, finding: Finding) -> str:
    """A digest of the function's text and the place in it. It does not depend on the rest of the
    file, nor on the message, which counts candidates."""
    place = (str(finding.span.start), str(finding.span.end))
    return digest.of_parts([finding.code, report.qualname, report.text_digest, *place])


def _artifact(name: str) -> sarif.ArtifactLocation:
    path = Path(name)
    if path.is_absolute():
        return sarif.ArtifactLocation(path.as_uri())
    return sarif.ArtifactLocation(quote(name, errors="surrogateescape"), _ROOT)


def _region(region: TextRegion) -> sarif.Region:
    return sarif.Region(region.line, region.column, region.end_line, region.end_column)


def _message(text: str) -> Message:
    return plain(one_line(text))
