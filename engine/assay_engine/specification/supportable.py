"""Says what cannot be checked, and what to do about it, before any money is spent."""

from __future__ import annotations

import ast
from collections.abc import Callable

from assay_engine.advice import Advice
from assay_engine.bounds import CHAIN_MAX
from assay_engine.specification.specification import cut_in_program
from assay_engine.syntax.input_output import (
    imported_in,
    imported_names,
    input_output,
    starts_program,
)
from assay_engine.syntax.parsing import child_statements, names_in, statements_in
from assay_engine.syntax.text import Definition, Source, read_source
from assay_engine.syntax.units import (
    Cut,
    cut_units,
    decorator_name,
    decorator_names,
    is_stub_body,
)
from assay_engine.types import Problem, ProblemKind, Specification, UnitKind
from assay_engine.words import short


def unsupported(
    specification: Specification, *, importable: Callable[[str], bool], answered: bool = False
) -> Problem | None:
    """Why a function cannot be checked, in one sentence; None if it can.

    `importable` tells whether the interpreter that runs the program finds a top-level module.
    `answered` tells whether inputs come with replies to the function's requests to the network.
    """
    if not specification.docstring.strip():
        return Problem(
            ProblemKind.NO_DOCSTRING,
            f"`{specification.unit.name}` has no docstring; add one that says what it promises.",
        )
    return cannot_run(specification, importable=importable, answered=answered)


def cannot_run(
    specification: Specification, *, importable: Callable[[str], bool], answered: bool = False
) -> Problem | None:
    """Why what a function does cannot be observed, docstring or not; None if it can."""
    if not specification.program:
        needs = f"needs more than {CHAIN_MAX:,} definitions, methods or constants of its file"
        advice = "split the file, or pass in what the function needs"
        return Problem(
            ProblemKind.UNSUPPORTED_SHAPE, f"`{specification.unit.name}` {needs}; {advice}."
        )
    source = read_source(specification.program)
    cut = cut_in_program(specification, source)
    if source.problems or cut is None:
        reason = source.problems[0].message if source.problems else "The function is not found."
        return Problem(ProblemKind.BROKEN_SOURCE, reason)
    shape = unsupported_shape(specification, cut)
    if shape is not None:
        return Problem(ProblemKind.UNSUPPORTED_SHAPE, shape)
    reaching_out = _reaching_out(specification, source, cut, answered=answered)
    if reaching_out is not None:
        return reaching_out
    for root in imported_roots(specification):
        if not importable(root):
            return Problem(
                ProblemKind.MISSING_IMPORT,
                f"`{root}` cannot be imported by the interpreter that runs the function; install "
                f"the package that provides it there, or {Advice.OTHER_INTERPRETER}.",
            )
    return None


def imported_roots(specification: Specification) -> tuple[str, ...]:
    """The top-level modules that the function imports when it is called and cannot do without,
    sorted, without the workspace's own. What its module imports shows when that is loaded.

    Left out are imports under ``TYPE_CHECKING``, and those for whose failure the function itself
    provides.
    """
    cut = cut_in_program(specification, read_source(specification.program))
    roots: set[str] = set()
    pending: list[ast.AST] = [] if cut is None else [*cut.node.body]
    while pending:
        node = pending.pop()
        match node:
            case ast.Import(names=names):
                roots.update(alias.name.split(".", 1)[0] for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                roots.add(module.split(".", 1)[0])
            case ast.If(
                test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"),
                orelse=orelse,
            ):
                pending += orelse
            # Where all that a handler does is to pass, code that uses the import needs it.
            case ast.Try(handlers=handlers) if any(
                handler.type is None or not _IMPORT_FAILURES.isdisjoint(names_in(handler.type))
                for handler in handlers
            ) and any(
                not isinstance(each, ast.Pass) for handler in handlers for each in handler.body
            ):
                pending += [*node.orelse, *node.finalbody]
            case _:
                pending += child_statements(node)
    return tuple(sorted(roots - {"__future__"} - specification.workspace_roots))


def _reaching_out(
    specification: Specification, source: Source, cut: Cut, *, answered: bool
) -> Problem | None:
    """A call of the function that starts a program or talks to the network, whatever it is given.

    Whatever else is input or output is what a trial shows.
    """
    imported = {
        name: dotted
        for name, dotted in imported_in(source.tree).items()
        if dotted.split(".", 1)[0] not in specification.workspace_roots
    }
    defined = frozenset(each.node.name for each in cut_units(source) if not each.enclosing)
    for call in input_output(cut.node.body, imported, defined):
        if not call.is_outside or (answered and call.answered):
            continue
        line = call.node.lineno
        start = source.starts[line - 1]
        quoted = short(source.text[start : source.line_end(start)].strip())
        does = (
            "starts a program, whose effects cannot be compared; let the caller start it, and "
            "pass in its output."
            if starts_program(call.name)
            else "does input or output; move that to the caller and pass the data in."
        )
        return Problem(
            ProblemKind.INPUT_OUTPUT,
            f"Line {line - cut.node.lineno + 1} of this function (`{quoted}`) calls "
            f"`{call.name}`, which {does}",
        )
    return None


_IMPORT_FAILURES = frozenset(("ImportError", "ModuleNotFoundError", "Exception", "BaseException"))
_WRAPPING_MODULES = """
abc attr attrs beartype cachetools contextlib dataclasses deprecated enum functools numba typeguard
types typing typing_extensions warnings wrapt
"""
_GETTERS = ("property", "cached_property")
_ACCESSORS = ("setter", "getter", "deleter")
_DISPATCHERS = ("singledispatch", "singledispatchmethod")


def unsupported_shape(specification: Specification, cut: Cut) -> str | None:
    """One sentence on why a function of this shape cannot be checked, or None.

    `cut` is that of the specification's program.
    """
    name = f"`{cut.node.name}`"
    if "<locals>" in specification.entry:
        return (
            f"{name} uses variables of the enclosing function; pass them in as parameters and move "
            "the function to module level."
        )
    if cut.node.name.startswith("test_"):
        return f"{name} is a test; check the function that it tests."
    for decorator in decorator_names(cut.node):
        is_getter = decorator in _GETTERS
        if is_getter and specification.unit.getter:
            continue
        if is_getter or decorator in _ACCESSORS:
            return f"{name} is not a plain property; move its code to a method to check it."
        if decorator in _DISPATCHERS:
            return (
                f"{name} calls a registered function by its argument's type; check those functions."
            )
        if decorator.startswith("abstract"):
            return f"{name} is abstract; check it in a class that implements it."
    if is_stub_body(cut.node.body):
        return f"{name} has no body yet; write one, or check a class that implements it."
    implicit = 1 if cut.unit.kind is UnitKind.CLASS_METHOD else 0
    varies = (
        specification.examples
        or cut.unit.kind is UnitKind.METHOD
        or len(specification.parameters) > implicit
        or any(
            (isinstance(each, ast.Name) and each.id == "input")
            or (isinstance(each, ast.Attribute) and each.attr == "stdin")
            for each in ast.walk(cut.node)
        )
    )
    if varies:
        return None
    return (
        f"{name} takes no arguments, so there is nothing to vary; add an example of its result to "
        "the docstring."
    )


def is_wrapping(decorator: ast.expr, specification: Specification, source: Source) -> bool:
    """Whether a decorator is known to give back something that is called like the function."""
    root = decorator_name(decorator).split(".", 1)[0]
    if root in ("staticmethod", "classmethod", *_GETTERS, *_ACCESSORS):
        return True
    statements = [*statements_in(source.tree.body)]
    if any(isinstance(each, Definition) and each.name == root for each in statements):
        return True
    origin = imported_names(statements).get(root, "").split(".", 1)[0]
    return origin in _WRAPPING_MODULES.split() or origin in specification.workspace_roots
