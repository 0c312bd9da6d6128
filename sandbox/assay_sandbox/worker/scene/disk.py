"""The files of a scene: a tree in memory, and open files, on which `io` builds its own."""

from __future__ import annotations

import errno
import io
import os
import posixpath
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HOME = "/scene"
FOLDERS = ("/", HOME, "/tmp")
# The maximum length of a name without its folder, in bytes.
NAME_MAX = 255
# The time of files if the scene has none: the year 2000, as archives know of no time before 1980.
SECONDS = 946_684_800
# Numbers from here on are no real descriptors, whose limit is far below.
FIRST_DESCRIPTOR = 1 << 20


def failure(number: int, *names: Any) -> OSError:
    """The error as the operating system would raise it: the number decides the subclass.

    `names`: the file; if there are two, None between them, as `OSError` takes them.
    """
    plain: list[Any] = [os.fspath(name) if hasattr(name, "__fspath__") else name for name in names]
    return OSError(number, os.strerror(number), *plain)


class Entry:
    """A file with its content, or a folder, which has none."""

    def __init__(self, number: int, content: bytearray | None) -> None:
        self.number = number
        self.content = content


class Disk:
    def __init__(self, files: dict[str, Any], seconds: float) -> None:
        self.working = HOME
        self._nanoseconds = int(seconds * 1e9)
        self._entries: dict[str, Entry] = {}
        self.opened: dict[int, Raw] = {}
        self._descriptors = FIRST_DESCRIPTOR
        self._numbers = 1
        for folder in FOLDERS:
            self._add(folder, None)
        for name, content in files.items():
            path = self.path(name)
            self._add_parents(path)
            data = content.encode("utf-8", "surrogatepass") if type(content) is str else content
            self._add(path, bytearray(data))
        self._bytes = {self.path(name) for name in files if type(files[name]) is bytes}
        self._before = {
            path: None if entry.content is None else bytes(entry.content)
            for path, entry in self._entries.items()
        }

    def path(self, name: Any) -> str:
        """The one absolute name of a file. There are no links, so text alone decides."""
        text = os.fsdecode(name)
        if not text:
            raise failure(errno.ENOENT, name)
        if "\0" in text:
            raise ValueError("embedded null byte")
        return "/" + posixpath.normpath(posixpath.join(self.working, text)).lstrip("/")

    def changes(self) -> dict[str, Any]:
        """Changed files: their text or bytes now, or None for files that are gone."""
        found: dict[str, Any] = {}
        for path, entry in sorted(self._entries.items()):
            now = None if entry.content is None else bytes(entry.content)
            if path not in self._before:
                found[_shown(path) + ("/" if now is None else "")] = self._said(path, now)
            elif self._before[path] != now:
                found[_shown(path)] = self._said(path, now)
        for path in sorted(self._before):
            if path not in self._entries:
                found[_shown(path)] = None
        return found

    def _said(self, path: str, content: bytes | None) -> Any:
        if content is None:
            return ""
        if path in self._bytes:
            return content
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            return content

    # Operations for programs. `name` is the file's name as the program gave it, for messages.

    def find(self, name: Any) -> Entry:
        path = self._place(name)
        entry = self._entries.get(path)
        if entry is None:
            self._parent(path, name)
            raise failure(errno.ENOENT, name)
        if entry.content is not None and os.fsdecode(name).endswith("/"):
            raise failure(errno.ENOTDIR, name)
        return entry

    def described(self, entry: Entry) -> os.stat_result:
        folder = entry.content is None
        mode = stat.S_IFDIR | 0o755 if folder else stat.S_IFREG | 0o644
        size = len(entry.content or b"")
        whole = (self._nanoseconds // 10**9,) * 3
        times: dict[str, float] = {}
        for name in ("st_atime", "st_mtime", "st_ctime"):
            times[name] = self._nanoseconds / 1e9
            times[f"{name}_ns"] = self._nanoseconds
        return os.stat_result((mode, entry.number, 1, 1, 0, 0, size, *whole), times)

    def names(self, name: Any) -> list[str]:
        """The names directly in a folder, sorted."""
        if self.find(name).content is not None:
            raise failure(errno.ENOTDIR, name)
        folder = self.path(name)
        return sorted(
            posixpath.basename(path)
            for path in self._entries
            if path != "/" and posixpath.dirname(path) == folder
        )

    def make_folder(self, name: Any) -> None:
        path = self._place(name)
        if path in self._entries:
            raise failure(errno.EEXIST, name)
        self._parent(path, name)
        self._add(path, None)

    def remove(self, name: Any) -> None:
        if self.find(name).content is None:
            raise failure(errno.EISDIR, name)
        del self._entries[self.path(name)]

    def remove_folder(self, name: Any) -> None:
        if self.names(name):
            raise failure(errno.ENOTEMPTY, name)
        del self._entries[self.path(name)]

    def rename(self, name: Any, new: Any) -> None:
        try:
            self._rename(name, new)
        except OSError as error:
            raise failure(error.errno or errno.EINVAL, name, None, new) from None

    def _rename(self, name: Any, new: Any) -> None:
        moved, path, target = self.find(name), self.path(name), self._place(new)
        self._parent(target, new)
        there = self._entries.get(target)
        if there is not None and there is not moved:
            if there.content is None and moved.content is not None:
                raise failure(errno.EISDIR, new)
            if there.content is not None and moved.content is None:
                raise failure(errno.ENOTDIR, new)
            if there.content is None and self.names(new):
                raise failure(errno.ENOTEMPTY, new)
        if target.startswith(path + "/"):
            raise failure(errno.EINVAL, name)
        for each in [*self._entries]:
            if each == path or each.startswith(path + "/"):
                self._entries[target + each[len(path) :]] = self._entries.pop(each)

    def open(self, name: Any, flags: int) -> Raw:
        """An open file; `flags` are those of `os.open`."""
        path = self._place(name)
        entry = self._entries.get(path)
        if not flags & os.O_CREAT:
            self.find(name)
        elif os.fsdecode(name).endswith("/"):
            raise failure(errno.EISDIR, name)
        if entry is None:
            self._parent(path, name)
            entry = self._add(path, bytearray())
        elif flags & os.O_EXCL and flags & os.O_CREAT:
            raise failure(errno.EEXIST, name)
        if entry.content is None:
            raise failure(errno.EISDIR, name)
        if flags & os.O_TRUNC:
            del entry.content[:]
        self._descriptors += 1
        raw = Raw(self, entry, self._descriptors, flags)
        self.opened[self._descriptors] = raw
        return raw

    def _add(self, path: str, content: bytearray | None) -> Entry:
        # Numbers are not reused, or `os.path.samefile` would take two files for one.
        self._numbers += 1
        entry = self._entries[path] = Entry(self._numbers, content)
        return entry

    def _add_parents(self, path: str) -> None:
        parent = posixpath.dirname(path)
        if parent not in self._entries:
            self._add_parents(parent)
            self._add(parent, None)

    def _place(self, name: Any) -> str:
        """As `path`. Raises OSError unless a folder precedes each dot, and for parts too long."""
        path = self.path(name)
        parts = os.fsdecode(name).split("/")
        for place, part in enumerate(parts):
            if len(os.fsencode(part)) > NAME_MAX:
                raise failure(errno.ENAMETOOLONG, name)
            if place and part in (".", ".."):
                before = self.path("/".join(parts[:place]) + "/")
                self._parent(posixpath.join(before, part), name)
        return path

    def _parent(self, path: str, name: Any) -> None:
        """Raise OSError unless there is a folder for the file."""
        entry = self._entries.get(posixpath.dirname(path))
        if entry is None:
            raise failure(errno.ENOENT, name)
        if entry.content is not None:
            raise failure(errno.ENOTDIR, name)


class Raw(io.RawIOBase):
    """An open file, below the buffers and the decoding that `io` adds."""

    def __init__(self, disk: Disk, entry: Entry, descriptor: int, flags: int) -> None:
        super().__init__()
        assert entry.content is not None
        self.entry = entry
        self._disk = disk
        self._content = entry.content
        self._descriptor = descriptor
        self._position = 0
        self._readable = flags & os.O_ACCMODE != os.O_WRONLY
        self._writable = flags & os.O_ACCMODE != os.O_RDONLY
        self._appending = bool(flags & os.O_APPEND)
        self._flags = flags

    def again(self) -> Raw:
        """The same file opened once more; closing it leaves the descriptor open."""
        return Raw(self._disk, self.entry, -1, self._flags)

    # Set by the function that opens the file, as with the classes of `io`.
    name: Any = ""
    mode: str = "rb"

    def readable(self) -> bool:
        return self._readable

    def writable(self) -> bool:
        return self._writable

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def readinto(self, buffer: Any, /) -> int:
        self._may(self._readable, "read")
        piece = self._content[self._position : self._position + len(buffer)]
        buffer[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)

    def write(self, data: Any, /) -> int:
        self._may(self._writable, "write")
        if self._appending:
            self._position = len(self._content)
        missing = self._position - len(self._content)
        if missing > 0:
            self._content.extend(bytes(missing))
        view = bytes(data)
        self._content[self._position : self._position + len(view)] = view
        self._position += len(view)
        return len(view)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        start = (0, self._position, len(self._content))[whence]
        if start + offset < 0:
            raise failure(errno.EINVAL, None)
        self._position = start + offset
        return self._position

    def truncate(self, size: int | None = None, /) -> int:
        self._may(self._writable, "truncate")
        size = self._position if size is None else size
        del self._content[size:]
        self._content.extend(bytes(size - len(self._content)))
        return size

    def close(self) -> None:
        if not self.closed:
            self._disk.opened.pop(self._descriptor, None)
        super().close()

    def _may(self, allowed: bool, what: str) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        if not allowed:
            raise io.UnsupportedOperation(what)


def _shown(path: str) -> str:
    """The path as a scene names it: relative if it is within the working folder."""
    return path[len(HOME) + 1 :] if path.startswith(HOME + "/") else path
