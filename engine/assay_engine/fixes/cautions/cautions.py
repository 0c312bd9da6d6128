"""Tells what a candidate would bring into a file that no trial can vouch for.

What a program does in the sandbox says nothing about what it will do outside of it. So code that
would run at every import, and names by which code reaches outside, are pointed out, unless the
file has them already.

Finds code of a candidate that no input of a trial has reached.

The candidate is written anew for this, one statement to a line, with what runs only sometimes (the
second half of an ``or``, the body of a ``lambda``) on lines of its own, and comments between that
tell where each of these begins. The lines that the sandbox saw then tell which of them ran. An
empty list stands where Python might leave something out without a trace, such as ``break``.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from assay_engine import digest
from assay_engine.compare.executor import Executor, program_of
from assay_engine.fixes.cautions.at_import import run_at_import
from assay_engine.fixes.cautions.reaching import reaches
from assay_engine.fixes.cautions.sharing import shared_changes
from assay_engine.specification.specification import running_unit
from assay_engine.splicing import apply_edits, splice
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.parsing import body_of
from assay_engine.syntax.scopes import BUILTINS, bound_in_module, nodes_in, occurrences_in
from assay_engine.syntax.text import Definition, first_line, last_function, read_source
from assay_engine.types import Caution, Problem, Specification
from assay_engine.words import line_starts
from assay_sandbox import Call


def caution_about(text: str, candidate: str, name: str) -> Caution | None:
    """The first such thing in a candidate for the function `name` of the file `text`."""
    try:
        return min(_cautions(text, candidate, name), key=lambda each: each.line, default=None)
    except RecursionError:
        return unread(candidate)


def unread(candidate: str) -> Caution:
    """The caution about a candidate of which nothing more is known."""
    return Caution(1, candidate.partition("\n")[0], "starts something that cannot be followed")


def _cautions(text: str, candidate: str, name: str) -> Iterator[Caution]:
    around, tree = read_source(text).tree, read_source(candidate).tree
    function = last_function(tree.body, name)
    brought = [each for each in tree.body if each is not function]
    for node in run_at_import(brought, around):
        yield caution_at(node, "runs whenever the file is imported")
    yield from _changes(tree, around)
    for reach in reaches(tree, around):
        yield caution_at(reach.node, f"reaches outside ({reach.name})")


def caution_at(node: ast.AST, reason: str) -> Caution:
    """The caution that says where some code begins, and how."""
    line = first_line(node) if isinstance(node, Definition) else getattr(node, "lineno", 1)
    return Caution(line, ast.unparse(node).partition("\n")[0], reason)


def _changes(tree: ast.Module, around: ast.Module) -> Iterator[Caution]:
    """What a candidate does to what other code of the file uses, too, and the file does not."""
    of_file = bound_in_module(occurrences_in(around))
    for each in occurrences_in(tree):
        if each.binds and each.in_module and each.name in BUILTINS - of_file:
            yield caution_at(each.node, f"takes the place of {each.name} in the whole file")
    for change in shared_changes(tree, around):
        where = "file" if change.name in of_file else "program"
        yield caution_at(change.node, f"changes {change.name} for the whole {where}")


async def changed(
    executor: Executor,
    specification: Specification,
    candidate: str,
    source: str,
    calls: Sequence[Call],
) -> Caution | None:
    """What calls of a candidate's program change that is shared, and calls of the original do not.

    `source` is the program with the candidate in it. What the candidate brings along is its own.
    """
    names = await executor.changed(program_of(specification, source), calls)
    tree = read_source(candidate).tree
    own = bound_in_module(occurrences_in(tree)) - bound_in_module(
        occurrences_in(read_source(specification.program).tree)
    )
    others = sorted(each for each in names if each.partition(".")[0] not in own)
    if not others:
        return None
    others = sorted({*others} - await executor.changed(program_of(specification), calls))
    for each in others:
        parts = each.removesuffix("()").split(".")
        where = next((node for node in nodes_in(tree) if _named(node) in parts), tree.body[-1])
        return caution_at(where, f"changes {each} for the whole program")
    return None


def _named(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name
        case _:
            return ""


_WITHOUT_TRACE = (ast.Pass, ast.Break, ast.Continue)
_CONVERSIONS = {-1: "", ord("s"): "!s", ord("r"): "!r", ord("a"): "!a"}
_TAG_CHARACTERS = 12


class _Part(Struct, frozen=True):
    """A part of a candidate that has to be seen to run, and on how many lines it now stands."""

    caution: Caution
    lines: int


async def unreached(
    executor: Executor, specification: Specification, candidate: str, calls: Sequence[Call]
) -> Caution | None:
    """The first code of a candidate that none of the calls reaches; None if all of it is."""
    place = running_unit(specification)
    try:
        marking = _Marking(candidate)
    except RecursionError:
        return unread(candidate)
    edits = None if place is None else splice(specification.running_text, place, marking.text)
    if edits is None or isinstance(edits, Problem):
        return unread(candidate)
    program = program_of(specification, apply_edits(specification.running_text, edits))
    seen = await executor.covered(program, calls, specification.documented_exceptions)
    reached = {line for each in seen for line in each.lines}
    begins = marking.lines_in(program.source)
    for number, part in enumerate(marking.parts):
        begin = begins.get(number, 0)
        if begin == 0 or reached.isdisjoint(range(begin, begin + part.lines)):
            return part.caution
    return None


class _Marking(ast.NodeTransformer):
    """A candidate with comments that number its `parts`."""

    def __init__(self, candidate: str) -> None:
        # Nobody can know these comments beforehand and bring some of them along.
        self._tag = f"#{digest.of_text(candidate)[:_TAG_CHARACTERS]}-"
        self.parts: list[_Part] = []
        self._depth = 0
        statements = [self.visit(each) for each in body_of(candidate)]
        tree = ast.Module(statements, type_ignores=[])
        self.text = f"{ast.unparse(tree)}\n"

    def lines_in(self, text: str) -> dict[int, int]:
        """The lines of a text on which the parts begin, by their numbers."""
        starts = line_starts(text)
        found = re.finditer(rf"{self._tag}(\d+)", text)
        return {int(each[1]): bisect_right(starts, each.start()) + 1 for each in found}

    def visit(self, node: ast.AST) -> Any:
        match node:
            case ast.Expr(value=ast.Constant()):
                return ast.Pass()
            case ast.AnnAssign(value=None) | ast.Global() | ast.Nonlocal():
                return node
            case ast.stmt() if self._depth:
                number = self._noted(node)
                begin = ast.Expr(ast.Name(f"{self._tag}{number}"))
                if isinstance(node, _WITHOUT_TRACE):
                    return [begin, ast.Expr(_nothing()), node]
                seen = self._within(node)
                lines = ast.unparse(seen).count("\n") + 1
                self.parts[number] = replace(self.parts[number], lines=lines)
                return [begin, seen]
            case ast.JoinedStr():
                return self.visit(_formatted(node))
            case _:
                return self._within(node)

    def _within(self, node: ast.AST) -> Any:
        """The node with what is in it seen to."""
        if not isinstance(node, FunctionNode):
            self._set_apart(node)
            return self.generic_visit(node)
        # What else belongs to a function runs when it is defined.
        self._depth += 1
        node.body = [each for statement in node.body for each in _listed(self.visit(statement))]
        self._depth -= 1
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.args = self.visit(node.args)
        return node

    def _set_apart(self, node: ast.AST) -> None:
        """Put what runs only sometimes, when its surroundings run, on lines of its own."""
        match node:
            case ast.IfExp():
                node.body, node.orelse = self._apart(node.body), self._apart(node.orelse)
            case ast.BoolOp(values=values):
                values[1:] = map(self._apart, values[1:])
            case ast.Compare(comparators=comparators):
                comparators[1:] = map(self._apart, comparators[1:])
            case ast.Lambda():
                node.body = self._apart(node.body)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                self._set_loops_apart(node.generators)
                node.elt = self._apart(node.elt)
            case ast.DictComp():
                self._set_loops_apart(node.generators)
                node.key, node.value = self._apart(node.key), self._apart(node.value)
            case ast.ExceptHandler(type=ast.expr() as kind):
                node.type = self._apart(kind)
            case ast.match_case(guard=ast.expr() as guard):
                node.guard = self._apart(guard)
            case ast.Assert(msg=ast.expr() as message):
                node.msg = self._apart(message)
            case _:
                pass

    def _set_loops_apart(self, loops: list[ast.comprehension]) -> None:
        for number, each in enumerate(loops):
            each.iter = self._apart(each.iter) if number else each.iter
            each.ifs[:] = map(self._apart, each.ifs)

    def _apart(self, node: ast.expr) -> ast.expr:
        number = self._noted(node)
        seen = ast.unparse(ast.BoolOp(ast.Or(), [_nothing(), self.visit(node)]))
        return ast.Name(f"({self._tag}{number}\n{seen}\n)")

    def _noted(self, node: ast.expr | ast.stmt) -> int:
        self.parts.append(_Part(caution_at(node, "was not run on any input"), 1))
        return len(self.parts) - 1


def _nothing() -> ast.List:
    return ast.List([], ast.Load())


def _listed(found: ast.stmt | list[ast.stmt]) -> list[ast.stmt]:
    return found if isinstance(found, list) else [found]


def _formatted(node: ast.JoinedStr) -> ast.Call:
    """An f-string as a call of `str.format`, since it cannot hold comments in all Pythons."""
    values: list[ast.expr] = []
    template = _template(node, values, escape=True)
    return ast.Call(ast.Attribute(ast.Constant(template), "format"), values, [])


def _template(node: ast.JoinedStr, values: list[ast.expr], *, escape: bool) -> str:
    parts: list[str] = []
    for each in node.values:
        match each:
            case ast.FormattedValue(value=value, conversion=conversion, format_spec=spec):
                values.append(value)
                is_given = isinstance(spec, ast.JoinedStr)
                inner = f":{_template(spec, values, escape=False)}" if is_given else ""
                parts.append(f"{{{_CONVERSIONS[conversion]}{inner}}}")
            case ast.Constant(value=text):
                told = str(text)
                parts.append(told.replace("{", "{{").replace("}", "}}") if escape else told)
            case _:
                pass
    return "".join(parts)
