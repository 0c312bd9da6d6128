"""Reports as JUnit's XML, for services that show the results of tests.

A suite is a file, and a test a function with a docstring. There is no standard; the log is as
`junit-10.xsd` of Jenkins's xunit plugin wants it. It holds no time: the same reports give the same
bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from assay_engine.cli.outcome import ACCUSING, has_no_docstring, passing_problems
from assay_engine.cli.text import finding_lines
from assay_engine.types import Finding, Report
from assay_engine.words import obeyed_by_nobody, one_line

_RUN = "assay"


def to_junit(
    reports: Sequence[Report], unreadable: Sequence[str], name: Callable[[str], str]
) -> str:
    """The log, in ASCII. `name` gives the name of a path in its repository."""
    log = Element("testsuites", name="Assay")
    documented = [report for report in reports if not has_no_docstring(report)]
    for path, own in groupby(documented, key=lambda report: report.path):
        file = name(path)
        suite = SubElement(log, "testsuite", name=file)
        classname = ".".join(PurePosixPath(file).with_suffix("").parts)
        for report in own:
            _add_results(SubElement(suite, "testcase", name="", classname=classname), report)
    if unreadable:
        suite = SubElement(log, "testsuite", name=_RUN)
        case = SubElement(suite, "testcase", name="everything could be checked", classname=_RUN)
        for sentence in unreadable:
            SubElement(case, "error", type="not-checked", message=one_line(sentence))
    for suite in log:
        _count(suite, suite.findall("testcase"))
        suite.set("skipped", str(sum(case.find("skipped") is not None for case in suite)))
    _count(log, log.findall("testsuite/testcase"))
    indent(log)
    text = tostring(log, encoding="us-ascii", xml_declaration=True).decode("ascii")
    return obeyed_by_nobody(text, lambda each: f"&#{ord(each)};")


def _add_results(case: Element, report: Report) -> None:
    case.set("name", one_line(report.qualname))
    passing = passing_problems(report)
    for problem in passing:
        SubElement(case, "error", type=problem.kind, message=one_line(problem.message))
    for finding in report.findings:
        if finding.severity in ACCUSING:
            message = one_line(finding.message)
            failure = SubElement(case, "failure", type=finding.code, message=message)
            failure.text = _lines(report, finding)
    if not len(case) and not report.verdict.status.is_verdict:
        reasons = [problem.message for problem in report.problems]
        reasons = reasons or [finding.message for finding in report.findings]
        SubElement(case, "skipped", message=one_line(" ".join(reasons)))
    elif told := [each for each in report.findings if each.severity not in ACCUSING]:
        SubElement(case, "system-out").text = "".join(_lines(report, each) for each in told)


def _lines(report: Report, finding: Finding) -> str:
    """The finding with its place, its input and what everybody did there, a line for each."""
    head = f"{PurePosixPath(report.path).name}:{report.line} {report.qualname}: "
    head += str(report.verdict.status)
    return "".join(f"\n{one_line(line)}" for line in (head, *finding_lines(finding))) + "\n"


def _count(whole: Element, cases: Sequence[Element]) -> None:
    """Count tests as JUnit does: one that has an error and a failure is an error."""
    errors = sum(case.find("error") is not None for case in cases)
    failures = sum(case.find("failure") is not None for case in cases if case.find("error") is None)
    whole.set("tests", str(len(cases)))
    whole.set("failures", str(failures))
    whole.set("errors", str(errors))
