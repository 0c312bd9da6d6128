"""Where a program lives: the project around its module, as far as programs may read it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from .worker.run import loading

# The name of a module that nothing imports, as Python names a script's in a child process: the
# guard of a script does not run either.
OWN_MODULE: Final = "__mp_main__"
# Where no file can be opened, the project's modules are handed over in memory, up to this size.
TEXTS_BYTES_MAX: Final = 16 << 20
_OF_MODULES: Final = (".py",)
_AS_IT_WAS_LISTED: Final = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """A module of a project, which a program's text takes the place of.

    `module` is its dotted name, and `file` its real path. `roots` are the folders that its imports
    begin in, before installed packages, and `files` all that programs may read below them, except
    for `originals`. All are absolute real paths. `state` changes whenever any of the files does.
    """

    module: str
    file: str
    roots: tuple[str, ...]
    files: tuple[str, ...]
    state: str = ""

    def originals(self, packages: Iterable[str] = ()) -> frozenset[str]:
        """The files that no program may read, see `worker.run.loading`."""
        return loading.originals(self.module, self.file, packages)

    @property
    def others(self) -> tuple[str, ...]:
        """The files without the originals."""
        closed = self.originals()
        return tuple(path for path in self.files if path not in closed)

    def told(self, *, texts: bool) -> dict[str, object]:
        """For a worker: with the modules' contents where it can open no file."""
        return {
            "module": self.module,
            "file": self.file,
            "roots": self.roots,
            "files": self.others,
            "texts": texts_of(self) if texts else None,
        }


@lru_cache(maxsize=2)
def texts_of(place: Place) -> dict[str, bytes]:
    """The contents of a project's modules by path, the first so many that have room."""
    found: dict[str, bytes] = {}
    left = TEXTS_BYTES_MAX
    for path in place.others:
        if not path.endswith(_OF_MODULES):
            continue
        try:
            # Without waiting for whoever writes to a pipe.
            with open(os.open(path, _AS_IT_WAS_LISTED), "rb") as file:
                now = os.fstat(file.fileno())
                if not stat.S_ISREG(now.st_mode) or os.path.realpath(path) != path:
                    continue
                content = file.read(left + 1)
        except OSError:
            # Removed since it was listed, or no file any more: the import that wants it will say
            # so.
            continue
        if len(content) <= left:
            left -= len(content)
            found[path] = content
    return found
