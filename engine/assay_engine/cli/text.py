"""Reports as text for people: the same on a terminal and in a log.

The lines about all functions together, when all are finished.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec.structs import replace

from assay_engine.cli.outcome import has_no_docstring
from assay_engine.messages.at_a_glance import reach, refusal_of
from assay_engine.messages.fixes import if_right, no_example_phrase, replacement_phrase
from assay_engine.messages.opinions import (
    judged_line,
    quoted,
    settling_phrases,
    triangulation_lines,
)
from assay_engine.messages.phrases import (
    LINE_CHARACTERS,
    accepted_phrase,
    agreement_phrase,
    confidence_phrase,
    cost_phrase,
    panel_phrase,
    partition_phrase,
    provenance,
    refused_phrase,
    witness_call,
    witness_outcomes,
)
from assay_engine.syntax.text import with_newlines
from assay_engine.types import Finding, Problem, ProblemKind, Report, Status, Witness, text_of
from assay_engine.values.describing import WHOLE_CHARACTERS
from assay_engine.words import count

# Problems that concern all functions of a check alike are told in full once. This is what is said
# of them afterwards.
_SAID_ONCE = {
    ProblemKind.BUDGET_SPENT: "the budget is spent",
    ProblemKind.MODEL_UNAVAILABLE: "no model answers",
    ProblemKind.NO_CONSENT: "the model may not be used",
    ProblemKind.OFFLINE: "no reply is stored",
    ProblemKind.REPLY_UNUSABLE: "a reply cannot be used",
    ProblemKind.SANDBOX_UNAVAILABLE: "the sandbox does not work",
}


def report_lines(
    report: Report, said: set[str], *, verbose: bool, quiet: bool = False
) -> Iterator[str]:
    """The lines about one function, most important first. Unless `verbose`, a function that is
    trusted or cannot be checked takes one line, and a function without a docstring none: the
    summary counts those. If `quiet`, there is nothing besides its findings.

    `said` collects remarks that concern all functions of a check, each of which is made in full
    only once.
    """
    if not verbose and report.verdict.status.is_untried and not report.judged:
        if not has_no_docstring(report):
            yield f"{report.path}:{report.line} {report.qualname}: {_not_checked(report)}"
        return
    if has_no_docstring(report) and not report.judged:
        yield f"{report.path}:{report.line} {report.qualname}: unsupported: no docstring"
        return
    has_nothing_to_say = report.verdict.status.acquits or bool(report.ignored)
    brief = not verbose and has_nothing_to_say and not report.findings
    head = f"{report.path}:{report.line} {report.qualname}: {_headline(report)}"
    known = [each for each in report.problems if each.kind in _SAID_ONCE and each.reason in said]
    if brief:
        head += _brief(report)
    elif known and known == [*report.problems] and report.verdict.status.fell_short:
        head += f": {_see_above(report, known)}"
        known = []
    yield head
    limit = WHOLE_CHARACTERS if verbose else LINE_CHARACTERS
    yield from _findings(report, limit)
    if quiet and report.findings:
        return
    if verbose and report.ignored:
        yield f"  ignored, as a comment or the baseline says: {', '.join(report.ignored)}"
    if not (brief and report.ignored):
        yield from (f"  {line}" for line in settling_phrases(report, str, quoted))
    if not brief:
        yield from (f"  evidence: {line}" for line in _evidence(report, at_length=verbose))
        yield from _dissent(report, limit)
    yield from _opinions(report, verbose=verbose)
    yield from _notes(report, said, [] if brief else known, verbose=verbose)
    said.update(each.reason for each in report.problems if each.kind in _SAID_ONCE)
    if verbose:
        yield from _particulars(report)
    yield from _replacements(report, verbose=verbose)
    if verbose:
        yield from _clarifications(report)


def _notes(
    report: Report, said: set[str], known: Sequence[Problem], *, verbose: bool
) -> Iterator[str]:
    """The problems of the function. A problem in `known` was told above, and is only referred to.
    If no request was answered, their number is told only to those who want to know everything."""
    shown = {finding.message for finding in report.findings}
    for problem in report.problems:
        if problem.message in shown:
            continue
        if problem.reason not in said:
            message = problem.message if verbose else problem.brief or problem.message
            if message not in shown:
                yield f"  note: {message}"
            shown.add(message)
        elif problem in known:
            yield f"  note: {_see_above(report, [problem])}"


def _see_above(report: Report, problems: Sequence[Problem]) -> str:
    return ", ".join([*dict.fromkeys(_in_short(report, each) for each in problems), "see above"])


def _in_short(report: Report, problem: Problem) -> str:
    if problem.mention:
        return problem.mention
    if problem.kind is ProblemKind.MODEL_UNAVAILABLE and report.cost.drawn.requests:
        return "a request failed"
    return _SAID_ONCE[problem.kind]


def _findings(report: Report, limit: int) -> Iterator[str]:
    for finding in report.findings:
        yield from finding_lines(finding, limit)


def finding_lines(finding: Finding, limit: int = LINE_CHARACTERS) -> Iterator[str]:
    """The finding, the input that shows it, and what everybody did there."""
    yield f"  {finding.code} {finding.severity}: {finding.message}"
    if finding.witness is not None:
        yield from _witness(finding.witness, limit)


def _opinions(report: Report, *, verbose: bool) -> Iterator[str]:
    """The results of other methods than comparing."""
    if report.judged is not None:
        yield f"  {judged_line(report.judged)}"
    if report.triangulation is not None and (verbose or not _is_said_by_a_note(report)):
        lines = triangulation_lines(report.triangulation, at_length=verbose)
        yield from (f"  thorough check: {line}" for line in lines)


def _is_said_by_a_note(report: Report) -> bool:
    """Whether a note already says that the thorough check found nothing."""
    nothing = report.triangulation is None or report.triangulation.scheme is None
    return nothing and any(each.kind is ProblemKind.NOT_CONFIRMED for each in report.problems)


def _particulars(report: Report) -> Iterator[str]:
    """The lines for those who want to know everything."""
    yield from (f"  proposed for {partition_phrase(each, _quoted)}" for each in report.partitions)
    if not report.verdict.status.is_untried:
        yield f"  cost: {cost_phrase([report])}"


def _clarifications(report: Report) -> Iterator[str]:
    """The examples that would make the docstring clearer. They stand behind the replacements,
    because the first example may say what the function does, right or wrong."""
    for clarification in report.clarifications:
        condition = if_right(clarification)
        yield f"  {condition}, an example that says that it {clarification.behaviour}:"
        yield from (f"    {line}" for line in clarification.example.split("\n"))
    if none := no_example_phrase(report):
        yield f"  {none}"


def _replacements(report: Report, *, verbose: bool) -> Iterator[str]:
    for replacement in report.replacements:
        phrase = replacement_phrase(replacement)
        if report.verdict.status is Status.AMBIGUOUS and not verbose:
            # The author has to say first which reading is meant.
            yield f"  there is a replacement that {phrase}: --verbose shows it"
            continue
        yield f"  replacement, which {phrase}:"
        diff = with_newlines(replacement.diff, "\n").rstrip("\n")
        yield from (f"    {line}" for line in diff.split("\n"))


def _not_checked(report: Report) -> str:
    return ": ".join([_headline(report), *(problem.message for problem in report.problems[:1])])


def _headline(report: Report) -> str:
    return ", ".join(filter(None, (str(report.verdict.status), confidence_phrase(report.verdict))))


def _witness(witness: Witness, limit: int) -> Iterator[str]:
    if witness.script:
        yield f"    this script  ({provenance(witness, _quoted)})"
        yield from (f"      {line}" for line in witness.script.split("\n"))
    else:
        yield f"    {witness_call(witness, limit)}  ({provenance(witness, _quoted)})"
    width = max(len(outcome.who) for outcome in witness.outcomes)
    for who, did in witness_outcomes(witness, limit):
        yield f"      {who:<{width}}  {text_of(did)}".rstrip()


def _quoted(name: str) -> str:
    return f'"{name}"'


def _brief(report: Report) -> str:
    if report.ignored:
        return f" ({', '.join(report.ignored)} ignored)"
    seen = report.verdict.support
    if seen is None:
        return ""
    inputs = count(report.verdict.inputs_in_domain, "input")
    agree = f"{seen.agreeing} of {count(seen.total, 'candidate')} agree"
    if report.dissent is None:
        return f" ({agree}, {inputs})"
    if _own_share(report.dissent) * seen.total < seen.agreeing:
        return f" ({agree} on the inputs that decide; they disagree on some of {inputs})"
    return f" (at least {agree}, {inputs})"


def _own_share(witness: Witness) -> Fraction:
    """The share of the candidates that do what the function does."""
    total = sum(outcome.weight for outcome in witness.outcomes)
    own = sum(outcome.weight for outcome in witness.outcomes if outcome.is_original)
    return Fraction(own, total or 1)


def _evidence(report: Report, *, at_length: bool) -> Iterator[str]:
    """The evidence that the verdict rests on."""
    verdict = report.verdict
    if verdict.inputs_run:
        yield accepted_phrase(verdict)
        if refused := refused_phrase(report.partitions, _quoted):
            yield refused
    if verdict.support is not None:
        yield agreement_phrase(verdict.support, at_length=at_length)
    if panel := panel_phrase(report.classes, _quoted):
        yield panel


def _dissent(report: Report, limit: int) -> Iterator[str]:
    if report.dissent is not None:
        yield "  the input with the least agreement:"
        yield from _witness(report.dissent, limit)


_NO_MODEL = (ProblemKind.MODEL_UNAVAILABLE, ProblemKind.NO_CONSENT, ProblemKind.OFFLINE)
# The beginning of a sentence that is to follow a colon, and so to begin in lower case.
_BEGINNING = re.compile(r"^No(?=thing\b|\b)")


def summary(reports: Sequence[Report], *, verbose: bool) -> str:
    """How many functions have which status, and the cost of all checks."""
    counted = Counter(report.verdict.status for report in reports)
    ignored = Counter(report.verdict.status for report in reports if _is_ignored(report))
    parts = [_counted(status, counted[status], ignored[status]) for status in Status]
    told = ", ".join(filter(None, parts))
    line = f"{count(len(reports), 'function')}: {told or 'nothing to check'}"
    undocumented = sum(map(has_no_docstring, reports))
    if undocumented:
        named = "" if verbose else "; --verbose names them"
        line += f" ({undocumented} without a docstring{named})"
    if any(each.kind is ProblemKind.OFFLINE for report in reports for each in report.problems):
        line += f"\n{reach([refusal_of(report) for report in reports])}"
    return f"{line}\ncost: {cost_phrase(reports)}" if reports else line


def uncompared_lines(reports: Sequence[Report]) -> Iterator[str]:
    """The reasons why functions were not compared for want of a model, each reason once."""
    reasons = Counter(
        problem.message
        for report in reports
        for problem in report.problems
        if _is_want_of_a_model(report, problem)
    )
    for reason, number in reasons.items():
        functions = f"{count(number, 'function')} {'was' if number == 1 else 'were'}"
        yield f"{functions} not compared: {_BEGINNING.sub('no', reason)}"


def lacks_a_model(report: Report) -> bool:
    """Whether the want of a model is all there is to say of the function."""
    return (
        report.verdict.status.fell_short
        and not report.findings
        and bool(report.problems)
        and all(_is_want_of_a_model(report, problem) for problem in report.problems)
    )


def without_want_of_a_model(report: Report) -> Report:
    """The report without the want of a model, which is told for all functions together."""
    others = (each for each in report.problems if not _is_want_of_a_model(report, each))
    return replace(report, problems=tuple(others))


def _is_want_of_a_model(report: Report, problem: Problem) -> bool:
    return report.model is None and problem.kind in _NO_MODEL


def _is_ignored(report: Report) -> bool:
    """Whether comments in the code suppress all findings that there were."""
    return bool(report.ignored) and not report.findings


def _counted(status: Status, number: int, ignored: int) -> str:
    if not number:
        return ""
    return f"{number} {status} ({ignored} ignored)" if ignored else f"{number} {status}"
