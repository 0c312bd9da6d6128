"""Finds out which of several definitions is the one in use, once the module is loaded.

A definition in a branch (`if`, `try`), or before a `from ... import *`, need not be the one that
its name leads to in the end. Only loading the module shows it, which happens in the sandbox.
"""

from __future__ import annotations

from itertools import pairwise

from assay_engine.reading.specification import cut_in_program, definitions_in_program
from assay_engine.reading.units import Cut
from assay_engine.running.carried import value_of
from assay_engine.running.laboratory import Laboratory
from assay_engine.syntax.parsing import statements_in
from assay_engine.syntax.source import Source, read_source
from assay_engine.syntax.statements import first_line, is_star_import
from assay_engine.types import Problem, ProblemKind, Specification
from assay_sandbox import Call, Program, Raised, Returned

_ENTRY = "_assay_live"
_SOURCE = """

def {entry}():
    import inspect
    code = getattr(inspect.unwrap({found}), "__code__", None)
    if code is None or code.co_filename != {entry}.__code__.co_filename:
        return 0
    return code.co_firstlineno
"""


async def not_live(laboratory: Laboratory, specification: Specification) -> Problem | None:
    """Why a definition cannot be observed, namely because its name leads elsewhere.

    None if the definition is the one in use, or if the program cannot be loaded at all, which the
    trial will say.
    """
    source = read_source(specification.program)
    cut = cut_in_program(specification, source)
    definitions = definitions_in_program(specification, source)
    if cut is None or (
        len(definitions) == 1 and _is_unconditional(cut) and not _may_be_replaced(source, cut)
    ):
        return None
    asking = specification.program + _SOURCE.format(entry=_ENTRY, found=specification.callable_path)
    program = Program(asking, _ENTRY, specification.modules)
    ((seen,),) = await laboratory.run([program], [Call()])
    if not isinstance(seen, Returned | Raised):
        return None
    line = value_of(seen.value) if isinstance(seen, Returned) else 0
    live = [
        number
        for number, each in enumerate(definitions)
        if isinstance(line, int) and first_line(each.node) <= line <= each.node.lineno
    ]
    if live == [specification.definition]:
        return None
    return Problem(ProblemKind.UNSUPPORTED_SHAPE, _reason(specification, len(definitions), live))


def _reason(specification: Specification, count: int, live: list[int]) -> str:
    name = f"`{specification.unit.name}`"
    if not live:
        return (
            f"Once its module is loaded, {name} leads elsewhere than to this definition, which "
            "cannot be observed; give it a name of its own."
        )
    return (
        f"Of the {count} definitions of {name}, number {live[0] + 1} is in use once the module is "
        f"loaded; this one, number {specification.definition + 1}, cannot be observed. "
        "Give it a name of its own to have it checked."
    )


def _is_unconditional(cut: Cut) -> bool:
    """Whether a definition stands in no branch.

    It stands directly in the module, or directly in a class or function that does.
    """
    around = [*cut.enclosing, cut.node]
    return around[0].col_offset == 0 and all(
        inner in outer.body for outer, inner in pairwise(around)
    )


def _may_be_replaced(source: Source, cut: Cut) -> bool:
    """Whether the module has a star import after the definition.

    It may bring along, say, a faster implementation in C by the same name.
    """
    end = cut.unit.span.end
    return any(
        is_star_import(node) and source.span(node).start > end
        for node in statements_in(source.tree.body)
    )
