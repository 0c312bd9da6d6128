"""The program's module, and the function to call in it."""

from __future__ import annotations

import builtins
import sys
import types

# Imported now, because a scene's clock stands still.
from time import process_time

from . import in_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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

    def import_in(self, place: in_place.Place) -> dict[str, Any]:
        """Import the module that the text takes the place of, as its project does."""
        sys.modules["__main__"] = types.ModuleType("__main__")
        place.install(self.execute)
        __import__(place.module)
        return sys.modules[place.module].__dict__


def show_lines(text: str, place: in_place.Place | None) -> None:
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
