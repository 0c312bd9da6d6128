"""Sessions: what a user would type at a prompt to see what a program does on an input."""

from __future__ import annotations

import ast
import sys
from collections.abc import Container, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.fixes.cautions.reaching import reaches
from assay_engine.syntax.expressions import assigned
from assay_engine.syntax.layout import laid_out
from assay_engine.syntax.parsing import parse
from assay_engine.syntax.scopes import names_of
from assay_engine.syntax.text import read_source
from assay_engine.types import Example, Span, Specification
from assay_engine.values.describing import WHOLE_CHARACTERS, call_text, script_apart
from assay_sandbox import Call

# An example larger than this is none that anybody would want to read.
LINES_MAX = 12
CHARACTERS_MAX = 800
# The widths to try, in order. A docstring has margins. Readers who do not mind longer lines would
# not be helped by more lines.
_WIDTHS = (80, 120)
# A call that is nested deeper is no easier to read, and Python's stack is limited.
NESTING_MAX = 30
# The longest line that a prompt may show, since such a line cannot be broken.
SHOWN_CHARACTERS = 160
# The name to which a value is assigned that a prompt would show otherwise.
_UNUSED = "_"
_PROMPT, _CONTINUED = ">>> ", "... "


class PromptSession(Struct, frozen=True):
    """Statements, followed by an expression whose value the prompt is to show."""

    steps: tuple[ast.stmt, ...]
    asked: ast.expr

    def example(self, expected: str = "") -> Example:
        """The session as an example, in which the prompt shows `expected` in the end."""
        setup = tuple(map(ast.unparse, self.steps))
        return Example(setup, ast.unparse(self.asked), expected, True, Span(0, 0))

    def before(self, step: int) -> PromptSession | None:
        """The session that ends with one of the steps, to see what a prompt shows of it.

        None if the step is no expression, so that a prompt shows nothing.
        """
        match self.steps[step]:
            case ast.Expr(value=value):
                return PromptSession(self.steps[:step], value)
            case _:
                return None


def session_of(call: Call, specification: Specification) -> PromptSession | None:
    """The session for a call, with its steps before it.

    None if the call cannot be typed as it is: it is too long, needs a scene around it, or uses what
    reaches outside and the file does not use.
    """
    steps, bare = script_apart(call)
    text = call_text(bare, specification, WHOLE_CHARACTERS)
    tree = parse("\n".join([*map(ast.unparse, steps), text]))
    if len(text) > CHARACTERS_MAX or not isinstance(tree, ast.Module) or not _is_shallow(tree):
        return None
    if _reaches_out(tree, specification):
        return None
    match tree.body:
        case [*steps, ast.Expr(value=asked)]:
            return at_a_prompt(PromptSession(tuple(steps), asked), specification)
        case _:
            return None


def _reaches_out(tree: ast.Module, specification: Specification) -> bool:
    """Whether a session uses what reaches outside: a user runs it outside of the sandbox.

    What the function's file uses already does not count, and nor do the modules of its project.
    """
    taken = sorted(names_of(tree.body).reads & sys.stdlib_module_names)
    whole = ast.Module([*(ast.Import([ast.alias(name)]) for name in taken), *tree.body], [])
    place = specification.place
    own = frozenset[str]()
    if place is not None:
        inner = (path.removeprefix(f"{root}/") for root in place.roots for path in place.files)
        own = frozenset(path.partition("/")[0].removesuffix(".py") for path in inner)
    around = read_source(specification.running_text).tree
    return any(each.name.partition(".")[0] not in own for each in reaches(whole, around))


def silenced(session: PromptSession, shown: Container[int]) -> PromptSession:
    """The session in which a prompt shows nothing of the steps with the numbers `shown`.

    A prompt would show a value of each of these steps, and the example should not contain it.
    """
    steps = [
        unseen(each.value) if number in shown and isinstance(each, ast.Expr) else each
        for number, each in enumerate(session.steps)
    ]
    return replace(session, steps=tuple(steps))


def unseen(value: ast.expr) -> ast.stmt:
    """A statement that evaluates an expression only for its effects."""
    return assigned(_UNUSED, value)


def written(session: PromptSession, expected: str) -> str | None:
    """The lines of the example; None if they are more than anybody would want to read."""
    for width in _WIDTHS:
        statements: Sequence[ast.stmt] = (*session.steps, ast.Expr(session.asked))
        typed = [
            f"{_CONTINUED if number else _PROMPT}{line}"
            for statement in statements
            for number, line in enumerate(laid_out(statement, width - len(_PROMPT)))
        ]
        lines = [*typed, expected]
        text = "\n".join(lines)
        if (
            len(lines) <= LINES_MAX
            and len(text) <= CHARACTERS_MAX
            and all(len(line) <= width for line in typed)
        ):
            return text
    return None


def _is_shallow(tree: ast.Module) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(NESTING_MAX):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return not level


def at_a_prompt(session: PromptSession, specification: Specification) -> PromptSession:
    """The session with what steps await awaited by `asyncio.run`, as a prompt knows no `await`."""
    tree = parse(specification.program)
    nodes = ast.walk(tree) if isinstance(tree, ast.Module) else ()
    coroutines = {each.name for each in nodes if isinstance(each, ast.AsyncFunctionDef)}
    steps = tuple(_run_step(each, coroutines) for each in session.steps)
    asked = session.asked.value if isinstance(session.asked, ast.Await) else session.asked
    brought = () if steps == session.steps else (ast.Import([ast.alias("asyncio")]),)
    return PromptSession((*brought, *steps), asked)


def run(value: ast.expr) -> ast.Call:
    """``asyncio.run(value)``."""
    called = ast.Attribute(ast.Name("asyncio", ast.Load()), "run", ast.Load())
    return ast.Call(called, [value], [])


def _run_step(step: ast.stmt, coroutines: Container[str]) -> ast.stmt:
    match step:
        case ast.Expr(value=value) | ast.Assign(value=value):
            pass
        case _:
            return step
    match value:
        case ast.Await(value=awaited):
            value = awaited
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in coroutines:
            pass
        case _:
            return step
    if isinstance(step, ast.Expr):
        return ast.Expr(run(value))
    return ast.Assign(step.targets, run(value), lineno=1)
