"""The report as Markdown, for the editor's hover and the evidence page."""

from __future__ import annotations

from collections.abc import Iterator

from assay_engine.running.describing import origin_phrase
from assay_engine.saying.judging import REASON_CHARACTERS, judged_line
from assay_engine.saying.triangulated import triangulation_lines
from assay_engine.types import (
    Code,
    Finding,
    Judged,
    JudgedOutput,
    Outcome,
    Report,
    Status,
    Triangulated,
)
from assay_engine.words import count, short

PAIRS_SHOWN = 12
PAIR_CHARACTERS = 80

# A hover is read at a glance; the JSON report has all of them.
WITNESSES_SHOWN = 1

_HEADLINES = {
    Status.TRUSTED: "agrees with the candidates",
    Status.SUSPECT: "suspect",
    Status.AMBIGUOUS: "its docstring admits several behaviours",
    Status.ABSTAINED: "undecided",
    Status.UNSUPPORTED: "not checked",
}


def hover_markdown(report: Report) -> str:
    """A headline, each finding with its witness, the evidence and what it cost."""
    return "\n\n".join(_paragraphs(report))


def _paragraphs(report: Report) -> Iterator[str]:
    verdict = report.verdict
    confidence = "" if verdict.confidence is None else f" (confidence {verdict.confidence:.2f})"
    yield f"**Assay: {_HEADLINES[verdict.status]}**{confidence}"
    for finding in report.findings:
        yield from _finding(finding)
    if report.triangulation is not None:
        yield _triangulation(report.triangulation)
    shown = {finding.message for finding in report.findings}
    for problem in report.problems:
        if problem.message not in shown:
            yield _escaped(problem.message)
    if report.judged is not None:
        yield from _judged(report.judged)
    evidence = ". ".join(_evidence(report))
    if evidence:
        yield f"{evidence}."


def _finding(finding: Finding) -> Iterator[str]:
    if finding.witness is None:
        yield _escaped(finding.message)
        return
    origin = origin_phrase(finding.witness.origin)
    if finding.code is Code.DOUBTFUL_EXAMPLE:
        yield "The example is likely to be wrong:"
    yield f"`{finding.code}`  {_code(finding.witness.call)} ({origin})"
    # A list and not a table: half of the editors show the bare Markdown.
    yield "\n".join(_row(outcome) for outcome in finding.witness.outcomes)


def _judged(judged: Judged) -> Iterator[str]:
    """Score, threshold and votes, then each pair that was shown to the judge."""
    yield f"**{_capitalised(judged_line(judged))}**"
    rows = [_pair(pair) for pair in judged.pairs[:PAIRS_SHOWN]]
    left_out = len(judged.pairs) - len(rows)
    if left_out:
        rows.append(f"- and {left_out} more")
    if rows:
        yield "\n".join(rows)


def _pair(pair: JudgedOutput) -> str:
    votes = ", ".join("no vote" if vote is None else str(vote) for vote in pair.votes)
    # What the program and the model wrote is code, where nothing is a link or an emphasis.
    reason = f": {_code(short(pair.reason, REASON_CHARACTERS))}" if pair.reason else ""
    shown = [_code(short(text, PAIR_CHARACTERS)) for text in (pair.input, pair.output)]
    return f"- {' → '.join(shown)} ({votes}){reason}"


def _capitalised(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}"


def _triangulation(found: Triangulated) -> str:
    """The witnesses with their programs, and whom they refute."""
    parts = ["\n".join(f"- {_escaped(line)}" for line in triangulation_lines(found))]
    for each in found.witnesses[:WITNESSES_SHOWN]:
        fence = "`" * 3
        while fence in each.program:
            fence += "`"
        parts.append(f"{fence}python\n{each.program.rstrip()}\n{fence}")
    return "\n\n".join(parts)


def _row(outcome: Outcome) -> str:
    verb, _, rest = outcome.what.partition(" ")
    what = f"{verb} {_code(rest)}" if rest else verb
    return f"- {outcome.who} {what}"


def _evidence(report: Report) -> Iterator[str]:
    verdict = report.verdict
    if verdict.support is not None:
        seen = verdict.support
        yield (
            f"{seen.agreeing} of {count(seen.total, 'candidate')} agree on the input that decides "
            f"(95 % interval {seen.low:.2f} to {seen.high:.2f})"
        )
    if verdict.inputs_run:
        yield f"{verdict.inputs_in_domain} of {count(verdict.inputs_run, 'input')} in its domain"
    if report.model is not None:
        yield f"Model {_code(report.model)}, {report.cost.drawn.tokens:,} tokens"


def _code(text: str) -> str:
    """Inline code; a fence longer than any run of backticks inside it cannot be closed by it."""
    fence = "`"
    while fence in text:
        fence += "`"
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|!" else c for c in text)
