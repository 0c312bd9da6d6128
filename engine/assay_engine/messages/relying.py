"""Names the functions and classes that only the function relies on: the fault may be in them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from assay_engine.compare.evidence import Evidence
from assay_engine.specification.specification import cut_in_program
from assay_engine.syntax.input_output import imported_names
from assay_engine.syntax.parsing import SyntaxFault, parse, statements_in
from assay_engine.syntax.text import Definition, Source, read_source
from assay_engine.syntax.units import Cut
from assay_engine.types import Behaviour, Specification
from assay_engine.words import one_line

NAMES_SHOWN = 2


def relied_on_alone(evidence: Evidence, others: Behaviour) -> str:
    """The end of a sentence that names what only the function uses; empty if there is nothing.

    Named are functions and classes of the workspace that no candidate with the behaviour `others`
    uses.
    """
    specification = evidence.specification
    source = read_source(specification.program)
    cut = cut_in_program(specification, source)
    if cut is None:
        return ""
    theirs = {name for each in others.candidates for name in _used_by(evidence, each)}
    own = _of_the_workspace(specification, source, cut) - theirs
    found = [name for name in dict.fromkeys(_names(cut.node.body)) if name in own]
    if not found:
        return ""
    shown = " and ".join(f"`{one_line(name)}`" for name in found[:NAMES_SHOWN])
    return f"; it uses {shown}, which they do not use"


def _of_the_workspace(specification: Specification, source: Source, cut: Cut) -> set[str]:
    """The names of the workspace that the function could use.

    These are the program's other functions and classes, and what the program imports from the
    workspace's modules.
    """
    served = specification.workspace_roots
    imported = imported_names(statements_in(source.tree.body))
    inside = set(ast.walk(cut.node))
    defined = {
        each.name
        for each in ast.walk(source.tree)
        if isinstance(each, Definition) and each not in inside
    }
    return defined | {name for name, origin in imported.items() if origin.split(".")[0] in served}


def _used_by(evidence: Evidence, candidate: int) -> Iterator[str]:
    tree = parse(evidence.voters[candidate].candidate.source)
    return iter(()) if isinstance(tree, SyntaxFault) else _names(tree.body)


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names and attributes used, in the order in which they stand."""
    found = [
        node
        for root in nodes
        for node in ast.walk(root)
        if isinstance(node, ast.Name | ast.Attribute)
    ]
    for node in sorted(found, key=lambda each: (each.end_lineno or 0, each.end_col_offset or 0)):
        yield node.id if isinstance(node, ast.Name) else node.attr
