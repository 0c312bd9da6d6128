"""Makes a text's imports absolute, and finds the imported modules in the workspace."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from assay_engine.source.dynamic import ALL_WITHIN, ImportAsked, imported_by_name
from assay_engine.source.modules import Modules, absolute_name
from assay_engine.source.needed import is_type_checking
from assay_engine.source.parsing import SyntaxFault, child_statements, parse, statements_in
from assay_engine.source.text import Source
from assay_engine.source.tree_shaking import MODULES_CHARACTERS_MAX, SHAKEN_MODULES_MAX, shaken
from assay_engine.types import Edit, Span

# The most modules that are brought along whole.
MODULES_MAX = 50

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


def collect_modules(
    program: str, imports: Iterable[ast.AST], shown: str, workspace: Modules
) -> tuple[tuple[str, str], ...]:
    """Collect the workspace's modules that a program imports, directly or through other modules.

    Modules that may be asked for by a name made up at run time come last. If the modules are too
    many, or too long, only the needed parts of them are collected (`tree_shaking`). `shown` are the
    imports of the examples: the modules that they ask for come along if there is room.

    Where the modules are served, too, a package is told from a module by what lies in it. So a
    package of which no other module is collected gets an empty one. Otherwise its `from ..` would
    reach too far.
    """
    needed = tuple(imports)
    found = None
    if shown:
        also = (*needed, *statements_in(_statements(shown)))
        found = _collected(f"{program}\n{shown}", also, workspace)
    if found is None:
        found = _collected(program, needed, workspace)
    if found is None:
        found, _ = _whole_modules(program, needed, workspace)
    outer = {parent for name in found for parent in _parents(name)}
    alone = [name for name in found.keys() - outer if workspace.is_package(name)]
    return tuple(sorted(found.items() | {(f"{name}.__init__", "") for name in alone}))


def _collected(
    program: str, imports: Iterable[ast.AST], workspace: Modules
) -> dict[str, str] | None:
    """The texts of all modules that a program needs, by absolute name; None if that is too much."""
    found, is_all = _whole_modules(program, imports, workspace)
    return found if is_all else shaken(program, workspace)


def is_cut(modules: Collection[tuple[str, str]]) -> bool:
    """Whether the modules that were collected are only some, and more did not come along."""
    return sum(not name.endswith(".__init__") for name, _ in modules) == MODULES_MAX


def _whole_modules(
    program: str, imports: Iterable[ast.AST], workspace: Modules
) -> tuple[dict[str, str], bool]:
    """The texts of the modules, whole, by absolute name; and whether these are all modules."""
    package = workspace.package
    found: dict[str, str] = {}
    characters = 0
    pending = [
        (absolute, name, level)
        for name, level in _requests(imports)
        if (absolute := absolute_name(name, level, package))
    ]
    later = [(each, each, 0) for each in _by_name(program, package, workspace)]
    seen: set[str] = set()
    while pending or later:
        absolute, name, level = (pending or later).pop(0)
        if absolute in seen:
            continue
        seen.add(absolute)
        text = workspace.source(name, level)
        if text is None:
            continue
        characters += len(text)
        if len(found) == MODULES_MAX or characters > MODULES_CHARACTERS_MAX:
            return found, False
        found[absolute] = text
        pending += [(each, each, 0) for each in _parents(absolute)]
        pending += [(each, each, 0) for each in _imported_by(absolute, text)]
        inside = absolute if workspace.is_package(absolute) else absolute.rpartition(".")[0]
        later += [(each, each, 0) for each in _by_name(text, inside, workspace)]
    return found, True


# Memos of pure functions: all functions of a file import from the same modules.
@lru_cache(maxsize=4 * SHAKEN_MODULES_MAX)
def required_roots(text: str, *, on_loading: bool = False) -> frozenset[str]:
    """The top-level names of the modules that a text cannot do without.

    Left out are imports under ``TYPE_CHECKING`` or another condition outside of functions, which
    need not hold here, and imports for whose failure the text itself provides. With `on_loading`,
    imports that functions make when they are called are left out, too.
    """
    roots: set[str] = set()
    for node in _required(text, on_loading=on_loading):
        match node:
            case ast.Import(names=names):
                roots.update(alias.name.split(".", 1)[0] for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                roots.add(module.split(".", 1)[0])
            case _:
                pass
    return frozenset(roots - {"__future__"})


def required_modules(program: str, modules: Mapping[str, str]) -> frozenset[str]:
    """The workspace's modules that a program requires, directly or through such modules."""
    pending = list(_required_by("", program))
    required: set[str] = set()
    while pending:
        name = pending.pop()
        for each in (*_parents(name), name):
            if each in modules and each not in required:
                required.add(each)
                pending += _required_by(each, modules[each])
    return frozenset(required)


@lru_cache(maxsize=4 * SHAKEN_MODULES_MAX)
def _required_by(name: str, text: str) -> tuple[str, ...]:
    """The absolute names that a module, or a program if `name` is empty, cannot do without.

    Of a module, only what it imports as it loads counts.
    """
    return _absolute(name, _required(text, on_loading=bool(name)))


def _required(text: str, *, on_loading: bool) -> Iterator[ast.AST]:
    """The import statements that `required_roots` counts."""
    pending: list[tuple[ast.AST, bool]] = [(node, False) for node in _statements(text)]
    while pending:
        node, in_function = pending.pop()
        match node:
            case ast.Import() | ast.ImportFrom():
                yield node
            case ast.If(test=test, orelse=orelse) if is_type_checking(test):
                pending += [(each, in_function) for each in orelse]
            case ast.If() if not in_function:
                continue
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if not on_loading:
                    pending += [(each, True) for each in node.body]
            case ast.Try(handlers=handlers) if any(map(_handles_import, handlers)) and (
                on_loading or not all(map(_only_passes, handlers))
            ):
                pending += [(each, in_function) for each in (*node.orelse, *node.finalbody)]
            case _:
                pending += [(each, in_function) for each in child_statements(node)]


@lru_cache(maxsize=4 * SHAKEN_MODULES_MAX)
def _imported_by(name: str, text: str) -> tuple[str, ...]:
    """The absolute names that a module may import.

    Whether the module is a package is not known here, so a relative import is read both ways.
    """
    return _absolute(name, statements_in(_statements(text)))


def _by_name(text: str, package: str, workspace: Modules) -> Iterator[str]:
    """The absolute names of modules that a text in a package may import by made-up names."""
    for each in _made_up(text):
        absolute = absolute_name(each.module, each.level, package)
        if absolute:
            yield from workspace.inside(absolute) if each.name == ALL_WITHIN else [absolute]


@lru_cache(maxsize=4 * SHAKEN_MODULES_MAX)
def _made_up(text: str) -> tuple[ImportAsked, ...]:
    return tuple(imported_by_name(text, _statements(text)))


def _absolute(name: str, nodes: Iterable[ast.AST]) -> tuple[str, ...]:
    packages = sorted({name, name.rpartition(".")[0]} - {""}) or [""]
    return tuple(
        absolute
        for asked, level in _requests(nodes)
        for package in packages
        if (absolute := absolute_name(asked, level, package))
    )


def _requests(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """The names and levels of the modules that the imports among some nodes may mean."""
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


def _statements(text: str) -> Iterator[ast.stmt]:
    """The statements of a text, which is parsed only if anybody looks at them."""
    tree = _parsed(text)
    if not isinstance(tree, SyntaxFault):
        yield from tree.body


# A memo of a pure function: a text is asked about for several reasons in a row.
@lru_cache(maxsize=2)
def _parsed(text: str) -> ast.Module | SyntaxFault:
    return parse(text.removeprefix("\ufeff"))


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


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]
