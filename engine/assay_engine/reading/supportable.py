"""Says what cannot be checked, and what to do about it, before any money is spent."""

from __future__ import annotations

import ast
from collections.abc import Callable

from assay_engine.advice import Advice
from assay_engine.reading.imports import is_cut, required_modules, required_roots
from assay_engine.reading.input_output import imported_names, input_output, starts_program
from assay_engine.reading.reachable import Reached, reached_code
from assay_engine.reading.shapes import unsupported_shape
from assay_engine.reading.specification import cut_in_program
from assay_engine.reading.units import Cut, cut_units
from assay_engine.syntax.parsing import statements_in
from assay_engine.syntax.source import Source, read_source
from assay_engine.types import Problem, ProblemKind, Specification
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
    source = read_source(specification.program)
    cut = cut_in_program(specification, source)
    if source.problems or cut is None:
        reason = source.problems[0].message if source.problems else "The function is not found."
        return Problem(ProblemKind.BROKEN_SOURCE, reason)
    shape = unsupported_shape(specification, source, cut)
    if shape is not None:
        return Problem(ProblemKind.UNSUPPORTED_SHAPE, shape)
    reached = reached_code(source, cut)
    return _input_output(source, cut, reached, answered=answered) or _missing_import(
        specification, importable
    )


def imported_roots(specification: Specification) -> tuple[str, ...]:
    """The top-level modules that the program and its workspace modules cannot do without, sorted.

    Left out are the workspace's own modules, imports under ``TYPE_CHECKING`` or another condition,
    and imports for whose failure the code itself provides (``except ImportError``). Imports that a
    workspace module's functions make when they are called are left out, too: the function on trial
    need not call those functions.
    """
    modules = dict(specification.modules)
    roots = required_roots(specification.program)
    for name in required_modules(specification.program, modules):
        roots |= required_roots(modules[name], on_loading=True)
    return tuple(sorted(roots - specification.workspace_roots))


def _missing_import(
    specification: Specification, importable: Callable[[str], bool]
) -> Problem | None:
    for node in statements_in(read_source(specification.program).tree.body):
        if isinstance(node, ast.ImportFrom) and node.level:
            return Problem(
                ProblemKind.MISSING_IMPORT,
                f"`from {'.' * node.level}{node.module or ''}` reaches above the outermost package "
                "that the file is in; add the `__init__.py` files that are missing above it.",
            )
    for root in imported_roots(specification):
        if not importable(root):
            ailing = f"`{root}` cannot be imported by the interpreter that runs this"
            remedy = (
                ", nor is it among those of the workspace's modules that come along, which are "
                "not all that this needs; have the module import fewer as it loads."
                if is_cut(specification.modules)
                else f"; install the package that provides it there, or {Advice.OTHER_INTERPRETER}."
            )
            return Problem(ProblemKind.MISSING_IMPORT, ailing + remedy)
    return None


def _input_output(
    source: Source, cut: Cut, reached: tuple[Reached, ...], *, answered: bool
) -> Problem | None:
    imported = imported_names(statements_in(source.tree.body))
    defined = frozenset(each.node.name for each in cut_units(source) if not each.enclosing)
    for each in reached:
        for call in input_output(each.nodes, imported, defined):
            if (call.staged or (answered and call.answered)) and each.qualname:
                continue
            where = _where(source, cut, each, call.node.lineno)
            return Problem(
                ProblemKind.INPUT_OUTPUT,
                f"{where} calls `{call.name}`, which {_does(call.name)}",
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


def _where(source: Source, cut: Cut, reached: Reached, line: int) -> str:
    start = source.starts[line - 1]
    code = source.text[start : source.line_end(start)].strip()
    quoted = short(code)
    if not reached.qualname:
        return f"The module it stands in (`{quoted}`)"
    number = line - reached.first_line + 1
    if reached.qualname == cut.unit.qualname:
        return f"Line {number} of this function (`{quoted}`)"
    return f"It reaches `{reached.qualname}`, whose line {number} (`{quoted}`)"
