"""Takes only the needed parts of a workspace's modules, where the whole modules are too many.

Of ``prices``, ``from .prices import rate`` needs only the pieces that `rate` needs, just as in the
function's own file (`pieces`). It needs nothing of a package above that only gathers names from
everywhere.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from assay_engine.source.dynamic import ALL, ALL_WITHIN, PRESENCE, ImportAsked
from assay_engine.source.module_parts import ModuleParts, read_parts
from assay_engine.source.modules import Modules, absolute_name
from assay_engine.source.scopes import BUILTINS

# The most modules of which only parts are brought along.
SHAKEN_MODULES_MAX = 400
# The most that a function may bring along of the workspace; its other imports stay missing.
MODULES_CHARACTERS_MAX = 1 << 20
# Reading takes time: some seconds for this many times the characters that may be taken.
READ_SHARE = 2


def shaken(program: str, workspace: Modules) -> dict[str, str] | None:
    """The texts of the modules that a program needs, by absolute name, as far as it needs them.

    None if these modules are too many, or too long, or if modules that are left out may register
    something in one of them.
    """
    needed = _Needed(workspace)
    try:
        needed.start(program)
        while needed.pending:
            needed.take(*needed.pending.popleft())
    except _TooMuch:
        return None
    return None if needed.is_filled_elsewhere() else needed.texts()


class _TooMuch(Exception):
    """One of the limits was passed."""


class _Needed:
    """The pieces `taken` of each module, and the names still to be looked at (`pending`)."""

    def __init__(self, workspace: Modules) -> None:
        self.taken: dict[str, frozenset[int]] = {}
        self.pending: deque[tuple[str, str]] = deque()
        self._wanted: set[tuple[str, str]] = set()
        self._modules: dict[str, ModuleParts | None] = {}
        self._workspace = workspace
        self._modules_left = SHAKEN_MODULES_MAX
        self._left = MODULES_CHARACTERS_MAX
        self._left_to_read = READ_SHARE * MODULES_CHARACTERS_MAX

    def start(self, program: str) -> None:
        module = read_parts(program)
        for asked in (*module.asked, module.stars):
            self._ask(asked, self._workspace.package)

    def take(self, absolute: str, name: str) -> None:
        """Take the pieces that a name needs of its module, and ask for what they need of others."""
        module = self._module(absolute)
        if module is None:
            return
        package = self._package(absolute)
        wanted = module.pieces.closure([name])
        if name not in (PRESENCE, ALL) and name not in module.pieces.binds:
            within = _within(absolute, name)
            if self._module(within) is not None:
                self._want([(within, ALL)])
            elif not self._ask_stars(module, package, name):
                # The module makes the name in ways that cannot be seen here.
                name = ALL
        if name == ALL or not wanted.isdisjoint(module.looking_around):
            wanted = frozenset(range(len(module.texts)))
        before = self.taken.get(absolute)
        if before is None:
            self._modules_left = _less(self._modules_left, 1)
            before = frozenset[int]()
            # Packages load before what is in them.
            self._want([(_parent(absolute), PRESENCE)])
        self.taken[absolute] = before | wanted
        self._want(
            (base, ALL if name == ALL else PRESENCE) for base in self._behind_stars(module, package)
        )
        for index in sorted(wanted - before):
            self._left = _less(self._left, len(module.texts[index]))
            self._ask(module.asked[index], package)
            reads = module.pieces.pieces[index].names.reads if module.stars else ()
            for read in sorted(reads):
                if read not in module.pieces.binds and read not in BUILTINS:
                    self._ask_stars(module, package, read)

    def is_filled_elsewhere(self) -> bool:
        """Whether a definition that is not taken puts something into an object that is.

        Other modules may call such a definition as they load: registries work like that.
        """
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

    def _ask(self, asked: Iterable[ImportAsked], package: str) -> None:
        for each in asked:
            base = absolute_name(each.module, each.level, package)
            if base is None:
                continue
            if each.name == ALL_WITHIN:
                self._want((inner, ALL) for inner in self._workspace.inside(base))
                continue
            if each.name == ALL:
                self._want_of(base, each.attributes)
            elif self._is_module(base, each.name):
                self._want_of(_within(base, each.name), each.attributes)
            else:
                self._want([(base, each.name)])

    def _want_of(self, absolute: str, attributes: tuple[str, ...] | None) -> None:
        names = (ALL,) if attributes is None else (PRESENCE, *attributes)
        self._want((absolute, name) for name in names)

    def _want(self, names: Iterable[tuple[str, str]]) -> None:
        fresh = set(names) - self._wanted
        self._wanted |= fresh
        self.pending += sorted(fresh)

    def _ask_stars(self, module: ModuleParts, package: str, name: str) -> bool:
        """Ask for a name in the modules behind a module's stars that give it; whether any does."""
        giving = [each for each in self._behind_stars(module, package) if self._gives(each, name)]
        self._want((each, name) for each in giving)
        return bool(giving)

    def _gives(self, absolute: str, name: str) -> bool:
        """Whether a module, or a module behind its stars, and so on, binds the name."""
        seen: set[str] = set()
        pending = [absolute]
        while pending:
            each = pending.pop()
            module = self._module(each)
            if module is None or each in seen:
                continue
            if name in module.pieces.binds:
                return True
            seen.add(each)
            pending += self._behind_stars(module, self._package(each))
        return False

    def _behind_stars(self, module: ModuleParts, package: str) -> list[str]:
        """The modules from which a module in a package imports everything by a star."""
        bases = (absolute_name(star.module, star.level, package) for star in module.stars)
        return [base for base in bases if base]

    def _package(self, absolute: str) -> str:
        """The package that relative imports in a module start from."""
        return absolute if self._workspace.is_package(absolute) else _parent(absolute)

    def _is_module(self, package: str, name: str) -> bool:
        """Whether a name in a package is a module in it and not bound by the package itself."""
        module = self._module(package)
        if name == PRESENCE or (module is not None and name in module.pieces.binds):
            return False
        return self._module(_within(package, name)) is not None

    def _module(self, absolute: str) -> ModuleParts | None:
        if absolute not in self._modules:
            text = self._workspace.source(absolute, 0) if absolute else None
            self._left_to_read = _less(self._left_to_read, len(text or ""))
            self._modules[absolute] = None if text is None else read_parts(text)
        return self._modules[absolute]


def _less(left: int, by: int) -> int:
    if by > left:
        raise _TooMuch
    return left - by


def _within(package: str, name: str) -> str:
    return f"{package}.{name}" if package else name


def _parent(absolute: str) -> str:
    return absolute.rpartition(".")[0]
