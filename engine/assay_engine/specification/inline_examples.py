"""Finds examples that are no doctests.

``f(2) -> 4``, ``f(2) == 4`` and ``f(2)  # 4`` are such, on a line of their own or behind a colon.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from assay_engine.bounds import STATEMENTS_MAX
from assay_engine.syntax.parsing import parse, parse_expression

# Longer calls and values are not looked for in a line of prose.
EXPRESSION_CHARACTERS_MAX = 300

_SHOWS = re.compile(
    r"""[`'"]*\s*
    (?: (?:\#\s*)? (?: --?> | ==?> | == | = | → | ⇒ | ⟶ | ↦ )
      | \#
    )\s*`*""",
    re.VERBOSE,
)
_AFTER_VALUE = re.compile(
    r"`*(?:$|[.,;)]+(?:\s|$)|\s+(?:\(|#|--|—|–|and\b|but\b|because\b|since\b|as\b))"
)
# The text breaks off and shows only the beginning of a value.
_GOES_ON = re.compile(r"`*,?\s*(?:\.\.|…)")
# What stands before an example on its line: marks, or whatever ends in a colon, a comma or an
# example. Behind other words, nobody knows whether they deny the example or limit it.
_BEGINS = re.compile(r"(?:\A|[:：;,]|\bassert)[\s*>`'\"(•–-]*\Z")
# More values follow. Then nobody knows which of them are meant, and in what form they are given.
_AND_MORE = re.compile(r"`*\s*(?:,|,?\s*\b(?:and|or|then)\b)\s*[`'\"\[({\d-]")
_BEFORE_MAX = 100
_ASSERTS = re.compile(r"\bassert\b")
_SPACED_COMMA = re.compile(r",\s")
_BUILTIN_MAKERS = """
set frozenset dict list tuple float int complex str bytes bytearray range
"""


class InlineExample(Struct, frozen=True):
    setup: tuple[str, ...]
    call: str
    expected: str
    line: int


def inline_examples(
    lines: Sequence[str], name: str, owner: str | None, known: frozenset[str]
) -> Iterator[InlineExample]:
    """The examples in the lines of a docstring, for a function, or for a method of `owner`.

    A value or an argument counts if it is a literal or made with names that are `known`. Text that
    may not be meant as Python (`1,000`, `2024-11-15`, `1/2`, `3.14...`) is no value. Assignments in
    the lines right before a call are its setup.
    """
    start = re.compile(rf"(?<![\w.]){re.escape(owner or name)}(?=[.(])")
    setup: list[str] = []
    bound: set[str] = set()
    for number, line in enumerate(lines):
        code = line.strip().removeprefix(">>> ")
        match parse(code) if "=" in line else None:
            case ast.Module(body=[ast.Assign(targets=targets, value=value)]) if _is_value(
                value, known | bound
            ):
                if len(setup) == STATEMENTS_MAX:
                    return
                setup.append(code)
                bound |= {name for target in targets for name in _names(target)}
                continue
            case _:
                pass
        found = False
        asserts = _ASSERTS.search(line)
        for match in start.finditer(line):
            at = match.start()
            if not _BEGINS.search(line, max(0, at - _BEFORE_MAX), at):
                continue
            rest = line[at:][: 2 * EXPRESSION_CHARACTERS_MAX]
            is_asserted = asserts is not None and asserts.end() <= at
            call, end = next(_calls(rest, name, owner, known), (None, 0))
            shows = _SHOWS.match(rest, end)
            if call is None or shows is None:
                continue
            if not all(_is_value(each, known | bound) for each in _arguments(call)):
                continue
            expected = _value(rest[shows.end() :], is_asserted, known)
            if expected is not None:
                found = True
                needed = () if bound.isdisjoint(_names(call)) else tuple(setup)
                yield InlineExample(needed, rest[:end], expected, number)
        if not found and line.strip():
            setup, bound = [], set()


def _calls(
    text: str, name: str, owner: str | None, known: frozenset[str]
) -> Iterator[tuple[ast.Call, int]]:
    """The calls of the function at the start of a text, ``f(…)``, ``Owner.f(…)`` or
    ``Owner(…).f(…)``, each with its end."""
    for index, character in enumerate(text[:EXPRESSION_CHARACTERS_MAX]):
        match parse_expression(text[: index + 1]) if character == ")" else None:
            case ast.Call(func=ast.Name(id=called)) as call if owner is None and called == name:
                yield call, index + 1
            case ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr=called)) as call:
                if (of, called) == (owner, name):
                    yield call, index + 1
            case ast.Call(func=ast.Attribute(value=ast.Call() as made, attr=called)) as call:
                if called == name and owner is not None and _is_value(made, known | {owner}):
                    yield call, index + 1
            case _:
                pass


def _names(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _value(text: str, is_asserted: bool, known: frozenset[str]) -> str | None:
    """The longest start of a text that is a value and after which a phrase may end.

    None if the author may have meant that start as plain text. In an assertion, a message may
    follow the value behind a comma.
    """
    text = text[:EXPRESSION_CHARACTERS_MAX].strip()
    for end in range(len(text), 0, -1):
        goes_on = _GOES_ON.match(text, end)
        if text[end - 1] in " \t.,;`" or not (goes_on or _AFTER_VALUE.match(text, end)):
            continue
        if not is_asserted and _AND_MORE.match(text, end):
            continue
        value = parse_expression(text[:end])
        if value is None or not _is_value(value, known):
            continue
        # The texts between the parts of a tuple without brackets.
        gaps: list[str] = []
        match value:
            case ast.Tuple(elts=[first, *_] as parts) if first.col_offset == value.col_offset:
                source = text.encode()
                gaps = [
                    source[one.end_col_offset : other.col_offset].decode()
                    for one, other in pairwise(parts)
                ]
            case _:
                pass
        if not (gaps and is_asserted):
            is_clear = not goes_on and _is_clear(value) and all(map(_SPACED_COMMA.search, gaps))
            return text[:end] if is_clear else None
    return None


def _is_clear(value: ast.expr) -> bool:
    """Whether no part of a value is numbers joined by signs: a date, a fraction or a choice."""
    match value:
        case ast.Call():
            return True
        case ast.BinOp() if not _is_arithmetic(value):
            return False
        case _:
            return all(
                _is_clear(part)
                for part in ast.iter_child_nodes(value)
                if isinstance(part, ast.expr)
            )


def _is_arithmetic(value: ast.BinOp) -> bool:
    kinds = {
        type(part.value if isinstance(part, ast.Constant) else part) for part in ast.walk(value)
    }
    if kinds & {ast.Name, ast.List, ast.Tuple, ast.Set, ast.Dict}:
        return True
    match value.op:
        case ast.Pow():
            return True
        case ast.Add() | ast.Mult() if kinds & {str, bytes}:
            return True
        case ast.Add() | ast.Sub():
            return bool(kinds & {ast.Pow, complex})
        case _:
            return False


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _is_value(node: ast.expr, known: frozenset[str]) -> bool:
    match node:
        case ast.Constant(value=value):
            return value is not Ellipsis
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return all(_is_value(each, known) for each in parts)
        case ast.Dict(keys=keys, values=values):
            return all(key is not None and _is_value(key, known) for key in keys) and all(
                _is_value(each, known) for each in values
            )
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            return _is_value(operand, known)
        case ast.BinOp(left=left, right=right):
            return _is_value(left, known) and _is_value(right, known)
        case ast.Name(id=name):
            return name in known
        case ast.Attribute(value=ast.Name(id=name)):
            return name in known
        case ast.Call(func=ast.Name(id=name)) if name in _BUILTIN_MAKERS.split():
            return all(_is_value(each, known) for each in _arguments(node))
        case ast.Call(func=ast.Name() | ast.Attribute() as made):
            return _is_value(made, known) and all(
                _is_value(each, known) for each in _arguments(node)
            )
        case _:
            return False
