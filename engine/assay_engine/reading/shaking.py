"""Those parts of a workspace's modules that a function needs, where all of them are too many.

``from .prices import rate`` needs of ``prices`` what `rate` needs, as of the function's own file
(`pieces`), and nothing of a package above that only gathers names from everywhere.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.reading.by_name import looks_around, may_look_around
from assay_engine.reading.dynamic_imports import imported_by_name
from assay_engine.reading.excerpts import excerpt
from assay_engine.reading.modules import Modules, absolute_name
from assay_engine.reading.pieces import Piece, Pieces, read_pieces
from assay_engine.syntax.needed import ImportNode
from assay_engine.syntax.parsing import child_statements
from assay_engine.syntax.scopes import BUILTINS
from assay_engine.syntax.source import read_source
from assay_engine.syntax.statements import is_star_import

# A workspace may have thousands, and all functions of a file need many of the same.
MODULES_KNOWN_MAX = 1000
# Ways to put something in; the empty one is an assignment.
_FILLING = frozenset(
    {"", "add", "append", "appendleft", "extend", "insert", "setdefault", "update"}
)
# Reading takes time, some seconds for this many times what may be taken.
READ_SHARE = 2
# What may be asked of a module but a name: that it is there, all of it, all modules in it.
PRESENCE, ALL, ALL_WITHIN = "", "*", "**"


class Limits(Struct, frozen=True):
    modules: int
    characters: int


class Asked(Struct, frozen=True):
    """What an import asks of a module: a name, or `ALL` or `ALL_WITHIN` of it.

    `attributes` are what is used of the object, if nothing else is done with it.
    """

    module: str
    level: int
    name: str
    attributes: tuple[str, ...] | None = None


class _Module(Struct, frozen=True):
    """A module's pieces without their trees: their texts, what each asks of other modules, and
    which of them may use whatever the module has. `stars` are the modules that it has all of.

    `filling` are the names of the module that a definition, when it is called, puts something in.
    """

    pieces: Pieces
    texts: tuple[str, ...]
    asked: tuple[tuple[Asked, ...], ...]
    stars: tuple[Asked, ...]
    looking_around: frozenset[int]
    filling: tuple[frozenset[str], ...]


def shaken(program: str, workspace: Modules, limits: Limits) -> dict[str, str] | None:
    """By absolute name, the text of the modules that a program needs, as far as it needs them.

    None if these are too many, or too long, or if modules that are left out may register something
    in one of them.
    """
    needed = _Needed(workspace, limits)
    try:
        needed.start(program)
        while needed.pending:
            needed.take(*needed.pending.popleft())
    except _TooMuch:
        return None
    return None if needed.is_filled_elsewhere() else needed.texts()


class _TooMuch(Exception):
    """One of the limits is passed."""


class _Needed:
    """The pieces that are `taken` of each module, and the names that are still to be looked at."""

    def __init__(self, workspace: Modules, limits: Limits) -> None:
        self.taken: dict[str, frozenset[int]] = {}
        self.pending: deque[tuple[str, str]] = deque()
        self._wanted: set[tuple[str, str]] = set()
        self._modules: dict[str, _Module | None] = {}
        self._workspace = workspace
        self._modules_left = limits.modules
        self._left = limits.characters
        self._left_to_read = READ_SHARE * limits.characters

    def start(self, program: str) -> None:
        module = _read(program)
        for asked in (*module.asked, module.stars):
            self._ask(asked, self._workspace.package)

    def take(self, absolute: str, name: str) -> None:
        """Take what a name needs of its module, and ask for what that needs of others."""
        module = self._module(absolute)
        if module is None:
            return
        package = absolute if self._workspace.is_package(absolute) else _parent(absolute)
        wanted = module.pieces.closure([name])
        if name not in (PRESENCE, ALL) and name not in module.pieces.binds:
            within = f"{absolute}.{name}"
            if self._module(within) is not None:
                self.pending.append((within, ALL))
            elif not self._ask_stars(module, package, name):
                # Made in ways that are not seen.
                name = ALL
        if name == ALL or not wanted.isdisjoint(module.looking_around):
            wanted = frozenset(range(len(module.texts)))
        before = self.taken.get(absolute)
        if before is None:
            self._modules_left = _less(self._modules_left, 1)
            before = frozenset[int]()
        self.taken[absolute] = before | wanted
        for star in module.stars:
            self._ask([replace(star, name=ALL if name == ALL else PRESENCE)], package)
        for index in sorted(wanted - before):
            self._left = _less(self._left, len(module.texts[index]))
            self._ask(module.asked[index], package)
            reads = module.pieces.pieces[index].names.reads if module.stars else ()
            for read in sorted(reads):
                if read not in module.pieces.binds and read not in BUILTINS:
                    self._ask_stars(module, package, read)

    def is_filled_elsewhere(self) -> bool:
        """Whether something is taken that a definition which is not taken puts something in: other
        modules may call that as they load, as registries have it."""
        for absolute, taken in self.taken.items():
            module = self._modules[absolute]
            pieces = module.pieces.pieces if module else ()
            bound = frozenset[str]().union(*(pieces[index].names.binds for index in taken))
            for index, filled in enumerate(module.filling if module else ()):
                if index not in taken and not filled.isdisjoint(bound):
                    return True
        return False

    def texts(self) -> dict[str, str]:
        modules = ((name, self._modules[name], sorted(taken)) for name, taken in self.taken.items())
        return {
            name: "\n".join([*(module.texts[each] for each in taken), ""])
            for name, module, taken in modules
            if module is not None
        }

    def _ask(self, asked: Iterable[Asked], package: str) -> None:
        for each in asked:
            base = absolute_name(each.module, each.level, package)
            if base is None:
                continue
            if each.name == ALL_WITHIN:
                self._want((inner, ALL) for inner in self._workspace.inside(base))
                continue
            within = f"{base}.{each.name}" if base else each.name
            if each.name == ALL:
                self._want_of(base, each.attributes)
            elif not self._binds(base, each.name) and self._module(within) is not None:
                self._want_of(within, each.attributes)
            else:
                self._want([(base, each.name)])

    def _want_of(self, absolute: str, attributes: tuple[str, ...] | None) -> None:
        names = (ALL,) if attributes is None else (PRESENCE, *attributes)
        self._want((absolute, name) for name in names)

    def _want(self, names: Iterable[tuple[str, str]]) -> None:
        fresh = set(names) - self._wanted
        self._wanted |= fresh
        self.pending += sorted(fresh)

    def _ask_stars(self, module: _Module, package: str, name: str) -> bool:
        """Whether one of the modules that it has all of gives the name; then that is asked for."""
        found = False
        for star in module.stars:
            base = absolute_name(star.module, star.level, package)
            if base and self._gives(base, name, frozenset()):
                self._want([(base, name)])
                found = True
        return found

    def _gives(self, absolute: str, name: str, seen: frozenset[str]) -> bool:
        module = self._module(absolute)
        if module is None or absolute in seen:
            return False
        package = absolute if self._workspace.is_package(absolute) else _parent(absolute)
        return name in module.pieces.binds or any(
            self._gives(base, name, seen | {absolute})
            for star in module.stars
            if (base := absolute_name(star.module, star.level, package))
        )

    def _binds(self, absolute: str, name: str) -> bool:
        module = self._module(absolute)
        return module is not None and name in module.pieces.binds

    def _module(self, absolute: str) -> _Module | None:
        if absolute not in self._modules:
            text = self._workspace.source(absolute, 0) if absolute else None
            self._left_to_read = _less(self._left_to_read, len(text or ""))
            self._modules[absolute] = None if text is None else _read(text)
        return self._modules[absolute]


def _less(left: int, by: int) -> int:
    if by > left:
        raise _TooMuch
    return left - by


def _parent(absolute: str) -> str:
    return absolute.rpartition(".")[0]


@lru_cache(maxsize=MODULES_KNOWN_MAX)
def _read(text: str) -> _Module:
    source = read_source(text)
    pieces = read_pieces(source)
    texts = [excerpt(source, each.span, ()) for each in pieces.pieces]
    used = _attributes(source.tree)
    return _Module(
        replace(
            pieces, pieces=tuple(replace(each, nodes=(), imports=()) for each in pieces.pieces)
        ),
        tuple(texts),
        tuple(
            tuple(_asked_by(part, each.nodes, used))
            for part, each in zip(texts, pieces.pieces, strict=True)
        ),
        tuple(_stars(source.tree.body)),
        frozenset(
            index
            for index, (part, each) in enumerate(zip(texts, pieces.pieces, strict=True))
            if may_look_around(part) and any(map(looks_around, each.nodes))
        ),
        tuple(_filled_by(each) for each in pieces.pieces),
    )


def _filled_by(piece: Piece) -> frozenset[str]:
    changes = piece.names.changes if piece.is_definition else ()
    return frozenset(name for name, method in changes if method in _FILLING)


def _attributes(tree: ast.AST) -> Mapping[str, tuple[str, ...]]:
    """By name, what is used of it behind a dot, if it is used in no other way."""
    used: dict[str, set[str]] = {}
    behind_dots: set[ast.expr] = set()
    whole: set[str] = set()
    for node in ast.walk(tree):
        # Met before what it consists of.
        match node:
            case ast.Attribute(value=ast.Name(id=name) as value, attr=attribute):
                used.setdefault(name, set()).add(attribute)
                behind_dots.add(value)
            case ast.Name(id=name) if node not in behind_dots:
                whole.add(name)
            case _:
                pass
    return {name: tuple(sorted(used[name])) for name in used.keys() - whole}


def _asked_by(
    text: str, nodes: Iterable[ast.AST], used: Mapping[str, tuple[str, ...]]
) -> Iterator[Asked]:
    """What some code asks of other modules, but for what only annotations need."""
    for each in imported_by_name(text, nodes):
        yield Asked(each.name, each.level, ALL_WITHIN if each.is_any_within else ALL)
    for node in _imports(nodes):
        for alias in node.names:
            bound = used.get(alias.asname or alias.name)
            if isinstance(node, ast.ImportFrom):
                if alias.name != ALL:
                    yield Asked(node.module or "", node.level, alias.name, bound)
            elif alias.asname or "." not in alias.name:
                yield Asked(alias.name, 0, ALL, bound)
            else:
                parts = alias.name.split(".")
                for count in range(1, len(parts) + 1):
                    yield Asked(".".join(parts[:count]), 0, ALL)


def _stars(nodes: Iterable[ast.AST]) -> Iterator[Asked]:
    for node in _imports(nodes):
        if is_star_import(node):
            yield Asked(node.module or "", node.level, ALL)


def _imports(nodes: Iterable[ast.AST]) -> Iterator[ImportNode]:
    pending = list(nodes)
    while pending:
        node = pending.pop()
        match node:
            case ast.Import() | ast.ImportFrom():
                yield node
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                pending += node.orelse
            case _:
                pending += child_statements(node)
