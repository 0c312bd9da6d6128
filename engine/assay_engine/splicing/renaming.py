"""Renames what a candidate brings along, identifier by identifier."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Mapping

from assay_engine.dependencies.needed import ImportNode
from assay_engine.dependencies.normalising import set_name
from assay_engine.splicing.edits import apply_edits
from assay_engine.syntax.identifiers import Occurrence, ScopeKind
from assay_engine.syntax.scopes import occurrences
from assay_engine.syntax.text import Definition, Source, read_source
from assay_engine.types import Edit, Span

_IDENTIFIER = re.compile(r"\w+")

# Other nodes that bind a name do not give its position: ``except E as name``, patterns.
_CARRIERS = ast.Name | ast.alias | ast.Global | Definition


def renamed(source: Source, names: Mapping[str, str]) -> Source | None:
    """The candidate with module-level names replaced by others.

    None if one of the names occurs where it may mean something else. Locals that hide the name,
    attributes, keyword arguments and strings stay as they are. So do the candidate's imports, which
    are written anew anyway.
    """
    if not names:
        return source
    found = [each for each in occurrences(source.tree.body) if each.name in names]
    carriers = [each for each in found if each.in_module and not _is_import(each, source)]
    if any(map(_may_be_either, found)) or not all(
        isinstance(each.node, _CARRIERS) for each in carriers
    ):
        return None
    edits = {edit.span.start: edit for each in carriers for edit in _edits(source, each, names)}
    result = read_source(apply_edits(source.text, list(edits.values())))
    if result.problems or not _differ_in_names_alone(source, result, names):
        return None
    return result


def _may_be_either(occurrence: Occurrence) -> bool:
    """Whether a class body looks up the name, which may be its own or the module's.

    A class body that binds a name looks it up in the module until it has bound it.
    """
    return occurrence.home.kind is ScopeKind.CLASS and not occurrence.binds


def _is_import(occurrence: Occurrence, source: Source) -> bool:
    return isinstance(occurrence.node, ast.alias) and any(
        occurrence.node in each.names for each in source.tree.body if isinstance(each, ImportNode)
    )


def _edits(source: Source, occurrence: Occurrence, names: Mapping[str, str]) -> Iterator[Edit]:
    new, node = names[occurrence.name], occurrence.node
    if isinstance(node, ast.Name):
        yield Edit(source.span(node), new)
    elif isinstance(node, ast.alias):
        end = source.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        start = source.offset(node.lineno, node.col_offset)
        yield Edit(Span(start, end), f"{node.name} as {new}")
    elif isinstance(node, ast.Global):
        span = source.span(node)
        for word in _IDENTIFIER.finditer(source.text, span.start, span.end):
            if word[0] == occurrence.name:
                yield Edit(Span(*word.span()), new)
    elif isinstance(node, Definition):
        start = source.span(node).start
        words = _IDENTIFIER.finditer(source.text, start)
        found = next(word for word in words if word[0] not in ("async", "def", "class"))
        yield Edit(Span(*found.span()), new)


def _differ_in_names_alone(before: Source, after: Source, names: Mapping[str, str]) -> bool:
    """Whether the new text differs from the old one only in the replaced names."""
    expected = copy.deepcopy(before.tree)
    for each in occurrences(expected.body):
        if each.in_module and each.name in names:
            set_name(each, names[each.name])
    return _form(expected) == _form(after.tree)


def _form(tree: ast.Module) -> list[str]:
    return [ast.dump(each) for each in tree.body if not isinstance(each, ImportNode)]
