"""The first file of a worker: makes its neighbours importable, privately, and starts a mode."""

from __future__ import annotations

import builtins
import os
import site
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# Nothing that a program finds, in frames or in classes, names this package or its folder: a program
# that could tell where it is might do something else elsewhere.
PACKAGE = "_worker"
FILE = "<frozen runpy>"
# Any: a function of the import system that no stub declares.
_imp: Any = import_module("_imp")
VIRTUAL_ENVIRONMENT = "--virtual-environment="
# Whoever has made an environment has made the file with its settings, as long as they please.
SETTINGS_MAX = 1 << 16


class _PrivateLoader(SourceFileLoader):
    """Gives each module a copy of the builtins, taken before any program can change them."""

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = dict(vars(builtins))
        code: Any = self.get_code(module.__name__)
        _imp._fix_co_filename(code, FILE)
        exec(code, module.__dict__)


class _Finder:
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        top, *parts = name.split(".")
        if top != PACKAGE:
            return None
        # `importlib.util` would do this, but importing it takes a tenth of a start.
        start = os.path.join(self._folder, *parts)
        is_package = os.path.isdir(start)
        file = os.path.join(start, "__init__.py") if is_package else start + ".py"
        spec = ModuleSpec(name, _PrivateLoader(name, file), origin=file, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [start]
        return spec


def _find_libraries(virtual_environment: str) -> None:
    """Make packages importable from where a usual start finds them, without running their code.

    `site.main` would follow `.pth` files and, since Python 3.15, `.start` files. Those run code of
    installed packages, often for longer than everything else takes, and before there is any
    confinement. Folders that they add stay closed anyway. So this only asks `site` where packages
    are, which is documented. With a virtual environment, packages are found as if its own
    interpreter had been started. It is named by its real path.
    """
    if virtual_environment:
        if os.path.realpath(virtual_environment) != virtual_environment:
            sys.exit(f"{virtual_environment} is, or is in, a link to another folder by now")
        folder = "Scripts" if sys.platform == "win32" else "bin"
        sys.executable = os.path.join(virtual_environment, folder, os.path.basename(sys.executable))
    beside = os.path.dirname(os.path.abspath(sys.executable))
    above = os.path.dirname(beside)
    prefixes = [sys.base_prefix, sys.base_exec_prefix]
    settings = [os.path.join(folder, "pyvenv.cfg") for folder in (beside, above)]
    if virtual_environment:
        settings = [file for file in settings if not os.path.islink(file)]
    found = next(filter(os.path.isfile, settings), None)
    if found is not None:
        # Before Python 3.14, an interpreter that is started with -S does not say so by itself.
        sys.prefix = sys.exec_prefix = above
        prefixes = [above, *(prefixes if _shares_packages(found) else ())]
    site.PREFIXES[:] = prefixes
    site.ENABLE_USER_SITE = False
    # Otherwise `site` derives them from the account's home folder, which is private.
    site.USER_BASE = site.USER_SITE = ""
    libraries = filter(os.path.isdir, site.getsitepackages())
    sys.path += [folder for folder in libraries if folder not in sys.path]
    # Any: the functions by which a usual start adds to the builtins are not documented.
    adding: Any = site
    adding.setquit()
    adding.setcopyright()
    adding.sethelper()


def _shares_packages(settings: str) -> bool:
    """Whether a virtual environment also has the packages of the Python it was made from."""
    with open(settings, encoding="utf-8", errors="replace") as file:
        pairs = [line.partition("=") for line in file.read(SETTINGS_MAX).splitlines()]
    said = {key.strip().lower(): value.strip().lower() for key, sign, value in pairs if sign}
    return said.get("include-system-site-packages", "true") == "true"


def start() -> None:
    folder = os.path.dirname(os.path.abspath(__file__))
    # Without -I the script's folder comes first, and a program could import our files from it.
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != folder]
    standard = sys.path[:]
    virtual_environment = ""
    if sys.argv[1].startswith(VIRTUAL_ENVIRONMENT):
        virtual_environment = sys.argv.pop(1)[len(VIRTUAL_ENVIRONMENT) :]
    _find_libraries(virtual_environment)
    # A module that the standard library tries to import in vain must not be found among packages:
    # there is no confinement yet.
    libraries, sys.path[:] = sys.path[:], standard
    # Any: a finder is a protocol that typeshed spells as a class.
    finder: Any = _Finder(folder)
    sys.meta_path.insert(0, finder)
    # Each mode loads only what its platform has.
    mode = {"paths": "confine.paths", "alone": "run.alone"}.get(sys.argv[1], "run.zygote")
    module = import_module(PACKAGE + "." + mode)
    sys.meta_path.remove(finder)
    sys.path[:] = libraries
    _hide(folder)
    module.main(sys.argv[1:])


def _hide(folder: str) -> None:
    """Remove the worker's modules, which keep each other alive, from where programs look."""
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        found = vars(sys.modules.pop(name))
        for entry in ("__file__", "__cached__", "__spec__", "__loader__", "__path__"):
            found.pop(entry, None)
    for path in [path for path in sys.path_importer_cache if path.startswith(folder)]:
        del sys.path_importer_cache[path]
    # The code of this file, which the stack begins with.
    system: Any = sys
    frame = system._getframe(2)
    _imp._fix_co_filename(frame.f_code, FILE)
    for entry in ("__file__", "__cached__"):
        frame.f_globals.pop(entry, None)


if __name__ == "__main__":
    start()
