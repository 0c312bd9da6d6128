"""Finds a docstring's examples: doctests, and calls shown with their value in a line of prose.

``f(2) -> 4``, ``f(2) == 4`` and ``f(2)  # 4`` are such, on a line of their own or behind a colon.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise

from msgspec import Struct

from assay_engine.bounds import (
    DOCSTRING_CHARACTERS_MAX,
    DOCSTRING_LINE_CHARACTERS_MAX,
    EXAMPLES_MAX,
    STATEMENTS_MAX,
)
from assay_engine.dependencies.needed import read_pieces
from assay_engine.syntax.parsing import (
    bound_name,
    parse,
    parse_expression,
    statements_in,
    statements_read,
)
from assay_engine.syntax.scopes import BUILTINS, names_of, own_nodes
from assay_engine.syntax.text import Source, docstring_statement, is_star_import
from assay_engine.syntax.units import Cut
from assay_engine.types import Example, Problem, ProblemKind, Span, UnitKind


def examples_of(source: Source, cut: Cut) -> tuple[Example, ...]:
    """All examples of a unit in order, except those that use undefined names.

    The examples run in the module alone. One that relies on an earlier session, or shows a tool
    that is not there, says nothing about the function.
    """
    statement = docstring_statement(cut.node)
    if statement is None or not isinstance(statement.value, ast.Constant):
        return ()
    # Lines that are too long to be read stay in their places, empty.
    readable = str(statement.value.value)[:DOCSTRING_CHARACTERS_MAX].split("\n")
    lines = [line if len(line) <= DOCSTRING_LINE_CHARACTERS_MAX else "" for line in readable]
    spans = _Spans(source, statement.value, cut.unit.span.start)
    statements = _statements("\n".join(lines))[:STATEMENTS_MAX]
    examples = list(_doctests(statements, cut, spans))
    owner = cut.enclosing[-1].name if cut.unit.kind is not UnitKind.FUNCTION else None
    # If the function returns nothing, prose shows what becomes of an argument instead. The result
    # of a coroutine comes only with awaiting it.
    if isinstance(cut.node, ast.FunctionDef) and any(
        isinstance(each, ast.Yield | ast.YieldFrom)
        or (isinstance(each, ast.Return) and each.value is not None)
        for each in own_nodes(cut.node)
    ):
        for each in statements:
            if each.want or _asserted(each):
                end = each.lineno + max(1, each.source.count("\n")) + each.want.count("\n")
                lines[each.lineno : end] = [""] * len(lines[each.lineno : end])
        found = _inline_examples(lines, cut.node.name, owner, _value_names(source), spans)
        examples += islice(found, STATEMENTS_MAX)
    if not examples:
        return ()
    pieces = read_pieces(source)
    # Nobody can tell what a star import brings along: with one, all names that are used count.
    stars = any(map(is_star_import, source.tree.body))
    brought = [each.names.reads for each in pieces.pieces] if stars else []
    # A closure's own name counts as defined because the closure is lifted out of the function
    # around it. A method's name does not: the method is found in its class alone.
    defined = pieces.binds.union(BUILTINS, *brought, [] if owner else [cut.node.name])
    usable = [each for each in examples if names_used(each) <= defined]
    return tuple(sorted(usable, key=lambda each: each.span.start)[:EXAMPLES_MAX])


def unread(docstring: str) -> tuple[Problem, ...]:
    """A problem if not all examples of a docstring are read."""
    if len(docstring) > DOCSTRING_CHARACTERS_MAX:
        what = f"after {DOCSTRING_CHARACTERS_MAX:,} characters of its docstring"
    elif any(len(line) > DOCSTRING_LINE_CHARACTERS_MAX for line in docstring.split("\n")):
        what = f"in lines of more than {DOCSTRING_LINE_CHARACTERS_MAX:,} characters"
    elif docstring.count(">>> ") > STATEMENTS_MAX:
        what = f"after {STATEMENTS_MAX} statements of its docstring"
    else:
        return ()
    advice = "put those that matter most first, or move some to a test."
    return (Problem(ProblemKind.NOT_RUN, f"Examples {what} are not tried; {advice}"),)


def names_used(example: Example) -> frozenset[str]:
    """The names that an example takes from the module around it, or from Python."""
    code = "\n".join([*example.setup, example.call])
    shown = "" if example.is_doctest else example.expected
    names = [names_of([tree]) for text in (code, shown) if isinstance(tree := parse(text), ast.AST)]
    binds = frozenset[str]().union(*(each.binds for each in names))
    return frozenset[str]().union(*(each.reads for each in names)) - binds


# A memo, like that of `read_source`: every function of a file asks for the same names.
@lru_cache(maxsize=4)
def _value_names(source: Source) -> frozenset[str]:
    """The classes and imports of a module, with which values shown in prose may be made."""
    names: set[str] = set()
    for each in statements_in(source.tree.body):
        if isinstance(each, ast.ClassDef):
            names.add(each.name)
        elif isinstance(each, ast.Import | ast.ImportFrom):
            names |= set(map(bound_name, each.names))
    return frozenset(names)


def _doctests(statements: list[doctest.Example], cut: Cut, spans: _Spans) -> Iterator[Example]:
    own = {cut.node.name, cut.enclosing[0].name if cut.enclosing else cut.node.name}
    before: list[_Step] = []
    modules: set[str] = set()
    for statement in statements:
        text = statement.source.rstrip("\n")
        # ``module.f(1)`` is ``f(1)`` where the docstring imports its own module by name.
        for module in modules:
            for name in own:
                text = re.sub(rf"(?<![\w.]){re.escape(module)}\.(?={re.escape(name)}\b)", "", text)
        body = statements_read(text)
        if not body:
            continue
        imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        if any(
            not own.isdisjoint((alias.name, alias.asname)) or alias.name == "*"
            for node in imports
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        ):
            # Importing the function would bring the user's version, whichever program is run.
            continue
        for node in imports:
            if isinstance(node, ast.Import):
                modules |= {alias.asname or alias.name for alias in node.names}
        if statement.options.get(doctest.SKIP, False):
            continue
        asserted = _asserted(statement)
        call, shown = asserted or (text, statement.want.rstrip("\n"))
        names = names_of(body)
        assigns = names.binds - names_of(imports).binds
        step = _Step(text, shown, names.binds, assigns, names.binds | names.reads)
        if shown:
            further = max(1, statement.source.count("\n")) - 1
            span = spans.span(statement.lineno, statement.lineno + further)
            setup, session = _setup(before, step), tuple(earlier.text for earlier in before)
            yield Example(setup, call, shown, asserted is None, span, session)
        before.append(step)


class _Step(Struct, frozen=True):
    """A statement, with the names that it binds, assigns (a part of these) and mentions."""

    text: str
    shown: str
    binds: frozenset[str]
    assigns: frozenset[str]
    mentions: frozenset[str]


def _setup(before: list[_Step], step: _Step) -> tuple[str, ...]:
    """The earlier statements that a step depends on, by names or by effects that are not shown.

    A call whose value is shown is assumed to have no other effect. It may have one if it was given
    an object that the step uses too, or if the docstring shows the same call again. A call that is
    shown to raise is left out.
    """
    smooth = [earlier for earlier in before if not earlier.shown.startswith("Traceback (most")]
    if any(step.text == earlier.text for earlier in smooth):
        return tuple(earlier.text for earlier in smooth)
    bound = frozenset[str]().union(*(earlier.binds for earlier in smooth))
    objects = frozenset[str]().union(*(earlier.assigns for earlier in smooth))
    needed = step.mentions & bound
    taken: list[str] = []
    for earlier in reversed(smooth):
        acts_unseen = not earlier.shown and not earlier.binds
        if acts_unseen or earlier.binds & needed or earlier.mentions & needed & objects:
            taken.append(earlier.text)
            needed |= earlier.mentions & bound
    return tuple(reversed(taken))


def _statements(docstring: str) -> list[doctest.Example]:
    """The ``>>>`` statements of a docstring, with their lines there."""
    read = doctest.DocTestParser().get_examples
    try:
        return read(docstring)
    except ValueError:
        # For `doctest`, one bad line spoils the whole text. Read apart, it spoils one paragraph.
        statements: list[doctest.Example] = []
        line = 0
        for paragraph in re.split(r"(\n[ \t]*(?=\n))", docstring):
            with contextlib.suppress(ValueError):
                for each in read(paragraph):
                    each.lineno += line
                    statements.append(each)
            line += paragraph.count("\n")
        return statements


def _asserted(statement: doctest.Example) -> tuple[str, str] | None:
    """The two sides of ``assert f(2) == 4`` that shows nothing."""
    match statements_read(statement.source):
        case [ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]))] if (
            not statement.want
        ):
            return ast.unparse(left), ast.unparse(right)
        case _:
            return None


class _Spans(Struct, frozen=True):
    """Converts lines of the docstring's value to spans in the source, relative to the unit."""

    source: Source
    constant: ast.Constant
    origin: int

    def span(self, first: int, last: int) -> Span:
        whole = self.source.span(self.constant)
        value = str(self.constant.value)
        lines_in_source = (self.constant.end_lineno or self.constant.lineno) - self.constant.lineno
        if value.count("\n") != lines_in_source:
            # Escapes or joined literals: the lines of the value are not those of the source.
            return Span(whole.start - self.origin, whole.end - self.origin)
        start = max(whole.start, self._line_start(first))
        end = min(whole.end, self.source.line_end(self._line_start(last)))
        text = self.source.text[start:end]
        start += len(text) - len(text.lstrip())
        return Span(start - self.origin, start - self.origin + len(text.strip()))

    def _line_start(self, line: int) -> int:
        return self.source.starts[self.constant.lineno - 1 + line]


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


def _inline_examples(
    lines: Sequence[str], name: str, owner: str | None, known: frozenset[str], spans: _Spans
) -> Iterator[Example]:
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
        match statements_read(code) if "=" in line else []:
            case [ast.Assign(targets=targets, value=value)] if _is_value(value, known | bound):
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
            call, end = next(_calls(rest, name, owner, known), (None, 0))
            shows = _SHOWS.match(rest, end)
            if call is None or shows is None:
                continue
            if not all(_is_value(each, known | bound) for each in _arguments(call)):
                continue
            is_asserted = asserts is not None and asserts.end() <= at
            expected = _value(rest[shows.end() :], is_asserted, known)
            if expected is not None:
                found = True
                needed = () if bound.isdisjoint(_names(call)) else tuple(setup)
                yield Example(needed, rest[:end], expected, False, spans.span(number, number))
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
        case ast.BinOp(op=op):
            parts = ast.walk(value)
            kinds = {type(each.value if isinstance(each, ast.Constant) else each) for each in parts}
            is_clear = (
                not kinds.isdisjoint((ast.Name, ast.List, ast.Tuple, ast.Set, ast.Dict))
                or isinstance(op, ast.Pow)
                or (isinstance(op, ast.Add | ast.Mult) and not kinds.isdisjoint((str, bytes)))
                or (isinstance(op, ast.Add | ast.Sub) and not kinds.isdisjoint((ast.Pow, complex)))
            )
            if not is_clear:
                return False
        case _:
            pass
    return all(
        _is_clear(part) for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr)
    )


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
