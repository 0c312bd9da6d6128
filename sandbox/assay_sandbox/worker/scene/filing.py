"""Puts a scene's disk behind `open`, `os`, `pathlib`, `shutil`: the same in every tier.

No real file is made: tiers differ in what they let a program open, and none lets it write. What is
not patched here (`sqlite3`, `mmap`, links) still meets the confinement, and is refused. The
functions of `os` come first, by their names, with the disk as first argument. Permissions, owners
and times are not kept: everything may be read and written, and has one time.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import sys
import types

from .. import inspecting
from ..confine import paths
from ..imports import import_standard
from .disk import FIRST_DESCRIPTOR, Disk, Entry, Raw, failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator


def opened(disk: Disk, number: int) -> Raw:
    """The open file with this descriptor."""
    raw = disk.opened.get(number)
    if raw is None:
        raise failure(errno.EBADF, None)
    return raw


def remove_tree(disk: Disk, name: str) -> None:
    """Remove a folder with all its contents."""
    for child in disk.names(name):
        path = f"{name}/{child}"
        if disk.find(path).content is None:
            remove_tree(disk, path)
        else:
            disk.remove(path)
    disk.remove_folder(name)


def _stat(disk: Disk, name: Any, **_named: Any) -> os.stat_result:
    entry: Entry = opened(disk, name).entry if type(name) is int else disk.find(name)
    return disk.described(entry)


def _exists(disk: Disk, name: Any, *_rest: Any, **_named: Any) -> None:
    disk.find(name)


def _mkdir(disk: Disk, name: Any, *_mode: Any, **_named: Any) -> None:
    disk.make_folder(name)


def _remove(disk: Disk, name: Any, **_named: Any) -> None:
    disk.remove(name)


def _rmdir(disk: Disk, name: Any, **_named: Any) -> None:
    disk.remove_folder(name)


def _rename(disk: Disk, name: Any, new: Any, **_named: Any) -> None:
    disk.rename(name, new)


def _access(disk: Disk, name: Any, mode: int, **_named: Any) -> bool:
    try:
        folder = disk.find(name).content is None
    except OSError:
        return False
    return folder or not mode & os.X_OK


def _truncate(disk: Disk, name: Any, length: int) -> None:
    raw = opened(disk, name) if type(name) is int else disk.open(name, os.O_RDWR)
    raw.truncate(length)


def _listdir(disk: Disk, name: Any = ".") -> list[Any]:
    return _as_named(name, disk.names(name))


def _as_named(name: Any, found: list[str]) -> list[Any]:
    """Names in a folder: bytes, if the folder was named by bytes."""
    return [*map(os.fsencode, found)] if isinstance(os.fspath(name), bytes) else [*found]


def _readlink(disk: Disk, name: Any, **_named: Any) -> str:
    disk.find(name)
    raise failure(errno.EINVAL, name)


def _listxattr(disk: Disk, name: Any = ".", **_named: Any) -> list[str]:
    disk.find(name)
    return []


def _chdir(disk: Disk, name: Any) -> None:
    disk.names(name)
    disk.working = disk.path(name)


def _open(disk: Disk, name: Any, flags: int, *_mode: Any, **_named: Any) -> int:
    return disk.open(name, flags).fileno()


def _close(disk: Disk, number: int) -> None:
    opened(disk, number).close()


def _read(disk: Disk, number: int, count: int) -> bytes | None:
    return opened(disk, number).read(count)


def _write(disk: Disk, number: int, data: Any) -> int:
    return opened(disk, number).write(data)


def _lseek(disk: Disk, number: int, offset: int, whence: int) -> int:
    return opened(disk, number).seek(offset, whence)


def _fsync(disk: Disk, number: int) -> None:
    opened(disk, number)


class _Listed:
    """An entry of `os.scandir`."""

    def __init__(self, disk: Disk, name: Any, path: Any) -> None:
        self.name = name
        self.path = path
        self._disk = disk

    def __fspath__(self) -> Any:
        return self.path

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._disk.find(self.path).content is None

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return not self.is_dir()

    def is_symlink(self) -> bool:
        return False

    def is_junction(self) -> bool:
        return False

    def inode(self) -> int:
        return self._disk.find(self.path).number

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return self._disk.described(self._disk.find(self.path))


class _Listing:
    """The result of `os.scandir`: an iterator that can be closed."""

    def __init__(self, disk: Disk, name: Any = ".") -> None:
        # Any: bytes for a folder that was named by bytes.
        as_named: Any = os.fspath
        folder: Any = as_named(name)
        names = _as_named(name, disk.names(name))
        found = [_Listed(disk, each, os.path.join(folder, each)) for each in names]
        self._found: Iterator[_Listed] = iter(found)

    def __iter__(self) -> Iterator[_Listed]:
        return self._found

    def __next__(self) -> _Listed:
        return next(self._found)

    def __enter__(self) -> _Listing:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing to do: there is nothing to release."""


BY_NAME: dict[str, Callable[..., Any]] = {
    "access": _access,
    "chdir": _chdir,
    "chmod": _exists,
    "close": _close,
    "fdatasync": _fsync,
    "fstat": _stat,
    "fsync": _fsync,
    "ftruncate": _truncate,
    "listdir": _listdir,
    "listxattr": _listxattr,
    "lseek": _lseek,
    "lstat": _stat,
    "mkdir": _mkdir,
    "open": _open,
    "read": _read,
    "readlink": _readlink,
    "remove": _remove,
    "rename": _rename,
    "replace": _rename,
    "rmdir": _rmdir,
    "scandir": _Listing,
    "stat": _stat,
    "truncate": _truncate,
    "unlink": _remove,
    "utime": _exists,
    "write": _write,
}


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
            for name, ours in BY_NAME.items()
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
                remove_tree(disk, os.fsdecode(path))
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
        return opened(disk, file)
    if opener is None:
        return disk.open(file, flags)
    return opened(disk, opener(file, flags))
