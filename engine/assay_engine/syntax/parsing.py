"""Parses foreign text, and finds the names in it.

Whatever the text is, the answer is a tree or a fault, not an exception.
"""

from __future__ import annotations

import ast
import re
import threading
import warnings
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from assay_engine.bounds import NAME_PARTS_MAX
from assay_engine.words import line_starts

_PARSING = threading.Lock()
_UNFINISHED = ("unterminated triple-quoted", "was never closed", "EOF")
_LONG_NAME = re.compile(rf"(?<![\w.])(?:\w++[\s\\]*+\.[\s\\]*+){{{NAME_PARTS_MAX}}}")


class SyntaxFault(Struct, frozen=True):
    """Where (the 1-based line in the text that was parsed) and why a text does not parse."""

    line: int
    reason: str
    is_unfinished: bool


def parse(text: str) -> ast.Module | SyntaxFault:
    """The tree of a module text, or what is wrong with it."""
    if (name := _LONG_NAME.search(text)) is not None:
        line = text.count("\n", 0, name.start()) + 1
        return SyntaxFault(line, f"a name of more than {NAME_PARTS_MAX:,} parts", False)
    try:
        with _alone():
            return ast.parse(text)
    except SyntaxError as error:
        # Python counts the line of detection from the start of a part, so it is left out.
        reason = error.msg.split(" (detected at line", 1)[0]
        is_unfinished = any(sign in error.msg for sign in _UNFINISHED)
        return SyntaxFault(error.lineno or 1, reason, is_unfinished)
    except (RecursionError, MemoryError):
        return SyntaxFault(1, "nested too deeply to parse", is_unfinished=False)
    except ValueError as error:  # null bytes, lone surrogates
        return SyntaxFault(1, str(error), is_unfinished=False)


def statements_read(text: str) -> list[ast.stmt]:
    """The statements of a text; none if it does not parse."""
    tree = parse(text)
    return tree.body if isinstance(tree, ast.Module) else []


def body_of(text: str) -> list[ast.stmt]:
    """The statements of a text that was put together from parts that parse, and so has to parse.

    Raises SyntaxError if the text does not parse all the same: then it was put together wrongly.
    """
    tree = parse(text)
    if isinstance(tree, SyntaxFault):
        raise SyntaxError(f"line {tree.line}: {tree.reason}")
    return tree.body


def parse_expression(text: str) -> ast.expr | None:
    """The tree of a lone expression, or None."""
    try:
        with _alone():
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@contextmanager
def _alone() -> Generator[None]:
    """Let one thread parse at a time, and in silence.

    CPython counts the depth of the tree that it builds in one place for all threads, and raises
    SystemError when two of them get mixed up. `catch_warnings` is no safer with threads. A `"\\d"`
    in the user's file is not worth a line on our standard error.
    """
    with _PARSING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def statements_in(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The given statements and all statements within them, in order, with handlers and cases.

    Expressions, which are nearly all of a tree, are left out. The function keeps an explicit stack,
    because a chain of a thousand `elif` nests deeper than Python recurses.
    """
    pending = list(nodes)[::-1]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(child_statements(node)))


def child_statements(node: ast.AST) -> list[ast.AST]:
    """The statements (and handlers and cases) directly inside a block, in order."""
    return [
        child
        for part in ("body", "handlers", "cases", "orelse", "finalbody")
        if isinstance(children := getattr(node, part, None), list)
        for child in children  # pyright: ignore[reportUnknownVariableType]
        if isinstance(child, ast.AST)
    ]


def split_lines(text: str) -> list[str]:
    """The lines of a text with their breaks, broken only where Python's grammar breaks them.

    `str.splitlines` also breaks at form feeds and at separators that may stand in a string.
    """
    starts = line_starts(text)
    ends = [*starts[1:], len(text)]
    lines = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    return lines if lines[-1] else lines[:-1]


_WORD = re.compile(r"\w+")


def last_name(node: ast.expr) -> str:
    """``Optional`` of ``typing.Optional[int]``; empty for an expression that is no name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return last_name(value)
        case _:
            return ""


def bound_name(alias: ast.alias) -> str:
    """The name that an import binds: ``os`` for ``import os.path``."""
    return alias.asname or alias.name.partition(".")[0]


def names_in(annotation: ast.expr) -> list[str]:
    """The names that an annotation mentions, at any depth, and in texts, too."""
    found: list[str] = []
    for node in ast.walk(annotation):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found.append(name)
            case ast.Constant(value=str() as text):
                found += _WORD.findall(text)
            case _:
                pass
    return found
