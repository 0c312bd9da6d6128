"""Recognises classes whose objects stay as they are made, as far as their text says."""

from __future__ import annotations

import ast

from assay_engine.syntax.classes import ENUMERATIONS
from assay_engine.syntax.names import last_name

_BASES = ENUMERATIONS | {"NamedTuple"}


def stays_as_made(node: ast.ClassDef) -> bool:
    """Whether a class is a named tuple, an enumeration, or frozen by a decorator or an option."""
    if not _BASES.isdisjoint(map(last_name, node.bases)):
        return True
    calls = [each for each in node.decorator_list if isinstance(each, ast.Call)]
    keywords = [*node.keywords, *(keyword for call in calls for keyword in call.keywords)]
    return any(last_name(each) == "frozen" for each in node.decorator_list) or any(
        keyword.arg == "frozen"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
        for keyword in keywords
    )
