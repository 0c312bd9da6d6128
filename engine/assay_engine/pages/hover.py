"""The report for the editor's hover and the evidence page, as Markdown and as plain text.

Markdown that shows text from programs and models as it is, never as a link or emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.messages.opinions import (
    REASON_CHARACTERS,
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
    panel_phrase,
    priced,
    provenance,
    refused_phrase,
    witness_call,
    witness_outcomes,
)
from assay_engine.types import (
    Code,
    Finding,
    Judged,
    Phrase,
    ProblemKind,
    Report,
    Status,
    Witness,
    Words,
    text_of,
)
from assay_engine.words import backticks_around, count, one_line, short, visible

_MARKS = "\\`*_{}[]<>#|!&~"
_WORD = re.compile(r"""[^\s`"'()<>\[\]{}]+|\S""")
# Of a word with one of these, some renderer makes a link, however it is escaped: but not of code.
_ADDRESS = re.compile(r"://|www\.|[\w.+-]@\w", re.IGNORECASE)


def code(text: str) -> str:
    """Inline code. Its fence is longer than any run of backticks in the text, so none closes it."""
    line = one_line(text)
    fence = backticks_around(line, 1)
    pad = " " if "`" in line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def marked_up(phrase: Phrase) -> str:
    """The phrase, with everything but our own words as code."""
    return "".join(part.text if isinstance(part, Words) else code(part.text) for part in phrase)


def prose(text: str) -> str:
    """A sentence of ours: text in backticks is code, and so are addresses. Nothing else in it is a
    Markdown mark."""
    line = one_line(text)
    parts = re.split(r"`([^`]+)`", line)
    if any("`" in part for part in parts[::2]):
        # The backticks do not pair up as ours do.
        return _escaped(line)
    return "".join(
        code(part) if number % 2 else _escaped(part) for number, part in enumerate(parts)
    )


def fenced(program: str, language: str = "python") -> str:
    """A block of code."""
    shown = visible(program.rstrip())
    fence = backticks_around(shown, 3)
    return f"{fence}{language}\n{shown}\n{fence}"


def _escaped(line: str) -> str:
    return _WORD.sub(lambda found: _escaped_word(found[0]), line)


def _escaped_word(word: str) -> str:
    address = word.rstrip(".,:;!?")
    if _ADDRESS.search(address):
        return f"{code(address)}{word[len(address) :]}"
    return "".join(f"\\{c}" if c in _MARKS else c for c in word)


PAIRS_SHOWN = 12
PAIR_CHARACTERS = 80
# About two lines, so that the offer to replace the function stays in sight below them.
READING_CHARACTERS = 120
# A hover is read at a glance; the JSON report has all witnesses.
WITNESSES_SHOWN = 1


class _Style(Struct, frozen=True):
    """How a text is set: as Markdown, or plain.

    Text of programs and models goes through `code`, `quote` (for sentences) and `prose`, each of
    which keeps it on one line and without effect on the text around it. It also goes through
    `phrase`, and is then cut and on one line already. A hover is read at a glance. Where
    diagnostics are shown `beside` it, what they say is left out.
    """

    strong: Callable[[str], str]
    code: Callable[[str], str]
    phrase: Callable[[Phrase], str]
    quote: Callable[[str], str]
    prose: Callable[[str], str]
    program: Callable[[str], str]
    beside: bool = False


def hover_markdown(report: Report, *, beside: bool = False) -> str:
    """Each finding with its witness, the verdict, the evidence and its cost.

    `beside`: the diagnostics are shown, too, as some editors do in the same window.
    """
    return "\n\n".join(_paragraphs(report, replace(_MARKDOWN, beside=beside)))


def hover_text(report: Report, *, beside: bool = False) -> str:
    """The same as plain text, for clients that would show Markdown marks as they are."""
    return "\n\n".join(_paragraphs(report, replace(_PLAIN, beside=beside)))


def _paragraphs(report: Report, style: _Style) -> Iterator[str]:
    for finding in report.findings:
        yield from _finding(finding, style)
    confidence = confidence_phrase(report.verdict)
    title = style.strong(f"Assay: {headline(report)}")
    yield f"{title} ({confidence})" if confidence else title
    if report.ignored:
        yield f"A comment in its header ignores {', '.join(report.ignored)}"
    said = settling_phrases(
        report, style.code, lambda reason: style.quote(short(reason, READING_CHARACTERS))
    )
    yield from map(_capitalised, said)
    if report.triangulation is not None:
        lines = triangulation_lines(report.triangulation, at_length=False)
        yield "\n".join(f"- {style.prose(line)}" for line in lines)
        for each in report.triangulation.witnesses[:WITNESSES_SHOWN]:
            yield style.program(each.program)
    shown = {finding.message for finding in report.findings}
    is_decided = report.verdict.status is not Status.ABSTAINED
    for problem in report.problems:
        if is_decided and problem.kind is ProblemKind.BUDGET_SPENT:
            # It concerns all functions alike, and one message has said so.
            continue
        if problem.message not in shown:
            yield style.prose(problem.brief or problem.message)
    if report.judged is not None:
        yield from _judged(report.judged, style)
    if report.dissent is not None:
        yield from _witness("The least agreement is on ", report.dissent, style)
    evidence = ". ".join(_evidence(report, style))
    if evidence:
        yield f"{evidence}."


def headline(report: Report) -> str:
    """The verdict in a few words."""
    codes = {finding.code for finding in report.findings}
    if report.verdict.status is Status.AMBIGUOUS and codes == {Code.DOUBTFUL_EXAMPLE}:
        return "ambiguous, an example of its docstring contradicts it"
    return report.verdict.status.headline


def _finding(finding: Finding, style: _Style) -> Iterator[str]:
    if style.beside and finding.code is not Code.NOT_CHECKED:
        if finding.witness is not None:
            yield f"The input: {provenance(finding.witness, style.code)}"
        return
    if finding.witness is None:
        yield style.prose(finding.message)
        return
    if finding.code is Code.DOUBTFUL_EXAMPLE:
        yield "The example is likely to be wrong:"
    yield from _witness(f"{style.code(finding.code)}  ", finding.witness, style)
    if finding.caveat:
        yield style.prose(_capitalised(f"{finding.caveat}."))


def _witness(head: str, witness: Witness, style: _Style) -> Iterator[str]:
    origin = provenance(witness, style.code)
    if witness.script:
        yield f"{head}this script ({origin})"
        yield style.program(witness.script)
    else:
        yield f"{head}{style.code(witness_call(witness, LINE_CHARACTERS))} ({origin})"
    # A list instead of a table, since half of the editors show the bare Markdown of a table.
    rows = witness_outcomes(witness, LINE_CHARACTERS)
    yield "\n".join(f"- {who} {style.phrase(did)}".rstrip() for who, did in rows)


def _judged(judged: Judged, style: _Style) -> Iterator[str]:
    """Score, threshold and votes, then each pair that was shown to the judge."""
    yield style.strong(_capitalised(judged_line(judged)))
    rows: list[str] = []
    for pair in judged.pairs[:PAIRS_SHOWN]:
        votes = ", ".join("no vote" if vote is None else str(vote) for vote in pair.votes)
        # Text of program and model is set as code, in which nothing is a link or emphasis.
        texts = (pair.input, pair.output)
        shown = " → ".join(style.code(short(text, PAIR_CHARACTERS)) for text in texts)
        reason = f": {style.quote(short(pair.reason, REASON_CHARACTERS))}" if pair.reason else ""
        rows.append(f"- {shown} ({votes}){reason}")
    if left_out := len(judged.pairs) - len(rows):
        rows.append(f"- and {left_out} more")
    if rows:
        yield "\n".join(rows)


def _capitalised(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}"


def _evidence(report: Report, style: _Style) -> Iterator[str]:
    verdict = report.verdict
    # What the docstring says is worth more than numbers of candidates and inputs. Both together are
    # too much at a glance.
    counted = not report.settling
    if verdict.support is not None and counted:
        yield agreement_phrase(verdict.support, at_length=False)
    if verdict.inputs_run:
        if counted:
            yield accepted_phrase(verdict)
        if refused := refused_phrase(report.partitions, style.code):
            yield _capitalised(refused)
    if panel := panel_phrase(report.classes, style.code):
        yield _capitalised(panel)
    if report.model is not None and counted:
        drawn = report.cost.drawn
        took = f"{drawn.tokens:,} tokens" if drawn.tokens else count(drawn.requests, "request")
        told = f"Model {style.code(report.model)}, {took}"
        yield priced(told, report.cost.drawn_price)


def _indented(program: str) -> str:
    return "\n".join(f"    {line}" for line in visible(program.rstrip()).split("\n"))


_MARKDOWN = _Style(lambda text: f"**{text}**", code, marked_up, code, prose, fenced)
_PLAIN = _Style(one_line, one_line, text_of, quoted, one_line, _indented)
