"""The edit that makes a function's header ignore a kind of finding."""

from __future__ import annotations

from collections.abc import Iterator

from assay_engine.splicing import apply_edits
from assay_engine.syntax.silencing import header_end, last_header_line, names_in
from assay_engine.syntax.text import line_start, line_text, read_source
from assay_engine.syntax.units import cuts_by_path, find_units
from assay_engine.types import Code, Edit, Problem, ProblemKind, Span


def ignoring(text: str, qualname: str, code: Code) -> tuple[Edit, ...] | Problem:
    """The edit that ignores a code for a function; a problem if no comment can stand there.

    The code is added to the comment in the function's header, or else such a comment is added.
    """
    for edit in _edits(text, qualname, code):
        if _is_ignored(apply_edits(text, (edit,)), qualname, code):
            return (edit,)
    return Problem(
        ProblemKind.COMMENT_UNCLEAR,
        f"No comment fits into the header of {qualname}. Write `# assay: ignore[{code}]` after its "
        "signature.",
    )


def _edits(text: str, qualname: str, code: Code) -> Iterator[Edit]:
    source = read_source(text)
    for cut in cuts_by_path(source).get(qualname.partition("#")[0], ()):
        if cut.unit.qualname != qualname:
            continue
        names = names_in(text, Span(cut.unit.span.start, header_end(source, cut.node)))
        if names is not None:
            yield Edit(Span(names.end, names.end), f", {code}")
        line = last_header_line(source, cut.node)
        end = line_start(source, line) + len(line_text(source, line))
        yield Edit(Span(end, end), f"  # assay: ignore[{code}]")


def _is_ignored(text: str, qualname: str, code: Code) -> bool:
    """Whether the function ignores the code after the edit.

    It does not if the text that looks like a comment is within a string.
    """
    return any(
        unit.qualname == qualname and code in unit.silence.codes for unit in find_units(text)[0]
    )
