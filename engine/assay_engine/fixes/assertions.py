"""Statements of pytest functions: what leads to a call, and what is asserted of its outcome."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from textwrap import indent
from typing import cast

from msgspec.structs import replace

from assay_engine.compare.same_values import is_number_of_numpy
from assay_engine.compare.votes import Vote
from assay_engine.fixes.asserting import CAPTURED, FIXTURES, FOLDER
from assay_engine.fixes.sessions import PromptSession
from assay_engine.fixes.stating import forms_of, listed, questions
from assay_engine.syntax.layout import laid_out
from assay_engine.syntax.parsing import body_of, parse_expression
from assay_engine.syntax.scopes import (
    BUILTINS,
    bound_in_module,
    names_of,
    occurrences,
    used_from_module,
)
from assay_engine.types import Specification
from assay_engine.values.carried import files_of, value_of
from assay_engine.values.describing import as_imported
from assay_sandbox import Container, Encoded, Raised, Returned, Value, render

PYTEST = "pytest"
# A line of a function's body, in a file whose lines have at most 88 characters.
_WIDTH = 84
# The difference of floats that pytest ignores by itself, and the one that the engine does.
_TOLERANCES = ("", ", rel=1e-09")
_APPROXIMATION = "pytest.approx"

# A way in which a test may show a behaviour: statements, or a session that asks for a value.
Form = list[ast.stmt] | PromptSession


def lines_of(statements: Sequence[ast.stmt]) -> str:
    return "\n".join(line for each in statements for line in laid_out(each, _WIDTH))


def names_taken(body: str) -> frozenset[str]:
    """The names that the body of a test takes from its module, but for builtins."""
    header = f"def test({', '.join(FIXTURES)}):\n"
    taken = used_from_module(occurrences(body_of(header + indent(body, "    "))))
    return taken - BUILTINS


def forms(session: PromptSession, between: Vote, specification: Specification) -> Iterator[Form]:
    """The ways in which a test may tell the first of two behaviours from the other.

    The plainest comes first.
    """
    behaviour, opponent = between.behaviours
    own, other = behaviour.observation, opponent.observation
    # The first form is the call, awaited or listed. If files are changed, there is no form.
    called, *others = forms_of(session, behaviour, between, specification) or (session,)
    # What a test takes from other modules is imported at the head of its file.
    steps = tuple(each for each in called.steps if not isinstance(each, ast.Import))
    called = replace(called, steps=steps)
    call = [*called.steps, ast.Expr(called.asked)]
    match own:
        case Raised(type_name=name):
            raised = parse_expression(_exception(name, specification.program))
            if raised is not None:
                for asked in (called.asked, listed(called.asked)):
                    yield [*called.steps, _raising(raised, asked)]
        case Returned(value=value, stdout=stdout, files_after=files):
            yield called
            if stdout != getattr(other, "stdout", ""):
                yield [*call, *body_of(f"assert {CAPTURED}.readouterr().out == {stdout!r}")]
            if left := _left(files, getattr(other, "files_after", None)):
                yield [*call, *body_of("\n".join(left))]
            if isinstance(other, Returned):
                result, given = _assigned("result", called.asked, called)
                values = value_of(value), value_of(other.value)
                asking = questions(result, *values, specification.program)
                others += [PromptSession((*called.steps, given), each) for each in asking]
        case _:
            return
    yield from others


def asserted(session: PromptSession, value: Value, program: str) -> Iterator[list[ast.stmt]]:
    """Statements which assert that what a session asks for is the value, the most lenient first.

    There are none if the value cannot be written as code.
    """
    for tolerance in _TOLERANCES:
        text = _coded(value, program, tolerance)
        expected = parse_expression(text)
        if expected is None:
            return
        comparison = ast.Is() if value is None or isinstance(value, bool) else ast.Eq()
        result, one = _assigned("result", session.asked, session)
        wanted, other = _assigned("expected", expected, session)
        ways = (
            [_asserting(session.asked, comparison, expected)],
            [one, _asserting(result, comparison, expected)],
        )
        short = (way for way in ways if len(ast.unparse(way[-1])) <= _WIDTH)
        last = [one, other, _asserting(result, comparison, wanted)]
        yield [*session.steps, *next(short, last)]
        if _APPROXIMATION not in text:
            return


def _asserting(one: ast.expr, comparison: ast.cmpop, other: ast.expr) -> ast.stmt:
    return ast.Assert(ast.Compare(one, [comparison], [other]))


def _raising(raised: ast.expr, asked: ast.expr) -> ast.stmt:
    raises = ast.Attribute(ast.Name("pytest", ast.Load()), "raises", ast.Load())
    manager = ast.withitem(ast.Call(raises, [raised], []))
    return ast.With([manager], [ast.Expr(asked)], lineno=1)


def _assigned(name: str, value: ast.expr, session: PromptSession) -> tuple[ast.expr, ast.stmt]:
    """The value under a name that the session does not use, and the statement that names it."""
    names = names_of([*session.steps, ast.Expr(session.asked)])
    while name in names.reads | names.binds:
        name += "_"
    return ast.Name(name, ast.Load()), ast.Assign([ast.Name(name, ast.Store())], value, lineno=1)


def _left(own: Encoded | None, other: Encoded | None) -> list[str]:
    """Assertions on the files that a program has changed, where another has not done the same."""
    changed, others = files_of(own), files_of(other)
    said: list[str] = []
    for name, content in changed.items():
        path = f"({FOLDER} / {name!r})"
        if name in others and others[name] == content:
            continue
        if content is None:
            said.append(f"assert not {path}.exists()")
        elif isinstance(content, bytes):
            said.append(f"assert {path}.read_bytes() == {content!r}")
        else:
            said.append(f"assert {path}.read_text(encoding='utf-8') == {content!r}")
    return said


def _exception(type_name: str, program: str) -> str:
    """An exception's type as code in the program's module."""
    bound = bound_in_module(occurrences(body_of(program)))
    first, last = type_name.partition(".")[0], type_name.rpartition(".")[2]
    if first not in bound and last in bound | BUILTINS:
        return last
    return as_imported(type_name, program)


def _coded(value: Value, program: str, tolerance: str) -> str:
    """The value as code, with floats that may differ a little where `==` looks at each of them."""

    def coded(part: Value) -> str:
        if isinstance(part, Container) and is_number_of_numpy(part.type_name, part.items):
            return coded(part.items)
        match part:
            case float() if math.isinf(part):
                return f"float('{part}')"
            case float() if math.isnan(part):
                return f"{_APPROXIMATION}(float('nan'), nan_ok=True)"
            case float():
                return f"{_APPROXIMATION}({part!r}{tolerance})"
            case list():
                return f"[{', '.join(map(coded, cast('list[Value]', part)))}]"
            case tuple():
                items = cast("tuple[Value, ...]", part)
                return f"({', '.join(map(coded, items))}{',' if len(items) == 1 else ''})"
            case dict():
                pairs = cast("dict[Value, Value]", part).items()
                return f"{{{', '.join(f'{render(key)}: {coded(item)}' for key, item in pairs)}}}"
            case _:
                return render(part)

    return as_imported(coded(value), program)
