"""Reads header comments that silence: ``# assay: ignore``, ``# assay: ignore[ASY201]``, and keeps
what they name out of reports.

A function's header reaches from the first decorator to the body. A comment there travels with the
function, and is part of what the function's report is filed under.
"""

from __future__ import annotations

import io
import re
import tokenize
from contextlib import suppress

from msgspec.structs import replace

from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.text import Source, line_start, line_text, with_newlines
from assay_engine.types import Code, Problem, ProblemKind, Report, Silence, Span, Unit

NOTHING = Silence()

_KNOWN = tuple(map(str, Code))
_MARK = re.compile(r"#\s*assay:\s*(?P<said>[^#]*)")
# A reason may follow: "# assay: ignore[ASY201] both orders are fine".
_IGNORE = re.compile(r"ignore(?:\s*\[(?P<codes>[^\]]*)\](?!\S)|(?=\s|$)(?!\s+ASY))")


def silence_of(source: Source, node: FunctionNode, start: int) -> Silence:
    """What the comments in a function's header say. The header begins at offset `start`."""
    header = source.text[start : header_end(source, node)]
    if "assay:" not in header:
        return NOTHING
    comments: list[str] = []
    # A header without its body is incomplete. All comments before its end have been seen by then.
    with suppress(tokenize.TokenError, SyntaxError, UnicodeEncodeError):
        lines = io.StringIO(with_newlines(header, "\n"))
        for token in tokenize.generate_tokens(lines.readline):
            comments += [token.string] if token.type == tokenize.COMMENT else []
    everything = False
    codes: dict[str, None] = {}
    unclear: list[str] = []
    for mark in (mark for comment in comments for mark in _MARK.finditer(comment)):
        ignore = _IGNORE.match(mark["said"])
        if ignore is not None and ignore["codes"] is None:
            everything = True
            continue
        written = "" if ignore is None else ignore["codes"].upper()
        named = [each.strip() for each in written.split(",") if each.strip()]
        codes.update(dict.fromkeys(each for each in named if each in _KNOWN))
        if not named or any(each not in _KNOWN for each in named):
            unclear.append(mark[0].strip())
    return Silence(everything, tuple(codes), tuple(unclear))


def not_understood(silence: Silence) -> tuple[Problem, ...]:
    """The problems of comments that silence nothing, or not everything that they name."""
    return tuple(
        Problem(
            ProblemKind.COMMENT_UNCLEAR,
            f"`{comment}` is not understood. Write `# assay: ignore`, or name what is to be "
            f"ignored, as in `# assay: ignore[ASY201]`: one of {', '.join(_KNOWN)}.",
        )
        for comment in silence.unclear
    )


def header_end(source: Source, node: FunctionNode) -> int:
    """The offset at which the body begins.

    If the body's first statement begins on a line of the header, the end of the statement's last
    line.
    """
    first = source.span(node.body[0])
    before = source.text[line_start(source, node.body[0].lineno) : first.start]
    return source.line_end(first.end) if before.strip() else first.start


def last_header_line(source: Source, node: FunctionNode) -> int:
    """The 1-based line at whose end a comment about the function can stand."""
    first = node.body[0]
    if header_end(source, node) != source.span(first).start:
        return first.end_lineno or first.lineno
    line = first.lineno - 1
    while line > node.lineno and line_text(source, line).strip(" \t\f")[:1] in ("", "#"):
        line -= 1
    return line


def names_in(text: str, span: Span) -> Span | None:
    """The span of the codes that a comment within `span` names, without their brackets."""
    for mark in _MARK.finditer(text, span.start, span.end):
        ignore = _IGNORE.match(mark["said"])
        if ignore is not None and ignore["codes"] is not None:
            start = mark.start("said")
            return Span(start + ignore.start("codes"), start + ignore.end("codes"))
    return None


# The findings that a replacement or a clarification can answer.
_ANSWERED = (Code.DIFFERS, Code.JUDGED, Code.FAILS_EXAMPLE, Code.RAISES, Code.AMBIGUOUS)


def silenced(report: Report, unit: Unit) -> Report:
    """The report without ignored findings. The verdict stays as it is.

    If ignoring leaves no finding that a replacement, clarification or test could answer, these are
    left out as well.
    """
    silence = unit.silence
    kept = tuple(each for each in report.findings if each.code not in silence.codes)
    ignored = dict.fromkeys(each.code for each in report.findings if each.code in silence.codes)
    answers = not ignored or any(each.code in _ANSWERED for each in kept)
    unclear = (each for each in not_understood(silence) if each not in report.problems)
    return replace(
        report,
        findings=kept,
        ignored=(*report.ignored, *(code for code in ignored if code not in report.ignored)),
        replacements=report.replacements if answers else (),
        clarifications=report.clarifications if answers else (),
        expectations=report.expectations if answers else (),
        problems=(*report.problems, *unclear),
    )
