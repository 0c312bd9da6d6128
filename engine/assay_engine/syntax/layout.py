"""Lays out statements: moves them to another indentation without touching the strings in them, and
breaks them into several lines, as formatters do.
"""

from __future__ import annotations

import ast
import io
import tokenize

from msgspec import Struct, field

_LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.COMMENT}


def reindent(text: str, *, old_step: str, indent: str, step: str) -> str | None:
    """The statements with the first one at `indent` and every deeper level a `step` further.

    `text` holds whole statements with ``\\n`` as line break; `old_step` is one level of its
    indentation. Continuation lines keep their place relative to their statement, comments stand
    with the statement beside, lines inside strings stay as they are, and blank lines lose their
    spaces. None if the text cannot be tokenized.
    """
    rows = _read_rows(text)
    if rows is None:
        return None
    before = text.split("\n")
    depths = rows.depths | _depths_of_comments(before, rows)
    lines: list[str] = []
    for number, line in enumerate(before, start=1):
        content = line.lstrip(" \t\f")
        if number in rows.in_string:
            content = line
        elif content and number in depths:
            content = indent + step * depths[number] + content
        elif content and number in rows.statement_of:
            start = rows.statement_of[number]
            space, margin = leading_space(line), leading_space(before[start - 1])
            further = space.removeprefix(margin) if space.startswith(margin) else ""
            levels, rest = divmod(len(further), len(old_step))
            if not rest and further == old_step * levels:
                further = step * levels
            content = indent + step * rows.depths[start] + further + content
        lines.append(content)
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


def leading_space(line: str) -> str:
    """The indentation of a line; a form feed starts it anew, as in Python's own tokenizer."""
    return line[: len(line) - len(line.lstrip(" \t\f"))].rpartition("\f")[2]


STEP = 4
_Items = list[tuple[str, ast.expr]]


def laid_out(statement: ast.stmt, width: int) -> list[str]:
    """The lines of a statement. A line without a bracket to break at may exceed `width`."""
    match statement:
        case ast.Expr(value=value):
            return _broken("", value, "", 0, width)
        case ast.Assign(targets=[target], value=value):
            return _broken(f"{ast.unparse(target)} = ", value, "", 0, width)
        case ast.With(items=items, body=body):
            header = ast.unparse(ast.With(items, [ast.Pass()], lineno=1)).split("\n", 1)[0]
            return [header, *_block(body, width)]
        case ast.Try(body=body, handlers=[handler], orelse=[], finalbody=[]):
            return ["try:", *_block(body, width), *ast.unparse(handler).strip("\n").split("\n")]
        case _:
            return ast.unparse(statement).split("\n")


def _block(body: list[ast.stmt], width: int) -> list[str]:
    lines = (line for each in body for line in laid_out(each, width - STEP))
    return [" " * STEP + line for line in lines]


def _broken(before: str, node: ast.expr, after: str, margin: int, width: int) -> list[str]:
    """The lines of an expression broken at its brackets.

    The items are on one line of their own if they fit there, or else each is on its own line.
    """
    line = f"{' ' * margin}{before}{ast.unparse(node)}{after}"
    if len(line) <= width:
        return [line]
    match node:
        case ast.Attribute(value=ast.Call() | ast.Attribute() as owner, attr=name):
            return _broken(before, owner, f".{name}{after}", margin, width)
        case ast.Call(func=ast.Attribute() as function, args=[], keywords=[]):
            return _broken(before, function, f"(){after}", margin, width)
        case _:
            brackets, items = _items(node)
    if not items:
        return [line]
    opening, closing = brackets
    inner = margin + STEP
    inside = [" " * inner + ", ".join(f"{name}{ast.unparse(item)}" for name, item in items)]
    if len(inside[0]) > width:
        if isinstance(node, ast.Call) and len(items) == 1 and _items(sole := items[0][1])[1]:
            # Break the sole argument instead, which takes no more lines than it does alone.
            head = f"{before}{opening}{items[0][0]}"
            return _broken(head, sole, f"{closing}{after}", margin, width)
        inside = [row for name, item in items for row in _broken(name, item, ",", inner, width)]
    return [
        f"{' ' * margin}{before}{opening}",
        *inside,
        f"{' ' * margin}{closing}{after}",
    ]


def _items(node: ast.expr) -> tuple[tuple[str, str], _Items]:
    """The brackets of an expression, and the items between them, each with the text before it.

    An expression that cannot be broken has neither.
    """
    match node:
        case ast.Call(func=function, args=args, keywords=keywords):
            named = [(f"{each.arg}=" if each.arg else "**", each.value) for each in keywords]
            return (f"{ast.unparse(function)}(", ")"), [*_bare(args), *named]
        case ast.List(elts=items):
            return ("[", "]"), _bare(items)
        case ast.Set(elts=items):
            return ("{", "}"), _bare(items)
        case ast.Tuple(elts=[_, _, *_] as items):
            return ("(", ")"), _bare(items)
        case ast.Dict(keys=keys, values=values):
            heads = ["**" if key is None else f"{ast.unparse(key)}: " for key in keys]
            return ("{", "}"), list(zip(heads, values, strict=True))
        case _:
            return ("", ""), []


def _bare(items: list[ast.expr]) -> _Items:
    return [("", each) for each in items]
