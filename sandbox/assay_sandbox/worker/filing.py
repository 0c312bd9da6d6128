"""Puts a scene's disk behind `open`, `os`, `pathlib`, `shutil`: the same in every tier.

No real file is made: tiers differ in what they let a program open, and none lets it write. What is
not patched here (`sqlite3`, `mmap`, links) still meets the confinement, and is refused.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
import types

from . import disk_calls, inspecting, paths
from .disk import FIRST_DESCRIPTOR, Disk, Raw
from .imports import import_standard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

# Modules that keep references to functions of `os` and `io` under names of their own.
KEEPERS = ("pathlib", "pathlib._local", "pathlib._os", "glob", "shutil", "tempfile")
# Further such modules. They are not imported in advance: a later import takes our functions.
_ALSO_KEEPING = ("bz2", "tarfile", "tokenize")
# The name that a text file gives as its encoding if the program named none.
_ENCODING = "UTF-8"
_FLAGS = {
    "r": os.O_RDONLY,
    "w": os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
    "a": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
    "x": os.O_WRONLY | os.O_CREAT | os.O_EXCL,
}


def import_keepers() -> None:
    """Import `KEEPERS` now, while files can be opened in every tier."""
    for name in KEEPERS:
        if "." not in name:
            import_standard(name)


class Filing:
    """The patched functions. Without a `disk` they behave as the real ones."""

    disk: Disk | None = None

    def __init__(self) -> None:
        self._libraries = tuple(f"{path}/" for path in paths.libraries())
        self._real_open: Any = io.open
        self._patched: dict[int, Any] = {}

    def install(self) -> None:
        for name, ours in self._functions().items():
            self._replace(os, name, ours)
        self._replace(io, "open", self._open)
        self._replace(builtins, "open", io.open)
        shutil: Any = sys.modules["shutil"]
        # A faster way to copy, which needs real descriptors.
        shutil._USE_CP_SENDFILE = False
        self._replace(shutil, "rmtree", self._rmtree(shutil.rmtree))
        for name in (*KEEPERS, *_ALSO_KEEPING):
            self._renew(sys.modules.get(name))

    def _replace(self, module: Any, name: str, ours: Any) -> None:
        real = getattr(module, name)
        self._patched[id(real)] = ours
        setattr(module, name, ours)

    def _renew(self, module: types.ModuleType | None) -> None:
        """Replace the functions of `os` to which a module, or a class in it, keeps references.

        This includes default arguments, where `tempfile` keeps the functions that remove its files.
        """
        if module is None:
            return
        within: list[Any] = list(vars(module).values())
        holders: list[Any] = [module, *(kept for kept in within if inspecting.is_class(kept))]
        for holder in holders:
            namespace: dict[str, Any] = {**holder.__dict__}
            for name, kept in namespace.items():
                inside: Any = getattr(kept, "__func__", kept)
                ours = self._patched.get(id(inside))
                if ours is not None:
                    setattr(holder, name, staticmethod(ours) if holder is not module else ours)
                elif type(inside) is types.FunctionType:
                    self._renew_defaults(inside)

    def _renew_defaults(self, function: types.FunctionType) -> None:
        by_place, by_name = function.__defaults__, function.__kwdefaults__
        if by_place:
            function.__defaults__ = tuple(self._renewed(each) for each in by_place)
        if by_name:
            function.__kwdefaults__ = {name: self._renewed(by_name[name]) for name in by_name}

    def _renewed(self, kept: Any) -> Any:
        return self._patched.get(id(kept), kept)

    def _ours(self, name: Any) -> Disk | None:
        """The disk, unless `name` means something else: a real descriptor, or a library's file."""
        disk = self.disk
        if disk is None:
            return None
        if type(name) is int:
            return disk if name >= FIRST_DESCRIPTOR else None
        if "\0" in os.fsdecode(name):
            # The real function raises its error for this before it looks for a file.
            return None
        # With the slash, so that a folder is not a prefix of its neighbours.
        return None if f"{disk.path(name)}/".startswith(self._libraries) else disk

    def _functions(self) -> dict[str, Callable[..., Any]]:
        found = {
            name: self._guarded(name, ours)
            for name, ours in disk_calls.BY_NAME.items()
            # Not every system has every function: no program there can call it.
            if hasattr(os, name)
        }
        found["getcwd"] = self._getcwd(os.getcwd)
        found["getcwdb"] = lambda: os.fsencode(os.getcwd())
        return found

    def _guarded(self, name: str, ours: Callable[..., Any]) -> Callable[..., Any]:
        real = getattr(os, name)
        by_default = "." if name in ("listdir", "scandir") else None

        def guarded(*arguments: Any, **named: Any) -> Any:
            first = arguments[0] if arguments else named.get("path", named.get("fd"))
            if first is None:
                first = by_default
            elsewhere = named.get("dir_fd") is not None or first is None
            disk = None if elsewhere else self._ours(first)
            if disk is None:
                return real(*arguments, **named)
            named = {key: value for key, value in named.items() if key not in ("path", "fd")}
            return ours(disk, first, *arguments[1:], **named)

        guarded.__name__ = name
        return guarded

    def _getcwd(self, real: Callable[[], str]) -> Callable[[], str]:
        def getcwd() -> str:
            return real() if self.disk is None else self.disk.working

        return getcwd

    def _rmtree(self, real: Callable[..., None]) -> Callable[..., None]:
        def rmtree(path: Any, ignore_errors: bool = False, *rest: Any, **named: Any) -> None:
            disk = self._ours(path)
            if disk is None:
                real(path, ignore_errors, *rest, **named)
                return
            try:
                disk_calls.remove_tree(disk, os.fsdecode(path))
            except OSError:
                if not ignore_errors:
                    raise

        return rmtree

    def _open(
        self,
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        disk = self._ours(file)
        kinds = set(mode) - set("bt+")
        parsed = len(kinds) == 1 and kinds <= set(_FLAGS) and len(set(mode)) == len(mode)
        binary = "b" in mode
        mixed = binary and ("t" in mode or encoding or errors or newline)
        if disk is None or not parsed or mixed:
            # The real function complains of the other arguments before it looks at the file.
            return self._real_open(
                file, mode, buffering, encoding, errors, newline, closefd, opener
            )
        (kind,) = kinds
        raw = _raw(disk, file, _FLAGS[kind], "+" in mode, opener)
        if not closefd:
            raw = raw.again()
        raw.name, raw.mode = file, mode if binary else f"{kind}b" + "+" * ("+" in mode)
        if kind == "a":
            raw.seek(0, io.SEEK_END)
        if binary and buffering == 0:
            return raw
        if buffering == 0:
            raw.close()
            raise ValueError("can't have unbuffered text I/O")
        buffered: Any
        if "+" in mode:
            buffered = io.BufferedRandom(raw)
        else:
            buffered = io.BufferedReader(raw) if kind == "r" else io.BufferedWriter(raw)
        if binary:
            return buffered
        if encoding in (None, "locale"):
            encoding = _ENCODING
        text: Any = io.TextIOWrapper(buffered, encoding, errors, newline, buffering == 1)
        text.mode = mode
        return text


def _raw(disk: Disk, file: Any, flags: int, both: bool, opener: Any) -> Raw:
    if both:
        flags = flags & ~os.O_ACCMODE | os.O_RDWR
    if type(file) is int:
        return disk_calls.opened(disk, file)
    if opener is None:
        return disk.open(file, flags)
    return disk_calls.opened(disk, opener(file, flags))
