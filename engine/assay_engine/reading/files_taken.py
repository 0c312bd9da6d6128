"""Finds parameters that take open files, by their annotation or by their use."""

from __future__ import annotations

import ast

from assay_engine.reading.units import Cut
from assay_engine.syntax.alternatives import alternatives
from assay_engine.syntax.names import last_name
from assay_engine.syntax.open_files import OPEN_FILES

# Methods of open files that few other objects have.
_READING = frozenset(("read", "readline", "readlines", "writelines"))


def files_taken(cut: Cut) -> tuple[str, ...]:
    """The names of parameters that are annotated as open files, or not annotated but read like
    open files."""
    used = {
        node.value.id
        for node in ast.walk(cut.node)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.attr in _READING
    }
    return tuple(
        each.arg
        for each in cut.given
        if _is_open_file(each.annotation) or (each.annotation is None and each.arg in used)
    )


def _is_open_file(annotation: ast.expr | None) -> bool:
    return any(last_name(each) in OPEN_FILES for each in alternatives(annotation))
