"""Reads the statements of a text: their lines, their comments, their words."""

from __future__ import annotations

import ast
from typing import TypeGuard

from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.source import Source
from assay_engine.words import LINE_BREAK

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def with_newlines(text: str, newline: str) -> str:
    """The text with every line break turned into `newline`."""
    return LINE_BREAK.sub(lambda _: newline, text)


def first_line(statement: ast.stmt) -> int:
    """The 1-based line a statement starts on, decorators included."""
    if isinstance(statement, Definition) and statement.decorator_list:
        return min(statement.lineno, *(each.lineno for each in statement.decorator_list))
    return statement.lineno


def last_line(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def line_start(source: Source, line: int) -> int:
    """The offset of a 1-based line; the end of the text for the line after the last."""
    return source.starts[min(line, len(source.starts)) - 1]


def line_text(source: Source, line: int) -> str:
    """A 1-based line without its line break; empty beyond the last."""
    text = source.text[line_start(source, line) : line_start(source, line + 1)]
    return text.rstrip("\r\n")


def is_star_import(node: ast.AST) -> TypeGuard[ast.ImportFrom]:
    """Whether a node is ``from ... import *``."""
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def docstring_statement(definition: Definition | ast.Module) -> ast.Expr | None:
    """The statement that is the docstring, if there is one."""
    first = definition.body[0] if definition.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return first if isinstance(first.value.value, str) else None
    return None


def statements_after_docstring(definition: Definition) -> list[ast.stmt]:
    return definition.body[1:] if docstring_statement(definition) else definition.body


def last_function(statements: list[ast.stmt], name: str) -> FunctionNode | None:
    """The last function of that name among the statements themselves."""
    functions = [each for each in statements if isinstance(each, FunctionNode)]
    return next((each for each in reversed(functions) if each.name == name), None)


def comments_above(source: Source, line: int, floor: int) -> int:
    """The first line of the comments directly above a line, or the line itself if there are none.

    Comments above the line `floor` do not count.
    """
    while line > floor and line_text(source, line - 1).lstrip(" \t\f").startswith("#"):
        line -= 1
    return line


def statement_text(source: Source, statement: ast.stmt, floor: int) -> str:
    """A statement as it stands, with the comments above it and the comment behind it.

    Line breaks become ``\\n``. Of a line that several statements share, only the statement's own
    part is taken.
    """
    line = first_line(statement)
    start = line_start(source, line)
    before = source.text[start : source.offset(statement.lineno, statement.col_offset)]
    if before.strip(" \t\f") and line == statement.lineno:
        start += len(before)
    else:
        start = line_start(source, comments_above(source, line, floor))
    end = source.span(statement).end
    behind = source.text[end : source.line_end(end)]
    if behind.lstrip(" \t\f;").startswith("#"):
        end += len(behind)
    return with_newlines(source.text[start:end], "\n")


def is_not_implemented(statement: ast.stmt) -> bool:
    """Whether a statement is ``raise NotImplementedError``, with a message or without."""
    if not isinstance(statement, ast.Raise):
        return False
    raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
