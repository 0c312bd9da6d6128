"""Reports as a SARIF 2.1.0 log, for code scanning and other services that take any tool's findings.

Objects have the names that the standard gives their properties, and no property without a value.
Sections (§) are those of
https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

from assay_engine import digest
from assay_engine.cli.explain import RULES
from assay_engine.cli.outcome import exit_code, has_no_docstring, passing_problems
from assay_engine.cli.output import COULD_NOT_RUN, as_json
from assay_engine.cli.places import TextRegion, places_in
from assay_engine.fixes.replacing import edits_for
from assay_engine.messages.fixes import replacement_phrase
from assay_engine.types import Code, Finding, Problem, Report, Severity
from assay_engine.version import own_version
from assay_engine.words import one_line

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
# The engine counts code points, and so does the log.
_COLUMNS = "unicodeCodePoints"
_ROOT = "%SRCROOT%"
_FINGERPRINT = "assayFunction/v1"
_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "none",
}
_INDICES = {rule.code: index for index, rule in enumerate(RULES)}

# One of the standard's objects.
_Object: TypeAlias = dict[str, object]


def to_sarif(
    reports: Sequence[Report],
    unreadable: Sequence[str],
    texts: Mapping[str, str],
    name: Callable[[str], str],
) -> str:
    """The log of the reports, in ASCII: the same bytes for the same reports, however redirected.

    `texts` holds, by path, the texts that the reports were made of. `name` gives the name of a path
    in its repository (`places.name_from_root`).
    """
    status = exit_code(reports, unreadable)
    files = [(_File(name(report.path), texts[report.path]), report) for report in reports]
    notes = [note for file, report in files for note in file.notifications(report)]
    notes += [{"level": "error", "message": _message(sentence)} for sentence in unreadable]
    invocation: _Object = {"executionSuccessful": status != COULD_NOT_RUN, "exitCode": status}
    if notes:
        invocation["toolExecutionNotifications"] = notes
    run: _Object = {
        "tool": {"driver": {"name": "Assay", "version": own_version(), "rules": [*_rules()]}},
        "columnKind": _COLUMNS,
        "originalUriBaseIds": {_ROOT: {"description": _plain("The root of the repository.")}},
        "invocations": [invocation],
        "results": [result for file, report in files for result in file.results(report)],
    }
    return as_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rules() -> Iterator[_Object]:
    for rule in RULES:
        yield {
            "id": rule.code,
            "shortDescription": _plain(rule.title),
            "fullDescription": _plain(rule.description),
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
            "help": _plain(rule.help),
        }


class _File:
    """A file that reports were made of."""

    def __init__(self, name: str, text: str) -> None:
        self._location = _artifact(name)
        self._text = text
        self._places = places_in(text)

    def results(self, report: Report) -> Iterator[_Object]:
        for finding in report.findings:
            if finding.code is not Code.NOT_CHECKED:
                yield self._result(report, finding)

    def notifications(self, report: Report) -> Iterator[_Object]:
        """What could not be checked, and what kept the function from having a verdict."""
        for finding in report.findings:
            if finding.code is Code.NOT_CHECKED and not has_no_docstring(report):
                yield {
                    "level": "note",
                    "message": _message(finding.message),
                    "locations": [self._in_function(report, finding)],
                    "associatedRule": {"id": finding.code, "index": _INDICES[finding.code]},
                }
        passing = passing_problems(report)
        for problem in report.problems if report.verdict.status.fell_short else ():
            yield {
                "level": "error" if problem in passing else "note",
                "message": _message(problem.message),
                "locations": [self._logical(report, self._places.name_of(report))],
            }

    def _result(self, report: Report, finding: Finding) -> _Object:
        result: _Object = {
            "ruleId": finding.code,
            "ruleIndex": _INDICES[finding.code],
            "level": _LEVELS[finding.severity],
            "message": _message(finding.message),
            "locations": [self._in_function(report, finding)],
            "partialFingerprints": {_FINGERPRINT: _fingerprint(report, finding)},
        }
        if finding.related:
            result["relatedLocations"] = [
                {
                    **self._physical(self._places.within(report, related.span)),
                    "message": _message(related.message),
                }
                for related in finding.related
            ]
        # If the example is wrong, another function mends nothing.
        if finding.code is not Code.DOUBTFUL_EXAMPLE and (fixes := [*self._fixes(report)]):
            result["fixes"] = fixes
        return result

    def _fixes(self, report: Report) -> Iterator[_Object]:
        for index, replacement in enumerate(report.replacements):
            edits = edits_for(self._text, report, index)
            if isinstance(edits, Problem):
                continue
            # §3.57: the inserted content takes the place of the region, which may be empty.
            replacements = [
                {
                    "deletedRegion": _region(self._places.region(edit.span)),
                    "insertedContent": {"text": edit.new_text},
                }
                for edit in edits
            ]
            phrase = replacement_phrase(replacement)
            yield {
                "description": _message(f"Replace with the candidate that {phrase}"),
                "artifactChanges": [
                    {"artifactLocation": self._location, "replacements": replacements}
                ],
            }

    def _in_function(self, report: Report, finding: Finding) -> _Object:
        return self._logical(report, self._places.within(report, finding.span))

    def _logical(self, report: Report, region: TextRegion) -> _Object:
        function = {"fullyQualifiedName": report.qualname, "kind": "function"}
        return {**self._physical(region), "logicalLocations": [function]}

    def _physical(self, region: TextRegion) -> _Object:
        where = {"artifactLocation": self._location, "region": _region(region)}
        return {"physicalLocation": where}


def _fingerprint(report: Report, finding: Finding) -> str:
    """A digest of the function's text and the place in it. It does not depend on the rest of the
    file, nor on the message, which counts candidates."""
    place = (str(finding.span.start), str(finding.span.end))
    return digest.of_parts([finding.code, report.qualname, report.text_digest, *place])


def _artifact(name: str) -> _Object:
    """The location of a file, relative to the repository's root unless its name is absolute."""
    path = Path(name)
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(name, errors="surrogateescape"), "uriBaseId": _ROOT}


def _region(region: TextRegion) -> _Object:
    """§3.30: lines and columns count from 1; the end column is not included."""
    return {
        "startLine": region.line,
        "startColumn": region.column,
        "endLine": region.end_line,
        "endColumn": region.end_column,
    }


def _message(text: str) -> _Object:
    return _plain(one_line(text))


def _plain(text: str) -> _Object:
    """A message that says the text as it is. Braces are doubled, so that they are no placeholders
    (§3.11.5), and brackets are escaped, so that they are no link (§3.11.6)."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    return {"text": doubled.replace("](", "\\](")}
