"""Finds possible code in the text of a reply: in fences, in tags, or with prose around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from assay_engine.models.thoughts import without_thoughts
from assay_engine.syntax.layout import leading_space, reindent
from assay_engine.syntax.parsing import SyntaxFault, parse
from assay_engine.syntax.text import with_newlines

# Bounds on attempts, so that no reply costs more than a few hundred parses.
BLOCKS_MAX = 64
CLOSINGS_MAX = 6
CUTS_MAX = 64

_STEP = "    "

_TAGGED = re.compile(
    r"<(code|answer|solution|python|implementation|pre)\b[^<>\n]*>(.*?)(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_FENCE_IN_A_LINE = re.compile(
    r"(?P<mark>`{3,}|~{3,})[ \t]*(?:(?:python|py)[\w.]*\b)?[ \t]*\n?(?P<code>.*?)(?:(?P=mark)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_STARTS_CODE = re.compile(r"[ \t]*(?:@|(?:async[ \t]+def|def|class|import|from)[ \t])")


def code_blocks(text: str) -> Iterator[tuple[str, ...]]:
    """The blocks of a reply that parse, in order, one tuple for each way of reading.

    Each further way is more lenient. Every block has ``\\n`` as line break and starts at column
    zero.
    """
    answer = without_thoughts(with_newlines(text.removeprefix("\ufeff"), "\n"))
    lines = answer.split("\n")
    tagged = [found[2] for found in _TAGGED.finditer(answer)][:BLOCKS_MAX]
    yield _parsing([*_fenced(lines), *tagged])
    in_lines = [found["code"] for found in _FENCE_IN_A_LINE.finditer(answer)][:BLOCKS_MAX]
    yield _parsing(in_lines)
    whole = _parsing([answer])
    yield whole or tuple(_between_prose(lines))


def _parsing(blocks: list[str]) -> tuple[str, ...]:
    found = [_parsing_form(each) for each in blocks[:BLOCKS_MAX]]
    return tuple(each for each in found if each)


def _parsing_form(block: str) -> str | None:
    """The block in the form that parses, or None.

    This is the block as it stands, or moved to column zero except for its strings.
    """
    tree = parse(block)
    if isinstance(tree, SyntaxFault) and block.lstrip("\n")[:1].isspace():
        block = reindent(block.strip("\n"), old_step=_STEP, indent="", step=_STEP) or block
        tree = parse(block)
    return None if isinstance(tree, SyntaxFault) or not tree.body else block


def _fenced(lines: list[str]) -> list[str]:
    """The contents of the fences.

    A docstring may itself hold fences. If a block does not parse up to its first closing fence, the
    next closing fences are tried.
    """
    fences = [(index, found) for index, line in enumerate(lines) if (found := _FENCE.match(line))]
    blocks: list[str] = []
    after = -1
    for place, (index, opening) in enumerate(fences[: 2 * BLOCKS_MAX]):
        if index <= after:
            continue
        later = (
            at
            for at, found in fences[place + 1 :]
            if found["mark"].startswith(opening["mark"]) and not found["info"].strip()
        )
        closings = list(islice(later, CLOSINGS_MAX)) or [len(lines)]
        margin = leading_space(lines[index])
        contents = {at: _without_margin(lines[index + 1 : at], margin) for at in closings}
        after = next((at for at in closings if _parsing_form(contents[at])), closings[0])
        blocks.append(contents[after])
    return blocks


def _without_margin(lines: list[str], margin: str) -> str:
    """The lines without the margin by which the whole block, strings included, is indented.

    A block in a list is indented like this.
    """
    return "\n".join(line.removeprefix(margin) for line in lines)


def _between_prose(lines: list[str]) -> Iterator[str]:
    """Stretches of lines that parse, each starting with a line that looks like code.

    A stretch is only cut before a line at its own left margin: a function that is cut off in the
    middle must not pass for a whole one.
    """
    at, cuts = 0, 0
    while cuts < CUTS_MAX:
        at = next((i for i in range(at, len(lines)) if _STARTS_CODE.match(lines[i])), len(lines))
        if at == len(lines):
            return
        margin = leading_space(lines[at])
        stretch = _without_margin(lines[at:], margin).split("\n")
        while cuts < CUTS_MAX and isinstance(fault := parse("\n".join(stretch)), SyntaxFault):
            cuts += 1
            # Cut before the last line at the left margin, at or before the broken one.
            end = min(max(fault.line - 1, 0), len(stretch) - 1)
            while end > 0 and (not stretch[end].strip() or stretch[end][0].isspace()):
                end -= 1
            stretch = stretch[:end]
        text = "\n".join(stretch)
        if text.strip():
            yield text
        at += max(len(stretch), 1)
        cuts += 1
