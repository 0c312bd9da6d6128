"""Tells what a candidate would bring into a file that no trial can vouch for.

What a program does in the sandbox says nothing about what it will do outside of it. So code that
would run at every import, and names by which code reaches outside, are pointed out, unless the
file has them already.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay_engine.reading.at_import import run_at_import
from assay_engine.reading.reaching import reaches
from assay_engine.syntax.occurrences import bound_in_module, occurrences
from assay_engine.syntax.scopes import BUILTINS, CHANGERS, changed_by, names_of
from assay_engine.syntax.source import read_source
from assay_engine.syntax.statements import Definition, first_line, last_function
from assay_engine.types import Caution


def caution_about(text: str, candidate: str, name: str) -> Caution | None:
    """The first such thing in a candidate for the function `name` of the file `text`."""
    try:
        return min(_cautions(text, candidate, name), key=lambda each: each.line, default=None)
    except RecursionError:
        return unread(candidate)


def unread(candidate: str) -> Caution:
    """The caution about a candidate of which nothing more is known."""
    return Caution(1, candidate.partition("\n")[0], "begins what cannot be followed")


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
    """What a candidate does to names that other code of the file uses, and the file does not."""
    found, in_file = occurrences(tree.body), occurrences(around.body)
    imported = {each.name for each in in_file if isinstance(each.node, ast.alias)}
    of_file, known = bound_in_module(in_file), names_of(around.body).changes
    others = (
        of_file - imported - {each.name for each in found if each.binds and each.written_in_module}
    )
    for each in found:
        if each.binds and each.in_module and each.name in BUILTINS - of_file:
            yield caution_at(each.node, f"takes the place of {each.name} in the whole file")
        is_declared = isinstance(each.node, ast.Global) and (each.name, "") not in known
        if is_declared and each.name in others:
            yield caution_at(each.node, f"changes {each.name} for the whole file")
    taken = {each.node for each in found if each.looks_in_module and each.name in others}
    for node in ast.walk(tree):
        for name, method in changed_by(node):
            does_change = not method or method in CHANGERS
            if name in taken and does_change and (name.id, method) not in known:
                yield caution_at(node, f"changes {name.id} for the whole file")
