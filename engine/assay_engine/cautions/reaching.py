"""Finds the names by which code can reach beyond its own values: files, processes, other modules.

What is known to reach nowhere is listed, and nothing else counts as harmless: there are too many
ways out for a list of those to be complete.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from assay_engine.cautions.harmless import names_listed
from assay_engine.cautions.reaching_attributes import (
    Attributes,
    ImportBindings,
    Reach,
    imports_reached,
    is_of_package,
    is_special,
)
from assay_engine.source.input_output import imported_names, input_output
from assay_engine.source.needed import ImportNode
from assay_engine.source.scopes import BUILTINS, bound_in_module, nodes_in, occurrences_in
from assay_engine.source.text import Definition, docstring_statement

_BUILTINS = names_listed("""
__build_class__ __import__ breakpoint compile copyright credits delattr dir eval exec exit getattr
globals help input license locals open quit setattr vars
""")
# Halves count as well, since texts can be joined.
_WORD = re.compile(r"\w+")
_DUNDER = re.compile(r"^__[^\W_]|[^\W_]__$")


def reaches(tree: ast.Module, around: ast.Module) -> Iterator[Reach]:
    """The names in `tree` that reach outside and that `around`, a file, does not use already.

    `tree` is a module whose code is to go into the file.
    """
    known = _known(around)
    yield from (each for each in _reaches(tree, around) if each.name not in known)


# A file is asked about once for each candidate.
@lru_cache(maxsize=4)
def _known(around: ast.Module) -> frozenset[str]:
    return frozenset(each.name for each in _reaches(around, around))


def _reaches(tree: ast.Module, around: ast.Module) -> Iterator[Reach]:
    nodes = nodes_in(tree)
    every = nodes if tree is around else (*nodes_in(around), *nodes)
    imported = ImportBindings([node for node in every if isinstance(node, ImportNode)])
    attributes = Attributes(tree, around, imported)
    # A node within a longer name is no use of its own.
    within = {each.value for each in nodes if isinstance(each, ast.Attribute)}
    plain = {
        node.func for node in nodes if isinstance(node, ast.Call) and attributes.are_asked_by(node)
    }
    without = within | plain
    for node in nodes:
        if isinstance(node, ImportNode):
            yield from imports_reached(node)
        if isinstance(node, ast.Attribute | ast.Name) and node not in without:
            yield from imported.reaches(node)
        yield from attributes.reached(node)
    yield from attributes.defined()
    yield from _taken_from_module(tree, around, imported, plain)
    yield from _texts(tree, nodes, imported)
    defined = frozenset(each.name for each in every if isinstance(each, Definition))
    for call in input_output(tree.body, imported_names(every), defined):
        yield Reach(call.name, call.node)


def _texts(tree: ast.Module, nodes: Sequence[ast.AST], imported: ImportBindings) -> Iterator[Reach]:
    """Texts that hold the name of a special attribute, which may be looked up by its name.

    So may the methods of packages: ``frame.apply("to_csv")``.
    """
    definitions = [tree, *(each for each in nodes if isinstance(each, Definition))]
    docstrings = [docstring_statement(each) for each in definitions]
    said = {each.value for each in docstrings if each is not None}
    for node in nodes:
        match node:
            case ast.Constant(value=str(text)) if node not in said:
                found = filter(_DUNDER.search, _WORD.findall(text))
                yield from (Reach(each, node) for each in found)
                if imported.has_packages and "_" in text and is_of_package(text):
                    yield Reach(text, node)
            case _:
                pass


def _taken_from_module(
    tree: ast.Module, around: ast.Module, imported: ImportBindings, plain: set[ast.expr]
) -> Iterator[Reach]:
    """Names that lead outside without being imported: builtins, and what a star import brings."""
    found = occurrences_in(tree)
    bound = bound_in_module(found) | bound_in_module(occurrences_in(around)) | BUILTINS
    for each in found:
        if not isinstance(each.node, ast.Name) or not each.looks_in_module:
            continue
        is_way_out = each.name in _BUILTINS or is_special(each.name)
        is_unknown = imported.has_star and each.name not in bound
        if is_unknown or (is_way_out and each.node not in plain):
            yield Reach(each.name, each.node)
