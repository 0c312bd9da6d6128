"""What the modules of a project were compiled to, in memory that all its zygotes share.

Where no `.pyc` is there, each zygote would compile them again. Only processes that have run nothing
of the project yet read or write that memory, so one module cannot change what another one is.
"""

from __future__ import annotations

import _imp
import marshal
import mmap
import os
from importlib.machinery import SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types
    from typing import Mapping

    # By path: the state of the file, and what it was compiled to.
    Known = dict[str, tuple[tuple[int, ...], types.CodeType]]

# The length and the hash of what follows: another zygote may be writing.
_LENGTH, _HASH = 8, 8
_START = _LENGTH + _HASH
_KEY = 0


class Compiled:
    """See above. `descriptor`: the memory's, which is closed here."""

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, 0)
        os.close(descriptor)
        self._known = self._read()

    def known(self) -> dict[str, types.CodeType]:
        """What the files that are as they were have been compiled to."""
        return {
            path: code for path, (state, code) in self._known.items() if _state_of(path) == state
        }

    def compiled(self, names: Mapping[str, str]) -> dict[str, types.CodeType]:
        """What these files are compiled to, by path; `names` has their modules' names."""
        found: dict[str, types.CodeType] = {}
        before = len(self._known)
        for path, name in names.items():
            state = _state_of(path)
            known = self._known.get(path)
            if known is None or known[0] != state:
                try:
                    code = SourceFileLoader(name, path).get_code(name)
                except Exception:
                    # The program will find out.
                    continue
                if code is None:
                    continue
                known = self._known[path] = state, code
            found[path] = known[1]
        if len(self._known) > before:
            self._write()
        return found

    def close(self) -> None:
        """To be called before anything of the project runs in this process."""
        self._known = {}
        self._memory.close()

    def _read(self) -> Known:
        length = int.from_bytes(self._memory[:_LENGTH], "little")
        data = self._memory[_START : _START + length]
        if not length or _imp.source_hash(_KEY, data) != self._memory[_LENGTH:_START]:
            return {}
        return marshal.loads(data)

    def _write(self) -> None:
        data = marshal.dumps(self._known)
        if _START + len(data) <= len(self._memory):
            head = len(data).to_bytes(_LENGTH, "little") + _imp.source_hash(_KEY, data)
            self._memory[: _START + len(data)] = head + data


def _state_of(path: str) -> tuple[int, ...]:
    try:
        now = os.stat(path)
    except OSError:
        return ()
    return now.st_mtime_ns, now.st_ctime_ns, now.st_size, now.st_ino
