"""The program's module, the modules served to it from memory, and the function to call in it."""

from __future__ import annotations

import builtins
import importlib.machinery
import sys
import types

# Imported now, because a scene's clock stands still.
from time import process_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

# As Python names a script's module in a process of `multiprocessing`, where the guard of a script
# must not run either.
PROGRAM_MODULE = "__mp_main__"
PROGRAM_FILE = "<program>"


class ServedModules:
    """A finder and loader for modules whose text came with the program."""

    def __init__(self, modules: dict[str, str]) -> None:
        self._modules = modules
        self._packages = {
            name.rsplit(".", dots)[0] for name in modules for dots in range(1, name.count(".") + 1)
        }

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in self._modules and name not in self._packages:
            return None
        # Any: typeshed wants the abstract base, the import system only its two methods.
        loader: Any = self
        return importlib.machinery.ModuleSpec(
            name, loader, origin=f"<{name}>", is_package=name in self._packages
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """The default."""

    def exec_module(self, module: types.ModuleType) -> None:
        file = f"<{module.__name__}>"
        _run(_compiled(self._modules.get(module.__name__, ""), file), file, module)


def serve_modules(modules: dict[str, str]) -> None:
    if modules:
        finder: Any = ServedModules(modules)
        sys.meta_path.insert(0, finder)


class ProgramText:
    """The program's text, compiled before its turn has come. `run` raises what compiling raised.
    `seconds`: how much processor time compiling took."""

    def __init__(self, source: str) -> None:
        self._code: types.CodeType | None = None
        self._error: BaseException | None = None
        began = process_time()
        try:
            self._code = _compiled(source, PROGRAM_FILE)
        except BaseException as error:
            self._error = error
        self.seconds = process_time() - began

    def run(self) -> dict[str, Any]:
        """Run the text; return its namespace. Raises whatever the text raises."""
        module = types.ModuleType(PROGRAM_MODULE)
        sys.modules[PROGRAM_MODULE] = sys.modules["__main__"] = module
        if self._code is None:
            assert self._error is not None
            raise self._error
        code, self._code = self._code, None
        _run(code, PROGRAM_FILE, module)
        return module.__dict__


def _compiled(source: str, file: str) -> types.CodeType:
    # Without `dont_inherit` this module's own `from __future__` line would apply to it.
    return compile(source, file, "exec", dont_inherit=True)


def _run(code: types.CodeType, file: str, module: types.ModuleType) -> None:
    # Without an entry of its own a namespace would inherit the worker's private builtins.
    module.__dict__["__builtins__"] = builtins
    # There is no such file, but modules use it to find files beside them, mostly while they load.
    module.__dict__["__file__"] = file
    exec(code, module.__dict__)


def show_lines(texts: dict[str, str]) -> None:
    """Make tracebacks and the like show lines of `texts`, by module; the program's own is ""."""
    linecache: Any = sys.modules.get("linecache")
    if linecache is None:
        return
    for name, text in texts.items():
        file = f"<{name}>" if name else PROGRAM_FILE
        # Without a modification time, `linecache` does not look for the file on disk.
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


def resolve(namespace: dict[str, Any], entry: str) -> Any:
    first, *rest = entry.split(".")
    if first not in namespace:
        raise NameError(f"the program defines no {first!r}")
    found = namespace[first]
    for name in rest:
        found = getattr(found, name)
    return found
