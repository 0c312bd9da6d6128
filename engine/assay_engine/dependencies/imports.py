"""Makes a text's imports absolute, and tells which modules a function cannot do without."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from assay_engine.dependencies.modules import absolute_name
from assay_engine.dependencies.needed import is_type_checking
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.parsing import child_statements, statements_in
from assay_engine.syntax.text import Source
from assay_engine.types import Edit, Span

_IMPORT_FAILURES = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException")
_IMPORT_FROM = re.compile(r"from(?P<path>[\s\\.]+[^\s\\(#]*?)[\s\\]*\bimport\b")


@lru_cache(maxsize=4)
def absolute_imports(source: Source, package: str) -> tuple[Edit, ...]:
    """The edits that make all relative imports of a text absolute."""
    edits: list[Edit] = []
    for node in statements_in(source.tree.body):
        if not isinstance(node, ast.ImportFrom) or node.level == 0:
            continue
        name = absolute_name(node.module or "", node.level, package)
        start = source.span(node).start
        match = _IMPORT_FROM.match(source.sound, start)
        if name is not None and match is not None:
            # `from . import x` at the top imports the module x itself.
            new_text = f"from {name} import" if name else "import"
            edits.append(Edit(Span(start, match.end()), new_text))
    return tuple(edits)


def required_roots(function: FunctionNode) -> frozenset[str]:
    """The top-level names of the modules that a function imports when it is called, and cannot do
    without.

    Left out are imports under ``TYPE_CHECKING``, and those for whose failure the function itself
    provides.
    """
    roots: set[str] = set()
    pending: list[ast.AST] = [*function.body]
    while pending:
        node = pending.pop()
        match node:
            case ast.Import(names=names):
                roots.update(alias.name.split(".", 1)[0] for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                roots.add(module.split(".", 1)[0])
            case ast.If(test=test, orelse=orelse) if is_type_checking(test):
                pending += orelse
            case ast.Try(handlers=handlers) if any(map(_handles_import, handlers)) and not all(
                map(_only_passes, handlers)
            ):
                pending += [*node.orelse, *node.finalbody]
            case _:
                pending += child_statements(node)
    return frozenset(roots - {"__future__"})


def _handles_import(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = (each.id for each in ast.walk(handler.type) if isinstance(each, ast.Name))
    return any(name in _IMPORT_FAILURES for name in names)


def _only_passes(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does nothing, so that nothing replaces what could not be imported.

    Then code that uses the import needs it.
    """
    return all(isinstance(each, ast.Pass) for each in handler.body)
