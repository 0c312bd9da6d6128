"""The examples in a docstring: doctests, and calls shown with their value in a line of prose."""

from __future__ import annotations

import ast
import contextlib
import doctest
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .inline_examples import InlineExample, inline_examples
from .parsing import parse
from .scopes import names_of
from .source import Source
from .types import Example, Span, UnitKind
from .units import Cut

MAX_EXAMPLES = 100
"""Examples beyond are not taken; a docstring has a handful."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """A ``>>>`` statement: its text, what is shown below it, and its lines in the docstring."""

    text: str
    shown: str
    line: int
    lines: int
    is_skipped: bool


def examples_of(source: Source, cut: Cut, known: Iterable[str]) -> tuple[Example, ...]:
    """All examples of a unit in order.

    `known` are the names that values may be made with where they are shown in prose.
    """
    constant = _docstring_node(cut)
    if constant is None:
        return ()
    docstring = constant.value
    assert isinstance(docstring, str)
    spans = _Spans(source, constant, cut.unit.span.start)
    statements = _statements(docstring)
    found = [(each.span.start, each) for each in _doctests(statements, cut, spans)]
    covered = {
        number
        for each in statements
        if each.shown
        for number in range(each.line, each.line + each.lines + each.shown.count("\n"))
    }
    lines = ["" if number in covered else line for number, line in enumerate(docstring.split("\n"))]
    owner = cut.enclosing[-1].name if cut.unit.kind is not UnitKind.FUNCTION else None
    for inline in inline_examples(lines, cut.node.name, owner, frozenset(known)):
        example = _from_inline(inline, spans)
        found.append((example.span.start, example))
    found.sort(key=lambda each: each[0])
    return tuple(example for _, example in found[:MAX_EXAMPLES])


def _docstring_node(cut: Cut) -> ast.Constant | None:
    match cut.node.body[0]:
        case ast.Expr(value=ast.Constant(value=str()) as constant):
            return constant
        case _:
            return None


def _doctests(statements: list[_Statement], cut: Cut, spans: _Spans) -> Iterator[Example]:
    own = {cut.node.name, cut.enclosing[0].name if cut.enclosing else cut.node.name}
    before: list[_Step] = []
    modules: set[str] = set()
    for statement in statements:
        text = _without_modules(statement.text, modules, own)
        tree = parse(text)
        if not isinstance(tree, ast.Module) or not tree.body:
            continue
        if _imports_any(tree, own):
            # Importing the function itself would bring the user's, whichever program is run.
            continue
        modules |= _imported_modules(tree)
        step = _step(text, tree, has_output=bool(statement.shown))
        if statement.shown and not statement.is_skipped:
            span = spans.span(statement.line, statement.line + statement.lines - 1)
            setup = _setup(before, step)
            yield Example(setup, text, statement.shown.rstrip("\n"), is_doctest=True, span=span)
        before.append(step)


@dataclass(frozen=True, slots=True)
class _Step:
    """A statement with the names it binds and all that it mentions."""

    text: str
    binds: frozenset[str]
    mentions: frozenset[str]
    has_output: bool


def _step(text: str, tree: ast.Module, *, has_output: bool) -> _Step:
    names = names_of(tree.body)
    return _Step(text, names.binds, names.binds | names.reads, has_output)


def _setup(before: list[_Step], step: _Step) -> tuple[str, ...]:
    """The statements before a step that it depends on: by names, or by what they do unseen.

    A call whose value is shown is taken to do nothing else, unless the docstring shows it again.
    """
    if any(step.text == earlier.text for earlier in before):
        return tuple(earlier.text for earlier in before)
    bound = {name for earlier in before for name in earlier.binds}
    needed = step.mentions & bound
    taken: list[str] = []
    for earlier in reversed(before):
        acts_unseen = not earlier.has_output and not earlier.binds
        if acts_unseen or earlier.mentions & needed:
            taken.append(earlier.text)
            needed |= earlier.mentions & bound
    return tuple(reversed(taken))


def _without_modules(text: str, modules: set[str], own: set[str]) -> str:
    """``module.f(1)`` as ``f(1)``, where the docstring imports its own module by name."""
    for module in modules:
        for name in own:
            text = re.sub(rf"\b{re.escape(module)}\.(?={re.escape(name)}\b)", "", text)
    return text


def _imports_any(tree: ast.Module, names: set[str]) -> bool:
    return any(
        (alias.asname or alias.name) in (*names, "*")
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )


def _imported_modules(tree: ast.Module) -> set[str]:
    return {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.Import)
        for alias in node.names
    }


def _statements(docstring: str) -> list[_Statement]:
    try:
        return _parsed(docstring, 0)
    except ValueError:
        # One bad line spoils the whole text for `doctest`; its own paragraph is enough.
        statements: list[_Statement] = []
        line = 0
        for paragraph in re.split(r"(\n[ \t]*(?=\n))", docstring):
            with contextlib.suppress(ValueError):
                statements += _parsed(paragraph, line)
            line += paragraph.count("\n")
        return statements


def _parsed(text: str, first_line: int) -> list[_Statement]:
    return [
        _Statement(
            text=each.source.rstrip("\n"),
            shown=each.want,
            line=first_line + each.lineno,
            lines=max(1, each.source.count("\n")),
            is_skipped=each.options.get(doctest.SKIP, False),
        )
        for each in doctest.DocTestParser().get_examples(text)
    ]


def _from_inline(inline: InlineExample, spans: _Spans) -> Example:
    return Example(
        inline.setup, inline.call, inline.expected, False, spans.span(inline.line, inline.line)
    )


@dataclass(frozen=True, slots=True)
class _Spans:
    """From lines of the docstring's value to spans in the source, relative to the unit."""

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
