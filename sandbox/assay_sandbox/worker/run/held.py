"""A zygote that is held in the middle of importing the module on trial.

All that the import runs before that module, and whatever of the rest does not depend on it, has run
once, before the fork. Each child goes on from there with its own text: the module, and then what
the import runs after it, as in life.
"""

from __future__ import annotations

import _imp
import builtins
import marshal
import mmap
import os
import select
import sys
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from time import monotonic

from .. import imports, origin
from ..confine import confinement, descriptors
from ..core import signal
from ..scene import stage
from ..values import standard_types
from . import ahead, child, loading, running

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types
    from typing import Any, Callable, Mapping, NoReturn

    # By path: the state of the file, and what it was compiled to.
    Known = dict[str, tuple[tuple[int, ...], types.CodeType]]

# The length and the hash of what follows: another zygote may be writing.
_LENGTH, _HASH = 8, 8
_START = _LENGTH + _HASH
_KEY = 0


class Compiled:
    """What the modules of a project were compiled to, in memory that all its zygotes share.

    Where no `.pyc` is there, each zygote would compile them again. Only processes that have run
    nothing of the project yet read or write that memory, so one module cannot change what another
    one is. `descriptor`: the memory's, which is closed here.
    """

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


READ_BYTES = 1 << 16
# The lists of a survey: with longer ones, each program imports for itself.
SURVEY_BYTES_MAX = 4 << 20
# Python's own import of a project takes no longer, or each program has to do it for itself.
SURVEY_SECONDS = 20
# The descriptor that a survey writes to.
_OUT = 3


class Held:
    """A zygote's import of the module on trial."""

    def __init__(self, place: loading.Place, told: dict[str, Any], text: int) -> None:
        """`text`: a descriptor of what the place's file holds, which is read by a fork alone: no
        program finds it in its memory."""
        self._place = place
        self._text = text
        self._original = b""
        self._seed: int = told["random_seed"]
        self._ready: running.Ready | None = None
        self._survey: _Survey | None = None
        self._later: list[str] = []
        self._compiled = Compiled(told["compiled"])

    def import_outside(self) -> None:
        """Import what does not need the project.

        Raises `Unfit` if no program can go on from here. Each then imports the project for itself.
        """
        ahead.import_standard((*imports.COMMON, *standard_types.MODULES, "linecache", "queue"))
        self._place.install(self._execute)
        stage.seed_now(self._seed)
        sys.modules["__main__"] = type(sys)("__main__")
        outside = self._survey_import()
        with ahead.Unhooked():
            _import_all(outside)
            # Every child seeds, which imports more.
            stage.seed_now(self._seed)

    def serve(self, hold: Callable[[], None]) -> NoReturn:
        """Import up to the module on trial, then `hold`; in a child, run the program's calls.

        `hold` looks whether this process is fit, tells the host, and serves.
        """
        self._hold = hold
        error: BaseException | None = None
        with ahead.Unhooked():
            try:
                __import__(self._place.module)
            except BaseException as raised:
                error = raised
        ready = self._ready
        if ready is None:
            raise error or ahead.Unfit("the module on trial is not imported by its name")

        def load() -> dict[str, Any]:
            if error is not None:
                raise error
            return sys.modules[self._place.module].__dict__

        try:
            ready.run(load)
        finally:
            os._exit(0)

    def _execute(self, module: types.ModuleType) -> None:
        """Fill the module on trial."""
        if self._survey is not None:
            self._survey.reached(module.__name__)
            code = compile(self._original, self._place.file, "exec", dont_inherit=True)
            exec(code, module.__dict__)
            return
        if self._ready is None:
            _import_all(self._later)
            try:
                self._hold()
                os._exit(0)
            except child.Forked as forked:
                self._ready = forked.ready
            self._ready.begin()
        # Again, if the program has removed its module, or imports it by another name.
        self._ready.text.execute(module)

    def _survey_import(self) -> list[str]:
        """Have a fork import the project with its text on disk, and keep what it finds out: which
        modules come after the one on trial and do not need that, and which are to be compiled.

        Returns the installed modules that do not need the project.
        """
        self._place.compiled = self._compiled.known()
        inside, out = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                self._original = child.read_all(self._text)
                self._place.text = self._original.decode(errors="replace")
                # The host's socket is the zygote's, and nothing that is started here goes on.
                os.dup2(out, _OUT)
                descriptors.close_from(_OUT + 1)
                self._compiled.close()
                confinement.confine_survey(SURVEY_SECONDS)
                self._survey = _Survey(self._place)
                with suppress(BaseException):
                    __import__(self._place.module)
                _write_all(_OUT, marshal.dumps(self._survey.told()))
            finally:
                os._exit(0)
        os.close(out)
        os.close(self._text)
        told = _read_in_time(inside)
        os.kill(pid, signal.SIGKILL)
        os.close(inside)
        os.waitpid(pid, 0)
        if not told:
            raise ahead.Unfit("the import does not end, or not with what it found out")
        is_reached, outside, self._later, loaded = marshal.loads(told)
        if not is_reached:
            raise ahead.Unfit("the import does not reach the module on trial")
        listed = {path: name for path, name in loaded.items() if path in self._place.files}
        self._place.compiled = self._compiled.compiled(listed)
        self._compiled.close()
        return outside


class _Survey:
    """Which modules an import brings, and on which others each depends.

    What uses a package that is under way depends on the module on trial only if it takes a name
    that the package did not have by then, or all of them.
    """

    def __init__(self, place: loading.Place) -> None:
        self._place = place
        self._edges: dict[str, set[str]] = {}
        self._at_first = set(sys.modules)
        self._before: set[str] | None = None
        # The names of the module on trial.
        self._own = {place.module}
        self._under_way: set[str] = set()
        self._import = builtins.__import__
        builtins.__import__ = self._noting

    def _noting(
        self,
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        found = self._import(name, globals, locals, fromlist, level)
        around: dict[str, Any] = globals or {}
        importer: str = around.get("__name__", "")
        if level:
            base: str = (around.get("__package__") or importer).rsplit(".", level - 1)[0]
            name = f"{base}.{name}" if name else base
        edges = self._edges.setdefault(importer, set())
        parts = name.split(".")
        edges.update(".".join(parts[: count + 1]) for count in range(len(parts)))
        for each in fromlist or ():
            if each == "*" and name in self._under_way:
                edges.add(self._place.module)
            edges.add(f"{name}.{each}")
        return found

    def reached(self, by: str) -> None:
        """Note that the module on trial is about to run, by this name."""
        self._own.add(by)
        if self._before is not None:
            return
        self._before = set(sys.modules)
        for name, module in list(sys.modules.items()):
            is_under_way = getattr(getattr(module, "__spec__", None), "_initializing", False)
            if is_under_way and name not in self._own:
                self._under_way.add(name)
                module.__class__ = self._watched(name, frozenset(module.__dict__))

    def _watched(self, package: str, had: frozenset[str]) -> type[types.ModuleType]:
        """The class of a package that is under way, which notes who takes what it did not have."""

        def getting(module: types.ModuleType, name: str) -> Any:
            if name not in had and f"{package}.{name}" not in sys.modules:
                importer = origin.frame_below(1).f_globals.get("__name__", "")
                # Not the import system, which only looks whether there is one.
                if importer not in self._at_first:
                    self._edges.setdefault(importer, set()).add(self._place.module)
            return taken(module, name)

        ordinary = sys.modules["sys"].__class__
        taken = ordinary.__getattribute__
        return type("module", (ordinary,), {"__getattribute__": getting})

    def told(self) -> tuple[bool, list[str], list[str], dict[str, str]]:
        """Whether the module was reached, both lists, and the loaded files with their names."""
        builtins.__import__ = self._import
        loaded = {name: getattr(each, "__file__", None) for name, each in sys.modules.items()}
        project = {
            name for name, file in loaded.items() if str(file or "").startswith(self._place.within)
        }
        project |= self._own
        for name in loaded:
            # The packages that it is in.
            around = name.split(".")[:-1]
            inside = {".".join(around[: count + 1]) for count in range(len(around))}
            self._edges.setdefault(name, set()).update(inside)
        outside = set(loaded) - self._at_first - self._depending(project)
        later: set[str] = set()
        if self._before is not None:
            later = set(loaded) - self._before - self._depending(self._own)
        return (
            self._before is not None,
            [name for name in loaded if name in outside],
            [name for name in loaded if name in later],
            self._place.loaded,
        )

    def _depending(self, on: set[str]) -> set[str]:
        """The modules that need one of these, or need one that does."""
        depending = set(on)
        while more := {
            name
            for name, needed in self._edges.items()
            if name not in depending and name not in self._under_way and needed & depending
        }:
            depending |= more
        return depending


def _import_all(names: list[str]) -> None:
    for name in names:
        try:
            __import__(name)
        except Exception:
            # The program will find out.
            continue


def _read_in_time(descriptor: int) -> bytes:
    """What comes before the end; empty if that takes too long, or it is too much."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    found, end = bytearray(), monotonic() + SURVEY_SECONDS
    while waiting.poll(max(0, end - monotonic()) * 1000) and len(found) <= SURVEY_BYTES_MAX:
        part = os.read(descriptor, READ_BYTES)
        if not part:
            return bytes(found)
        found += part
    return b""


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
