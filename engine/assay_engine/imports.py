"""What a text imports: made absolute, and found in the workspace."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from .modules import FindModule, absolute_name, package_of
from .parsing import Fault, parse
from .source import Source
from .types import Edit, Span

MAX_MODULES = 50
MAX_MODULES_CHARACTERS = 1 << 20
"""What a function may bring along of the workspace; the rest of its imports stay missing."""

_IMPORT_FROM = re.compile(r"from(?P<path>[\s\\.]+[^\s\\(#]*?)[\s\\]*\bimport\b")


def absolute_imports(source: Source, package: str) -> Iterator[Edit]:
    """The edits that make all relative imports of a text absolute."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.ImportFrom) or node.level == 0:
            continue
        name = absolute_name(node.module or "", node.level, package)
        start = source.span(node).start
        match = _IMPORT_FROM.match(source.sound, start)
        if name is not None and match is not None:
            # `from . import x` at the top imports the module x itself.
            new_text = f"from {name} import" if name else "import"
            yield Edit(Span(start, match.end()), new_text)


def collect_modules(
    nodes: Iterable[ast.stmt], find_module: FindModule
) -> tuple[tuple[str, str], ...]:
    """The workspace's modules that some code imports, those that they import, and so on."""
    package = package_of(find_module)
    found: dict[str, str] = {}
    characters = 0
    inner = chain.from_iterable(map(ast.walk, nodes))
    pending = [
        (absolute, name, level)
        for name, level in _requests(inner)
        if (absolute := absolute_name(name, level, package))
    ]
    seen: set[str] = set()
    while pending and len(found) < MAX_MODULES:
        absolute, name, level = pending.pop(0)
        if absolute in seen:
            continue
        seen.add(absolute)
        text = find_module(name, level)
        if text is None or characters + len(text) > MAX_MODULES_CHARACTERS:
            continue
        characters += len(text)
        found[absolute] = text
        pending += [(each, each, 0) for each in _parents(absolute)]
        pending += [(each, each, 0) for each in _imported_by(absolute, text)]
    return tuple(sorted(found.items()))


def _requests(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """The names and levels of modules that may be meant by the imports among some nodes."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, 0
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if base or node.level:
                yield base, node.level
            for alias in node.names:
                if alias.name != "*":
                    yield f"{base}.{alias.name}" if base else alias.name, node.level


def _imported_by(name: str, text: str) -> Iterator[str]:
    """The absolute names that a module may import.

    Whether it is a package is not known here, so that a relative import is read both ways.
    """
    tree = parse(text.removeprefix("\ufeff"))
    if isinstance(tree, Fault):
        return
    packages = {name, name.rpartition(".")[0]} - {""}
    for asked, level in _requests(ast.walk(tree)):
        for package in sorted(packages):
            absolute = absolute_name(asked, level, package)
            if absolute:
                yield absolute


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]
