"""Parsing foreign text: whatever it is, the answer is a tree or a fault, never an exception."""

from __future__ import annotations

import ast
import threading
import warnings
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from assay_engine.words import line_starts

_PARSING = threading.Lock()


class Fault(Struct, frozen=True):
    """Where (1-based line of the text that was parsed) and why a text does not parse."""

    line: int
    reason: str
    is_unfinished: bool


def parse(text: str) -> ast.Module | Fault:
    """The tree of a module text, or what is wrong with it."""
    try:
        with _alone():
            return ast.parse(text)
    except SyntaxError as error:
        # The line that Python detected it at is counted from the start of a part.
        reason = error.msg.split(" (detected at line", 1)[0]
        return Fault(error.lineno or 1, reason, _is_unfinished(error.msg))
    except (RecursionError, MemoryError):
        return Fault(1, "nested too deeply to parse", is_unfinished=False)
    except ValueError as error:  # null bytes, lone surrogates
        return Fault(1, str(error), is_unfinished=False)


def body_of(text: str) -> list[ast.stmt]:
    """The statements of a text that was put together from what parses, and so has to.

    Raises SyntaxError if it does not all the same: then it was put together wrongly.
    """
    tree = parse(text)
    if isinstance(tree, Fault):
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
    """One thread at a time, and in silence.

    CPython counts the depth of the tree that it builds in one place for all threads, and raises
    SystemError when two of them get mixed up; `catch_warnings` is no better. A `"\\d"` in the
    user's file is not worth a line on our standard error.
    """
    with _PARSING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def statements_in(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The given statements and all within them, in order, with handlers and cases.

    Without the expressions, which are nearly all of a tree. An explicit stack: a chain of a
    thousand `elif` nests deeper than Python recurses.
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
    """Lines with their breaks, broken only where Python's grammar breaks them.

    `str.splitlines` also breaks at form feeds and at separators that may stand in a string.
    """
    starts = line_starts(text)
    ends = [*starts[1:], len(text)]
    lines = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    return lines if lines[-1] else lines[:-1]


def _is_unfinished(message: str) -> bool:
    return any(
        sign in message for sign in ("unterminated triple-quoted", "was never closed", "EOF")
    )
