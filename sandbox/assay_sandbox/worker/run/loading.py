"""The program's module: on its own, or in the place of a module of a project.

The modules of a project are found by a list of the files that may be read, and the one on trial is
given the program's text. Everything else of the project comes from disk under its own name, as in
life. The project's folders are never listed for programs, so the names of its other files stay
unknown. The file of the module on trial is closed: a candidate could run what it is there to
replace.
"""

from __future__ import annotations

import builtins
import os
import sys
import types
from importlib._bootstrap_external import cache_from_source
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    ExtensionFileLoader,
    ModuleSpec,
    SourceFileLoader,
)

# Imported now, because a scene's clock stands still.
from time import process_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Iterator, Sequence

    Execute = Callable[[types.ModuleType], None]

PACKAGE_FILE = "/__init__.py"
_OF_MODULES = (".py", ".pyc", ".so", ".pyd")


def originals(module: str, file: str, packages: Iterable[str]) -> frozenset[str]:
    """The files with the text that programs replace or what was compiled from it, also where the
    project is installed in folders of `packages`. A program that could read them could run the
    original in its own place. The host calls this, too."""
    name = module.replace(".", "/") + (PACKAGE_FILE if file.endswith(PACKAGE_FILE) else ".py")
    found = {file}
    for path in (file, *(f"{folder}/{name}" for folder in packages)):
        folder, _, own = path.rpartition("/")
        stem = own.partition(".")[0]
        for within in (folder, f"{folder}/__pycache__"):
            try:
                names = os.listdir(within)
            except OSError:
                continue
            for each in names:
                if each.partition(".")[0] == stem and each.endswith(_OF_MODULES):
                    found.add(f"{within}/{each}")
    return frozenset(found)


class Place:
    """See the host's `places.Place`. `texts` has what the modules' files hold, where no file can be
    opened."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.module: str = told["module"]
        self.file: str = told["file"]
        self.roots: list[str] = list(told["roots"])
        self.texts: dict[str, bytes] | None = told["texts"]
        self._others: frozenset[str] = frozenset(
            told["files"] if self.texts is None else self.texts
        )
        self.files = self._others | {self.file}
        # The program's, once there is one.
        self.text = ""
        self.is_package = self.file.endswith(PACKAGE_FILE)
        # All folders with files, which are namespace packages unless they have a file that says
        # more.
        self.folders: set[str] = set()
        for path in self.files:
            folder = path.rpartition("/")[0]
            while folder and folder not in self.folders:
                self.folders.add(folder)
                folder = folder.rpartition("/")[0]
        self.within = tuple(f"{root}/" for root in self.roots)
        # By path, what modules have been compiled to ahead, and the names of those loaded.
        self.compiled: dict[str, types.CodeType] = {}
        self.loaded: dict[str, str] = {}

    def openable(self) -> list[str]:
        """The other files, and what was compiled from them."""
        texts = [path for path in self._others if path.endswith(".py")]
        return [*self._others, *map(cache_from_source, texts)]

    def originals(self) -> frozenset[str]:
        packages = [os.path.realpath(each) for each in sys.path if each.endswith("-packages")]
        return originals(self.module, self.file, packages)

    def install(self, execute: Execute) -> None:
        """Make the project's modules importable; `execute` fills the one on trial."""
        self.execute = execute
        packages = (at for at, each in enumerate(sys.path) if each.endswith("-packages"))
        at = next(packages, len(sys.path))
        sys.path[at:at] = [each for each in self.roots if each not in sys.path]
        sys.dont_write_bytecode = True
        # Any: the import system wants these protocols, which typeshed spells as classes.
        hook: Any = self._finder
        sys.path_hooks.insert(0, hook)
        finder: Any = _Finder(self)
        sys.meta_path.insert(0, finder)

    def _finder(self, folder: str) -> _Folder:
        """For `sys.path_hooks`."""
        if folder not in self.folders or not f"{folder}/".startswith(self.within):
            raise ImportError
        return _Folder(self, folder)


class _Folder:
    """Finds modules in one folder. Texts go before what was compiled from them: of both, only the
    text is on trial."""

    def __init__(self, place: Place, folder: str) -> None:
        self._place = place
        self._folder = folder

    def find_spec(self, name: str, target: object = None) -> ModuleSpec | None:
        place, start = self._place, f"{self._folder}/{name.rpartition('.')[2]}"
        for path in (start + PACKAGE_FILE, f"{start}.py"):
            if path in place.files:
                kind = _OnTrial if path == place.file else _Loader
                loader: Any = kind(place, name, path)
                return _spec(name, loader, path, is_package=path.endswith(PACKAGE_FILE))
        for suffix in EXTENSION_SUFFIXES:
            if start + suffix in place.files:
                path = start + suffix
                return _spec(name, ExtensionFileLoader(name, path), path, is_package=False)
        if start in place.folders:
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [start]
            return spec
        return None

    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]:
        """For `pkgutil`, which would list the folder otherwise."""
        start = len(self._folder) + 1
        names: dict[str, bool] = {}
        for path in sorted(self._place.files):
            if path.startswith(f"{self._folder}/"):
                first, _, rest = path[start:].partition("/")
                if rest == "__init__.py":
                    names[first] = True
                elif not rest and first.endswith(".py") and first != "__init__.py":
                    names.setdefault(first[: -len(".py")], False)
        return iter([(prefix + name, is_package) for name, is_package in names.items()])


class _Loader(SourceFileLoader):
    """Loads what came along with the program, or has been compiled of a file, or compiles it.

    Who asks for the text of the module on trial gets the program's.
    """

    def __init__(self, place: Place, name: str, path: str) -> None:
        super().__init__(name, path)
        self._place = place

    def get_code(self, fullname: str) -> types.CodeType | None:
        self._place.loaded[self.path] = fullname
        return self._place.compiled.get(self.path) or super().get_code(fullname)

    def get_data(self, path: str) -> bytes:
        place = self._place
        if path == place.file:
            return place.text.encode(errors="surrogatepass")
        if place.texts is None:
            return super().get_data(path)
        if path not in place.texts:
            raise FileNotFoundError(2, "No such file or directory", path)
        return place.texts[path]

    def path_stats(self, path: str) -> Any:
        if self._place.texts is not None:
            # There is no compiled twin.
            raise OSError
        return super().path_stats(path)


class _OnTrial(_Loader):
    """Loads the module that is on trial, by whatever name."""

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__["__builtins__"] = builtins
        self._place.execute(module)

    def get_source(self, fullname: str) -> str:
        return self._place.text

    def get_code(self, fullname: str) -> types.CodeType:
        return compile(self._place.text, self.path, "exec", dont_inherit=True)


class _Finder:
    """Finds the module that is on trial, by its own name."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> ModuleSpec | None:
        place = self._place
        if name != place.module:
            return None
        return _spec(
            name, _OnTrial(place, name, place.file), place.file, is_package=place.is_package
        )


def _spec(name: str, loader: Any, path: str, *, is_package: bool) -> ModuleSpec:
    spec = ModuleSpec(name, loader, origin=path, is_package=is_package)
    spec.has_location = True
    if is_package:
        spec.submodule_search_locations = [path.rpartition("/")[0]]
    return spec


# As Python names a script's module in a process of `multiprocessing`, where the guard of a script
# must not run either.
PROGRAM_MODULE = "__mp_main__"
PROGRAM_FILE = "<program>"


class ProgramText:
    """The program's text, compiled before its turn has come. `run` raises what compiling raised.
    `seconds`: how much processor time compiling took."""

    def __init__(self, source: str) -> None:
        self._code: types.CodeType | None = None
        self._error: BaseException | None = None
        began = process_time()
        try:
            # Without `dont_inherit` this module's own `from __future__` line would apply to it.
            self._code = compile(source, PROGRAM_FILE, "exec", dont_inherit=True)
        except BaseException as error:
            self._error = error
        self.seconds = process_time() - began

    def run(self) -> dict[str, Any]:
        """Run the text in a module of its own; return its namespace. Raises whatever it raises."""
        module = types.ModuleType(PROGRAM_MODULE)
        sys.modules[PROGRAM_MODULE] = sys.modules["__main__"] = module
        module.__dict__["__builtins__"] = builtins
        # There is no such file, but modules use it to find files beside them, mostly while they
        # load.
        module.__dict__["__file__"] = PROGRAM_FILE
        self.execute(module)
        return module.__dict__

    def execute(self, module: types.ModuleType) -> None:
        """Run the text in this module."""
        if self._code is None:
            assert self._error is not None
            raise self._error
        exec(self._code, module.__dict__)

    def import_in(self, place: Place) -> dict[str, Any]:
        """Import the module that the text takes the place of, as its project does."""
        sys.modules["__main__"] = types.ModuleType("__main__")
        place.install(self.execute)
        __import__(place.module)
        return sys.modules[place.module].__dict__


def show_lines(text: str, place: Place | None) -> None:
    """Make tracebacks, `inspect` and the like show lines of the program, also for its file."""
    linecache: Any = sys.modules.get("linecache")
    if linecache is not None:
        # Without a modification time, `linecache` does not look for the file on disk.
        lines = text.splitlines(keepends=True)
        for file in (PROGRAM_FILE, *(() if place is None else (place.file,))):
            linecache.cache[file] = (len(text), None, lines, file)


def resolve(namespace: dict[str, Any], entry: str) -> Any:
    first, *rest = entry.split(".")
    if first not in namespace:
        raise NameError(f"the program defines no {first!r}")
    found = namespace[first]
    for name in rest:
        found = getattr(found, name)
    return found
