"""Gives one form to whole modules that no run can tell apart."""

from __future__ import annotations

import ast

from assay_engine.dependencies.normalising import drop_docstrings, rename_locals
from assay_engine.digest import of_text
from assay_engine.syntax.parsing import SyntaxFault, parse


def module_digest(source: str) -> str:
    """The SHA-256, in hex, of a program that is run as it stands. Never raises.

    It is equal for programs that differ only in comments, layout, docstrings and the names of local
    variables. Everything that an import of the module runs counts, used or not: it may fail.
    """
    tree = parse(source)
    if isinstance(tree, SyntaxFault):
        return of_text(source)
    try:
        drop_docstrings(tree)
        rename_locals(tree.body)
        return of_text("\n".join(map(ast.dump, tree.body)))
    except RecursionError:
        return of_text(source)
