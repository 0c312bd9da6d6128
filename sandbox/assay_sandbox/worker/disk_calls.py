"""File functions of `os`, done on a scene's disk: by their names, with the disk as first argument.

Permissions, owners and times are not kept: everything may be read and written, and has one time.
"""

from __future__ import annotations

import errno
import os

from .disk import Disk, Entry, Raw, failure

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
