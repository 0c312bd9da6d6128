"""Breaks statements into several lines, as formatters do."""

from __future__ import annotations

import ast

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
