"""Collects what other modules of the project define and a function refers to, for a model to see.

A model that is shown ``def order_total(order: Order)`` and the import of `Order` has to guess its
fields. Only modules are shown that programs may read in the sandbox, and that Git does not leave
out. Where there is too little room, what the function does not use is shortened first, then what is
furthest away is left out, and last what makes the objects that it is given.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import chain
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.bounds import (
    NEIGHBOUR_CHARACTERS_MAX,
    NEIGHBOUR_MODULES_MAX,
    NEIGHBOURS_AWAY_MAX,
    NEIGHBOURS_MAX,
)
from assay_engine.dependencies.excerpts import CONTEXT_CHARACTERS_MAX, mentioned
from assay_engine.dependencies.modules import Modules
from assay_engine.dependencies.needed import imports_in, read_pieces
from assay_engine.dependencies.readable import ShownModules
from assay_engine.dependencies.surfaces import (
    LENGTHS,
    Import,
    Surface,
    imported,
    names_in_words,
    names_within,
    outside_definitions,
    surface_of,
)
from assay_engine.files.bounded import is_file, is_folder
from assay_engine.syntax.identifiers import FunctionNode, arguments_of
from assay_engine.syntax.parsing import statements_in
from assay_engine.syntax.text import Source, read_source
from assay_engine.syntax.units import cuts_by_path
from assay_engine.types import Specification

# The least room, where the function's own file takes nearly all that a prompt has for both.
ROOM_MIN = 2_000


def with_neighbours(
    text: str, specifications: Sequence[Specification], workspace: Modules, characters: int
) -> list[Specification]:
    """The specifications of functions of a text, with what these refer to in other modules.

    That has at most so many characters for each.
    """
    source = read_source(text)
    if not characters or not workspace.roots_of(statements_in(source.tree.body)):
        return [*specifications]
    # What is asked is collected first: modules that are read take the place of the text in memos.
    texts = _Texts(source, workspace.package)
    asked = [texts.asked(each) for each in specifications]
    project = _Project(workspace)
    shown: list[Specification] = []
    for each, its in zip(specifications, asked, strict=True):
        room = min(characters, max(ROOM_MIN, CONTEXT_CHARACTERS_MAX - len(each.context)))
        shown.append(replace(each, neighbours=_Search(project, its, room).text()))
    return shown


class _Asked(Struct, frozen=True):
    """The names, dotted or not, that lead from a function to other modules.

    `given` are those that its parameters' annotations have, `refers` all that its code has, `words`
    those of its docstring; `near` are those in headers and fields of what it needs of its own file,
    and `far` all others there. `own` is the surface of its file, which has the imports. `used` are
    the names that it mentions, attributes among them.
    """

    own: Surface
    given: tuple[str, ...]
    refers: tuple[str, ...]
    words: tuple[str, ...]
    near: tuple[str, ...]
    far: tuple[str, ...]
    used: frozenset[str]


class _Texts:
    """The names in the pieces of a text, each read once."""

    def __init__(self, source: Source, package: str) -> None:
        self._source = source
        self._package = package
        self._pieces = read_pieces(source)
        self._imports, self._stars = imported(outside_definitions(source.tree.body), package)
        self._known: dict[tuple[int, bool], tuple[str, ...]] = {}

    def asked(self, specification: Specification) -> _Asked:
        unit, pieces = specification.unit, self._pieces
        cut = next(each for each in cuts_by_path(self._source)[unit.path] if each.unit == unit)
        functions = [each for each in (*cut.enclosing, cut.node) if isinstance(each, FunctionNode)]
        inside, _ = imported(imports_in(functions), self._package)
        home = pieces.index_at(unit.name_span.start)
        noted = [each.annotation for each in arguments_of(cut.node.args) if each.annotation]
        given = names_within(noted, is_annotation=True)
        header = (
            *names_within([cut.node], bodies=False),
            *names_within(cut.node.decorator_list),
        )
        reads = set(inside).union(
            (each.partition(".")[0] for each in header),
            *(
                names
                for within, names in pieces.pieces[home].names.reads_within.items()
                if cut.node in within
            ),
        )
        beside = sorted(pieces.closure(reads) - {home})
        # What the file defines itself leads nowhere else.
        providers = dict.fromkeys(pieces.binds - self._imports.keys(), ())
        own = Surface("", (), providers, self._imports | inside, self._stars)
        near = chain.from_iterable(self._names(each, bodies=False) for each in (home, *beside))
        far = chain.from_iterable(self._names(each, bodies=True) for each in beside)
        return _Asked(
            own,
            given,
            (*header, *_led_by(names_within([cut.node]), reads)),
            names_in_words(unit.docstring),
            _led_by(near, own.imports),
            _led_by(far, own.imports),
            mentioned(cut),
        )

    def _names(self, piece: int, *, bodies: bool) -> tuple[str, ...]:
        if (piece, bodies) not in self._known:
            found = names_within(self._pieces.pieces[piece].nodes, bodies=bodies)
            self._known[piece, bodies] = found
        return self._known[piece, bodies]


def _led_by(names: Iterable[str], roots: Container[str]) -> tuple[str, ...]:
    return tuple(each for each in names if each.partition(".")[0] in roots)


class _Project:
    """The modules that a file can import and a model may be shown, each by its surface."""

    def __init__(self, workspace: Modules) -> None:
        self._workspace = workspace
        self._shown = ShownModules(workspace.root, workspace.search_path)
        self._known: dict[str, Surface | None] = {}
        self._tops: dict[str, bool] = {}

    def has(self, name: str) -> bool:
        """Whether a module, or one within it, may be one of the project."""
        top = name.partition(".")[0]
        if top not in self._tops:
            paths = [folder / top for folder in self._workspace.search_path]
            self._tops[top] = any(is_folder(p) or is_file(p.with_suffix(".py")) for p in paths)
        return self._tops[top]

    def surface(self, name: str) -> Surface | None:
        """What a module offers, by any name of it; None if it is none, or is not to be shown."""
        if name not in self._known:
            found = self._workspace.find(name)
            self._known[name] = None if found is None else self._surface(*found)
        return self._known[name]

    def _surface(self, path: Path, text: str) -> Surface | None:
        is_other = path != self._workspace.file and len(text) <= NEIGHBOUR_CHARACTERS_MAX
        if not is_other or path not in self._shown:
            return None
        # A file may have several names; only the path tells that they are one.
        folder = next(each for each in self._workspace.search_path if path.is_relative_to(each))
        parts = path.relative_to(folder).with_suffix("").parts
        if parts[-1] == "__init__":
            return surface_of(text, ".".join(parts[:-1]), ".".join(parts[:-1]))
        return surface_of(text, ".".join(parts), ".".join(parts[:-1]))


class _Found:
    """A definition that is shown: how far away it is, and whether inputs need it."""

    def __init__(self, surface: Surface, number: int, away: int, *, is_given: bool) -> None:
        self.surface = surface
        self.number = number
        self.away = away
        self.is_given = is_given
        self.offered = surface.offered[number]
        names = (*self.offered.needs, *self.offered.beside)
        self.roots = frozenset(each.partition(".")[0] for each in names)
        self._texts: dict[int, str] = {}

    @property
    def place(self) -> tuple[str, int]:
        return self.surface.module, self.number

    def at(self, length: int, used: frozenset[str]) -> str:
        if length not in self._texts:
            self._texts[length] = self.offered.at(length, used)
        return self._texts[length]


class _Search:
    """Finds what is shown of other modules for one function, and fits it into its room."""

    def __init__(self, project: _Project, asked: _Asked, room: int) -> None:
        self._project = project
        self._asked = asked
        self._room = room
        self._looked_at: set[str] = set()
        self._found: dict[tuple[str, int], _Found] = {}
        self._waiting: list[tuple[int, int, bool, Surface, str]] = []
        self._count = 0

    def text(self) -> str:
        asked = self._asked
        self._put(asked.own, asked.given, 0, is_given=True)
        self._put(asked.own, (*asked.refers, *asked.words), 0)
        self._put(asked.own, asked.near, 1, is_given=True)
        self._put(asked.own, asked.far, 2)
        self._search(until=0)
        for surface in {
            each.surface.module: each.surface for each in self._found.values()
        }.values():
            self._put(surface, filter(surface.providers.__contains__, asked.words), 1)
        self._search(until=NEIGHBOURS_AWAY_MAX)
        # What is shortened, and then left out, comes first.
        ordered = sorted(
            self._found.values(), key=lambda each: (each.is_given, -each.away, *each.place)
        )
        # After so many steps, each of which shortens one definition, the text has its room.
        steps = bisect_left(
            range(len(LENGTHS) * len(ordered)),
            -self._room,
            key=lambda steps: -len(self._rendered(ordered, steps)),
        )
        return self._rendered(ordered, steps)

    def _put(
        self, surface: Surface, names: Iterable[str], away: int, *, is_given: bool = False
    ) -> None:
        for name in names:
            self._count += 1
            heappush(self._waiting, (away, self._count, is_given, surface, name))

    def _search(self, until: int) -> None:
        while self._waiting and self._waiting[0][0] <= until:
            away, _, is_given, surface, name = heappop(self._waiting)
            for there, number in self._led_to(surface, name.split("."), set()):
                known = self._found.get((there.module, number))
                if known is None and len(self._found) < NEIGHBOURS_MAX:
                    known = _Found(there, number, away, is_given=is_given)
                    self._found[there.module, number] = known
                    self._put(there, there.offered[number].beside, away + 2)
                elif known is None or known.is_given or not is_given:
                    continue
                known.is_given = is_given
                self._put(there, there.offered[number].needs, away + 1, is_given=is_given)

    def _led_to(
        self, surface: Surface, names: Sequence[str], seen: set[tuple[str, str]]
    ) -> list[tuple[Surface, int]]:
        """The definitions that a dotted name of a module leads to, wherever they are."""
        name = names[0]
        if (surface.module, name) in seen:
            return []
        seen.add((surface.module, name))
        for each in surface.imports.get(name, ()):
            found = self._imported(each, names[1:], seen)
            if found:
                return found
        if name in surface.providers:
            return [(surface, number) for number in surface.providers[name]]
        for star in () if name.startswith("_") else surface.stars:
            other = self._surface(star)
            found = [] if other is None else self._led_to(other, names, seen)
            if found:
                return found
        return []

    def _imported(
        self, statement: Import, names: Sequence[str], seen: set[tuple[str, str]]
    ) -> list[tuple[Surface, int]]:
        module, left = statement.module, [*filter(None, [statement.name]), *names]
        if not statement.name and not statement.bound:
            # `import a.b` binds `a`, of which the rest is an attribute.
            module = module.partition(".")[0]
        if not self._project.has(module):
            return []
        while left:
            surface = self._surface(module)
            found = [] if surface is None else self._led_to(surface, left, seen)
            if found:
                return found
            # What is no name of the module may be a module in it.
            module, left = f"{module}.{left[0]}", left[1:]
        return []

    def _surface(self, module: str) -> Surface | None:
        self._looked_at.add(module)
        return (
            self._project.surface(module) if len(self._looked_at) <= NEIGHBOUR_MODULES_MAX else None
        )

    def _rendered(self, ordered: Sequence[_Found], steps: int) -> str:
        whole, more = divmod(steps, len(ordered) or 1)
        lengths = [whole + (number < more) for number in range(len(ordered))]
        shown = [
            (each, length)
            for each, length in zip(ordered, lengths, strict=True)
            if length < len(LENGTHS)
        ]
        modules: dict[str, list[tuple[_Found, int]]] = {}
        for each, length in sorted(shown, key=lambda pair: (pair[0].away, *pair[0].place)):
            modules.setdefault(each.surface.module, []).append((each, length))
        rendered: list[str] = []
        for name, those in modules.items():
            those.sort(key=lambda pair: pair[0].number)
            imports = those[0][0].surface.imports
            used = frozenset[str]().union(*(each.roots for each, _ in those))
            lines = _import_lines(imports[each][0] for each in sorted(used & imports.keys()))
            texts = (each.at(length, self._asked.used) for each, length in those)
            rendered.append("\n\n".join(["\n".join([f"# {name}", *lines]), *texts]))
        return "\n\n\n".join(rendered)


def _import_lines(imports: Iterable[Import]) -> Iterator[str]:
    together: dict[str, list[str]] = {}
    for each in imports:
        if each.name:
            renamed = f" as {each.bound}" if each.bound != each.name else ""
            together.setdefault(each.module, []).append(f"{each.name}{renamed}")
        else:
            renamed = f" as {each.bound}" if each.bound not in ("", each.module) else ""
            yield f"import {each.module}{renamed}"
    for module, names in sorted(together.items()):
        if module != "__future__":
            yield f"from {module} import {', '.join(names)}"
