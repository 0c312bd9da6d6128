"""Moves statements to another indentation without touching the strings in them."""

from __future__ import annotations

import io
import tokenize

from msgspec import Struct, field

_LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.COMMENT}


def reindent(text: str, *, old_step: str, indent: str, step: str) -> str | None:
    """The statements with the first one at `indent` and every deeper level a `step` further.

    `text` holds whole statements with ``\\n`` as line break; `old_step` is one level of its
    indentation. Continuation lines keep their place relative to their statement, lines inside
    strings stay as they are, and blank lines lose their spaces. None if the text cannot be
    tokenized.
    """
    rows = _read_rows(text)
    if rows is None:
        return None
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        content = line.lstrip(" \t\f")
        if number in rows.in_string:
            continue
        if not content:
            lines[number - 1] = ""
        elif number in rows.depths:
            lines[number - 1] = indent + step * rows.depths[number] + content
    _place_the_rest(text.split("\n"), lines, rows, old_step, indent, step)
    return "\n".join(lines)


class _Rows(Struct, frozen=True):
    """What each 1-based row is.

    A row may start a statement at a depth, continue a statement, or lie inside of a string. A row
    that has only a comment of its own, or is blank, is in none of these.
    """

    depths: dict[int, int] = field(default_factory=dict[int, int])
    statement_of: dict[int, int] = field(default_factory=dict[int, int])
    in_string: set[int] = field(default_factory=set[int])


def _read_rows(text: str) -> _Rows | None:
    rows = _Rows()
    depth, base, statement, seen = 0, None, None, 0
    string_starts: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            row, last_row = token.start[0], token.end[0]
            if token.type == tokenize.INDENT:
                depth += 1
            elif token.type == tokenize.DEDENT:
                depth -= 1
            elif token.type not in _LAYOUT and statement is None:
                statement = row
                base = depth if base is None else base
                rows.depths[row] = depth - base
            if statement is not None:
                rows.statement_of.update(
                    dict.fromkeys(range(max(statement, seen) + 1, last_row + 1), statement)
                )
            seen = last_row
            # From 3.12 on, an f-string is many tokens between a start and an end.
            name = tokenize.tok_name[token.type]
            if name.endswith("STRING_START"):
                string_starts.append(row)
            elif name.endswith("STRING_END") and string_starts:
                rows.in_string.update(range(string_starts.pop() + 1, last_row + 1))
            elif token.type == tokenize.STRING:
                rows.in_string.update(range(row + 1, last_row + 1))
            elif token.type == tokenize.NEWLINE:
                statement = None
    except (tokenize.TokenError, SyntaxError, UnicodeEncodeError):
        return None
    return rows


def _place_the_rest(
    before: list[str], lines: list[str], rows: _Rows, old_step: str, indent: str, step: str
) -> None:
    """Place continuation lines with their statement, and comments with the statement beside."""
    beside = _depths_of_comments(before, rows)
    for number, line in enumerate(before, start=1):
        content = line.lstrip(" \t\f")
        if number in rows.in_string:
            continue
        if number in beside:
            lines[number - 1] = indent + step * beside[number] + content
        elif content and number in rows.statement_of:
            start = rows.statement_of[number]
            further = _further(leading_space(line), leading_space(before[start - 1]))
            levels, rest = divmod(len(further), len(old_step))
            if not rest and further == old_step * levels:
                further = step * levels
            lines[number - 1] = indent + step * rows.depths[start] + further + content


def _depths_of_comments(before: list[str], rows: _Rows) -> dict[int, int]:
    """The depth of each comment row.

    It is that of the statement that follows, if the two are indented alike; else that of the
    nearest statement above that is indented alike; else that of the statement that follows.
    """
    comments = [
        number
        for number, line in enumerate(before, start=1)
        if line.lstrip(" \t\f").startswith("#")
        and number not in rows.depths
        and number not in rows.statement_of
    ]
    found: dict[int, int] = {}
    starts = sorted(rows.depths)
    above: dict[str, int] = {}
    passed = 0
    for number in comments:
        while passed < len(starts) and starts[passed] < number:
            above[leading_space(before[starts[passed] - 1])] = rows.depths[starts[passed]]
            passed += 1
        space = leading_space(before[number - 1])
        following = starts[passed] if passed < len(starts) else None
        if following is not None and leading_space(before[following - 1]) == space:
            found[number] = rows.depths[following]
        else:
            found[number] = above.get(space, rows.depths[following] if following else 0)
    return found


def _further(space: str, statement: str) -> str:
    """The indentation of a continuation line beyond that of its statement; empty if it is less."""
    return space.removeprefix(statement) if space.startswith(statement) else ""


def leading_space(line: str) -> str:
    """The indentation of a line; a form feed starts it anew, as in Python's own tokenizer."""
    return line[: len(line) - len(line.lstrip(" \t\f"))].rpartition("\f")[2]
