"""Saves an expectation as a test in the project's own suite."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from textwrap import indent, wrap
from typing import TypeGuard

from msgspec import Struct
from msgspec.structs import replace
from typing_extensions import override

from assay_engine.dependencies.modules import absolute_name
from assay_engine.dependencies.needed import imports_in
from assay_engine.fixes.asserting import FIXTURES
from assay_engine.fixes.assertions import PYTEST, lines_of, names_taken
from assay_engine.fixes.replacing import as_encoded, changed_since, current_unit
from assay_engine.fixes.test_suites import Asynchronous, Suite, suite_of
from assay_engine.messages.fixes import CLARIFIED
from assay_engine.splicing.edits import in_order
from assay_engine.splicing.imports import (
    Imported,
    import_edits,
    import_lines,
    imported_by,
    module_of,
    section,
)
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.parsing import SyntaxFault, body_of, parse
from assay_engine.syntax.scopes import bound_in_module, occurrences
from assay_engine.syntax.text import Source, docstring_statement, read_source, with_newlines
from assay_engine.types import Edit, Expectation, Problem, ProblemKind, Report, SourceText, Span
from assay_engine.words import LINE_BREAK, short

_INDENT = "    "
# Of the words by which the model named the kind of input, in a test's name.
_WORDS_MAX = 6
_COMMENT_CHARACTERS = 82


class SavedTest(Struct, frozen=True):
    """A test to save: what to say of it, and the edits of the file at `path`.

    `before` is the text that the edits are of; it is None, and the edits are of an empty text, if
    there is no such file yet. There are no edits if the file has a test that does the same. `name`
    is the test's.
    """

    title: str
    name: str
    path: str
    before: str | None
    edits: tuple[Edit, ...]


def saved_test(
    source: SourceText, report: Report, number: int, opened: Mapping[Path, str] | None = None
) -> SavedTest | Problem:
    """Expectation `number` of the report, as a test in the suite of the project `source.root`.

    `opened` are texts that an editor holds of other files, by real path. Nothing is written, and
    the project's files are only read. The result is a problem if there is no such test, if the
    function has been changed since it was checked, or if no test can import it.
    """
    expectation = report.expectations[number]
    if not expectation.body:
        return _problem(f"There is no such test. {expectation.obstacle}")
    if isinstance(parse(expectation.body), SyntaxFault):
        return _problem("The report's test does not parse: the report was changed. Check again.")
    unit = current_unit(source.text, report)
    if unit is None:
        return changed_since(report)
    if "<locals>" in unit.qualname:
        return _problem(f"No test can import {unit.qualname}, which is defined in a function.")
    file = Path(source.path)
    suite = suite_of(file, Path(source.root or file.parent), opened or {})
    if isinstance(suite, str):
        return _problem(suite)
    before = read_source(suite.text or "")
    if before.problems:
        return _problem(f"{suite.file} does not parse as Python. Fix it first.")
    body, waits = _awaiting(expectation.body, suite.asynchronous)
    wanted = names_taken(body) | frozenset([PYTEST] if PYTEST in waits else [])
    outer, inner = _imports(wanted, source.text, suite, before)
    title = f"Save as a test that it {expectation.behaviour}"
    if (same := _same(before, inner, body)) is not None:
        return SavedTest(title, same, str(suite.file), suite.text, ())
    name = _name(report, unit.path, bound_in_module(occurrences(before.tree.body)))
    test = _function(name, body, inner, waits, _kills(expectation))
    has_code = any(each is not docstring_statement(before.tree) for each in before.tree.body)
    edits = _added(before, outer, test) if has_code else _made(before, outer, test, suite.module)
    encoded = as_encoded(before.text, edits, "The test")
    if isinstance(encoded, Problem):
        return encoded
    return SavedTest(title, name, str(suite.file), suite.text, encoded)


def chosen(expectations: Sequence[Expectation], *, of_function: bool) -> int | None:
    """The number of the first expectation of the function's own outcome, or of the candidates'."""
    fitting = [n for n, each in enumerate(expectations) if each.is_original == of_function]
    return next((n for n in fitting if expectations[n].body), next(iter(fitting), None))


def _problem(message: str) -> Problem:
    return Problem(ProblemKind.NO_REPLACEMENT, message)


def _same(before: Source, imports: Sequence[Imported], body: str) -> str | None:
    """The name of a test in a file that does what a body does; None if there is none."""
    wanted = lines_of([*(each.statement() for each in imports), *body_of(body)])
    for node in before.tree.body:
        if isinstance(node, FunctionNode) and lines_of(node.body) == wanted:
            return node.name
    return None


class _Awaits(ast.NodeTransformer):
    """Turns ``asyncio.run(x)`` into ``await x``."""

    found = False

    @override
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name("asyncio"), attr="run"),
                args=[awaited],
                keywords=[],
            ):
                self.found = True
                return ast.Await(awaited)
            case _:
                return node


def _awaiting(body: str, how: Asynchronous) -> tuple[str, str]:
    """The body as the project's tests wait for coroutines, and what its header begins with."""
    awaits = _Awaits()
    statements = [awaits.visit(each) for each in body_of(body)]
    if how is Asynchronous.PLAIN or not awaits.found:
        return body, ""
    mark = "" if how is Asynchronous.AUTO else f"@{PYTEST}.mark.{how}\n"
    return lines_of(statements), f"{mark}async "


def _imports(
    wanted: Collection[str], module_text: str, suite: Suite, before: Source
) -> tuple[list[Imported], list[Imported]]:
    """What the test imports: at the head of its file, and within, where a name is taken there."""
    tree = read_source(module_text).tree
    defined = bound_in_module(occurrences(tree.body))
    known = _imported(tree.body, suite.package)
    there = _imported(before.tree.body, suite.own_package)
    taken = bound_in_module(occurrences(before.tree.body))
    outer: list[Imported] = []
    inner: list[Imported] = []
    for name in sorted(wanted):
        # What is no name of the module is a module by itself.
        own = Imported(0, suite.module, name, None) if name in defined else None
        needed = known.get(name) or own or Imported(0, name, None, None)
        if name not in taken:
            outer.append(needed)
        elif name not in there or there[name].target != needed.target:
            inner.append(needed)
    return outer, inner


def _imported(statements: Sequence[ast.stmt], package: str) -> dict[str, Imported]:
    """What imports bind, by name, with relative imports made absolute."""
    found = [each for line in imports_in(statements) for each in imported_by(line)]
    return {each.bound: _absolute(each, package) for each in found}


def _absolute(wanted: Imported, package: str) -> Imported:
    module = absolute_name(wanted.module, wanted.level, package) if wanted.level else None
    return wanted if module is None else replace(wanted, level=0, module=module)


def _name(report: Report, path: str, taken: Collection[str]) -> str:
    """A free name: of the function, and of the kind of input as the model named it."""
    shown = (each.witness for each in report.findings if each.code in CLARIFIED)
    kind = next((each.partition for each in shown if each is not None), "")
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", path)
    words = re.findall(r"[^\W_]+", kind, flags=re.ASCII)[:_WORDS_MAX]
    parts = ["test", *re.findall(r"[^\W_]+", parted), *words]
    name = "_".join(parts).lower()
    free, number = name, 2
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def _kills(expectation: Expectation) -> list[str]:
    """Comments that say which programs the test fails on. They change no statement, so that
    `_same` finds the test again."""
    killed = [f"{each.who} ({short(each.what)})" for each in expectation.kills]
    # The function may be mended soon, and the comment stays.
    said = f"When written, it failed on {', and on '.join(killed)}." if killed else ""
    return [f"# {line}" for line in wrap(said, _COMMENT_CHARACTERS, break_on_hyphens=False)]


def _function(
    name: str, body: str, imports: Sequence[Imported], waits: str, comments: Sequence[str]
) -> str:
    """The text of the test; `waits` is the beginning of the header of one that is a coroutine."""
    used = {node.id for each in body_of(body) for node in ast.walk(each) if _is_name(node)}
    fixtures = ", ".join(each for each in FIXTURES if each in used)
    lines = [*comments, *(ast.unparse(each.statement()) for each in imports), body]
    return f"{waits}def {name}({fixtures}):\n" + indent("\n".join(lines), _INDENT) + "\n"


def _is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def _made(before: Source, imports: Sequence[Imported], test: str, module: str) -> tuple[Edit, ...]:
    """The edit that makes the content of a file with no code in it."""
    lines: dict[tuple[int, bool], list[str]] = {}
    for line in import_lines(imports):
        is_own = module_of(line).partition(".")[0] == module.partition(".")[0]
        lines.setdefault((section(line), is_own), []).append(ast.unparse(line))
    groups = ["\n".join(lines[key]) for key in sorted(lines)]
    start = before.text.rstrip()
    text = "\n\n".join([*filter(None, [start]), *groups, f"\n{test}" if groups or start else test])
    return (Edit(Span(0, len(before.text)), text),)


def _added(before: Source, imports: Sequence[Imported], test: str) -> tuple[Edit, ...]:
    """The edits that add to a file of tests, at its end, and leave everything else as it is."""
    text = before.text
    found = LINE_BREAK.search(text)
    newline = found[0] if found else "\n"
    ending = text[len(text.rstrip()) :]
    gap = "\n" * max(0, 3 - len(LINE_BREAK.findall(ending)))
    end = Edit(Span(len(text), len(text)), with_newlines(gap + test, newline))
    return in_order((*import_edits(before, before.tree.body, newline, imports), end))
