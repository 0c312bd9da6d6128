"""Keeps a candidate's unevaluated annotations unevaluated in a file that evaluates annotations."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay_engine.splicing.edits import apply_edits
from assay_engine.syntax.identifiers import FunctionNode, arguments_of
from assay_engine.syntax.source import Source, read_source
from assay_engine.types import Edit


def with_annotations_as_meant(candidate: Source, target: FunctionNode, file: Source) -> Source:
    """The candidate as it stands, or with its annotations as strings.

    They become strings if only the candidate has ``from __future__ import annotations``, under
    which annotations are strings: a class may name itself in them.
    """
    if not _postpones(candidate.tree) or _postpones(file.tree):
        return candidate
    edits = [
        Edit(candidate.span(each), _as_string(candidate.segment(each), each))
        for each in _evaluated(candidate.tree, target)
        if not (isinstance(each, ast.Constant) and isinstance(each.value, str))
    ]
    return read_source(apply_edits(candidate.text, edits))


def _postpones(tree: ast.Module) -> bool:
    return any(
        isinstance(each, ast.ImportFrom)
        and each.module == "__future__"
        and any(alias.name == "annotations" for alias in each.names)
        for each in tree.body
    )


def _evaluated(tree: ast.Module, target: FunctionNode) -> Iterator[ast.expr]:
    """The annotations that Python evaluates, without those of the target's header.

    That header is not used.
    """
    pending: list[tuple[ast.AST, bool]] = [(tree, False)]
    while pending:
        node, is_in_function = pending.pop()
        if isinstance(node, FunctionNode) and node is not target:
            found = [*(each.annotation for each in arguments_of(node.args)), node.returns]
            yield from (each for each in found if each is not None)
        if isinstance(node, ast.AnnAssign) and not is_in_function:
            yield node.annotation
        inside = isinstance(node, FunctionNode) or (
            is_in_function and not isinstance(node, ast.ClassDef)
        )
        pending.extend((each, inside) for each in ast.iter_child_nodes(node))


def _as_string(text: str, annotation: ast.expr) -> str:
    if any(mark in text for mark in '"\\\r\n'):
        return repr(ast.unparse(annotation))
    return f'"{text}"'
