"""Finds code of a candidate that no input of a trial has reached.

The candidate is written anew for this, one statement to a line, with what runs only sometimes (the
second half of an ``or``, the body of a ``lambda``) on lines of its own, and comments between that
tell where each of these begins. The lines that the sandbox saw then tell which of them ran.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from assay_engine import digest
from assay_engine.offering.cautions import unread
from assay_engine.reading.at_import import PLAIN_CALLS
from assay_engine.reading.specification import unit_in_program
from assay_engine.running.laboratory import Laboratory, program_of
from assay_engine.splicing import apply_edits, splice
from assay_engine.syntax.occurrences import occurrences
from assay_engine.syntax.parsing import body_of
from assay_engine.types import Caution, Problem, Specification
from assay_engine.words import line_starts
from assay_sandbox import Call

_SIMPLE = (
    *(ast.Return, ast.Raise, ast.Assert, ast.Expr, ast.Delete, ast.Import, ast.ImportFrom),
    *(ast.Assign, ast.AugAssign, ast.AnnAssign),
)
_CONVERSIONS = {-1: "", ord("s"): "!s", ord("r"): "!r", ord("a"): "!a"}
_TAG_CHARACTERS = 12


class _Part(Struct, frozen=True):
    """A part of a candidate that has to be seen to run, and on how many lines it now stands."""

    line: int
    code: str
    lines: int


async def unreached(
    laboratory: Laboratory, specification: Specification, candidate: str, calls: Sequence[Call]
) -> Caution | None:
    """The first code of a candidate that none of the calls reaches; None if all of it is."""
    place = unit_in_program(specification)
    try:
        marking = _Marking(candidate)
    except RecursionError:
        return unread(candidate)
    edits = None if place is None else splice(specification.program, place, marking.text)
    if edits is None or isinstance(edits, Problem):
        return unread(candidate)
    program = program_of(specification, apply_edits(specification.program, edits))
    seen = await laboratory.covered(program, calls, specification.documented_exceptions)
    reached = {line for each in seen for line in each.lines}
    begins = marking.lines_in(program.source)
    for number, part in enumerate(marking.parts):
        begin = begins.get(number, 0)
        if begin == 0 or reached.isdisjoint(range(begin, begin + part.lines)):
            return Caution(part.line, part.code, "was reached by no input")
    return None


class _Marking(ast.NodeTransformer):
    """A candidate with comments that number its `parts`."""

    def __init__(self, candidate: str) -> None:
        # Nobody can know these comments beforehand and bring some of them along.
        self._tag = f"#{digest.of_text(candidate)[:_TAG_CHARACTERS]}-"
        self.parts: list[_Part] = []
        statements = body_of(candidate)
        self._bound = {each.name for each in occurrences(statements) if each.binds}
        self._depth = 0
        tree = ast.Module([self.visit(each) for each in statements], type_ignores=[])
        self.text = f"{ast.unparse(tree)}\n"

    def lines_in(self, text: str) -> dict[int, int]:
        """The lines of a text on which the parts begin, by their numbers."""
        starts = line_starts(text)
        found = re.finditer(rf"{self._tag}(\d+)", text)
        return {int(each[1]): bisect_right(starts, each.start()) + 1 for each in found}

    def visit(self, node: ast.AST) -> Any:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._depth += 1
                body = [each for statement in node.body for each in _listed(self.visit(statement))]
                self._depth -= 1
                node.body = body
                return node
            case ast.Expr(value=ast.Constant()):
                return ast.Pass()
            case ast.AnnAssign(value=None):
                return node
            case _ if isinstance(node, _SIMPLE) and self._depth:
                number = self._noted(node)
                return [ast.Expr(ast.Name(f"{self._tag}{number}")), self._seen(number, node)]
            case ast.JoinedStr():
                return self.visit(_formatted(node))
            case _:
                self._set_apart(node)
                return self.generic_visit(node)

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
                node.elt = self._apart(node.elt)
            case ast.DictComp():
                node.key, node.value = self._apart(node.key), self._apart(node.value)
            case ast.comprehension(ifs=conditions):
                conditions[:] = map(self._apart, conditions)
            case ast.match_case(guard=ast.expr() as guard):
                node.guard = self._apart(guard)
            case ast.Assert(msg=ast.expr() as message):
                node.msg = self._apart(message)
            case _:
                pass

    def _apart(self, node: ast.expr) -> ast.expr:
        if not any(map(self._acts, ast.walk(node))):
            return node
        number = self._noted(node)
        return ast.Name(f"({self._tag}{number}\n{ast.unparse(self._seen(number, node))}\n)")

    def _acts(self, node: ast.AST) -> bool:
        """Whether an expression calls something that does more than make or measure a value."""
        match node:
            case ast.Call(func=ast.Name(id=name), keywords=[]) if name in PLAIN_CALLS:
                return name in self._bound
            case _:
                return isinstance(node, ast.Call | ast.Await | ast.Yield | ast.YieldFrom)

    def _noted(self, node: ast.expr | ast.stmt) -> int:
        self.parts.append(_Part(node.lineno, ast.unparse(node).partition("\n")[0], 0))
        return len(self.parts) - 1

    def _seen(self, number: int, node: ast.AST) -> Any:
        """The node with what is in it seen to, and a note of how many lines it takes."""
        if isinstance(node, ast.expr):
            seen = self.visit(node)
        else:
            self._set_apart(node)
            seen = self.generic_visit(node)
        lines = ast.unparse(seen).count("\n") + 1
        self.parts[number] = replace(self.parts[number], lines=lines)
        return seen


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
