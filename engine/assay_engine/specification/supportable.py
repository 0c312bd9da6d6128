"""Says what cannot be checked, and what to do about it, before any money is spent.

Recognises functions that cannot be called on their own with inputs of our choice.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from assay_engine.advice import Advice
from assay_engine.bounds import CHAIN_MAX
from assay_engine.dependencies.imports import required_roots
from assay_engine.specification.specification import cut_in_program
from assay_engine.syntax.input_output import (
    imported_in,
    imported_names,
    input_output,
    starts_program,
)
from assay_engine.syntax.parsing import statements_in
from assay_engine.syntax.text import Definition, Source, read_source
from assay_engine.syntax.units import Cut, cut_units, decorator_name, is_stub_body
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
    return _reaching_out(specification, source, cut, answered=answered) or _missing_import(
        specification, importable
    )


def imported_roots(specification: Specification) -> tuple[str, ...]:
    """The top-level modules that the function imports when it is called, sorted, without the
    workspace's own. What its module imports shows when that is loaded."""
    cut = cut_in_program(specification, read_source(specification.program))
    roots = frozenset[str]() if cut is None else required_roots(cut.node)
    return tuple(sorted(roots - specification.workspace_roots))


def _missing_import(
    specification: Specification, importable: Callable[[str], bool]
) -> Problem | None:
    for root in imported_roots(specification):
        if not importable(root):
            return Problem(
                ProblemKind.MISSING_IMPORT,
                f"`{root}` cannot be imported by the interpreter that runs this; install the "
                f"package that provides it there, or {Advice.OTHER_INTERPRETER}.",
            )
    return None


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
        return Problem(
            ProblemKind.INPUT_OUTPUT,
            f"Line {line - cut.node.lineno + 1} of this function (`{quoted}`) calls "
            f"`{call.name}`, which {_does(call.name)}",
        )
    return None


def _does(name: str) -> str:
    """What a call of this name does, and what to do about it."""
    if starts_program(name):
        return (
            "starts a program, and what that does cannot be compared; let the caller start it, and "
            "pass in what it gives."
        )
    return "is input or output; move that to the caller and pass the data in."


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
            f"{name} uses what the function around it binds; "
            "pass that in as parameters and move the function to the module."
        )
    if cut.node.name.startswith("test_"):
        return f"{name} is a test; check the function that it tests."
    for decorator in cut.node.decorator_list:
        reason = _unsupported_decorator(decorator, specification, name)
        if reason is not None:
            return reason
    if is_stub_body(cut.node.body):
        return f"{name} has no body yet; write one, or check a class that implements it."
    if _has_nothing_to_vary(specification, cut):
        return (
            f"{name} takes no arguments, so there is nothing to vary; "
            "show in its docstring an example of what it returns."
        )
    return None


def _unsupported_decorator(
    decorator: ast.expr, specification: Specification, name: str
) -> str | None:
    dotted = decorator_name(decorator)
    last = dotted.rsplit(".", 1)[-1]
    if last in _GETTERS and specification.unit.getter:
        return None
    if last in _GETTERS or last in _ACCESSORS:
        return (
            f"{name} is more than a plain property; move what it does to a method to have that "
            "checked."
        )
    if last in _DISPATCHERS:
        return (
            f"{name} leaves to the functions registered with it what it does, by its argument's "
            "type; check these."
        )
    if last.startswith("abstract"):
        return f"{name} is abstract; check it in a class that implements it."
    return None


def is_wrapping(decorator: ast.expr, specification: Specification, source: Source) -> bool:
    """Whether a decorator is known to give back something that is called like the function."""
    dotted = decorator_name(decorator)
    root = dotted.split(".", 1)[0]
    if root in ("staticmethod", "classmethod", *_GETTERS, *_ACCESSORS):
        return True
    defined = {
        each.name for each in statements_in(source.tree.body) if isinstance(each, Definition)
    }
    if root in defined:
        return True
    origin = imported_names(statements_in(source.tree.body)).get(root, "").split(".", 1)[0]
    return origin in _WRAPPING_MODULES.split() or origin in specification.workspace_roots


def _has_nothing_to_vary(specification: Specification, cut: Cut) -> bool:
    if specification.examples or cut.unit.kind is UnitKind.METHOD:
        return False
    implicit = 1 if cut.unit.kind is UnitKind.CLASS_METHOD else 0
    reads_input = any(
        (isinstance(each, ast.Name) and each.id == "input")
        or (isinstance(each, ast.Attribute) and each.attr == "stdin")
        for each in ast.walk(cut.node)
    )
    return len(specification.parameters) <= implicit and not reads_input
