"""Finds the modules of a workspace as Python would, from the place of the importing file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, runtime_checkable

from msgspec import Struct

from assay_engine.reading.files import UnreadableFile, read_file

# Source of the workspace's module of a dotted name at a level (0 absolute, 1 ``.``, 2 ``..``).
FindModule = Callable[[str, int], str | None]

_OF_PACKAGE = "__init__.py"


@runtime_checkable
class InPackage(Protocol):
    """A `FindModule` that also knows the dotted name of the package its file is in, and what is a
    package, of absolute names."""

    @property
    def package(self) -> str: ...

    def is_package(self, name: str) -> bool: ...


class WorkspaceModules(Struct, frozen=True):
    """A `FindModule`. `package` is the dotted name of the package that the file is in."""

    package: str
    search_path: tuple[Path, ...]
    root: Path

    def __call__(self, name: str, level: int) -> str | None:
        absolute = absolute_name(name, level, self.package)
        found = self._found(absolute) if absolute else None
        return None if found is None else found[1]

    def is_package(self, name: str) -> bool:
        found = self._found(name)
        return found is not None and found[0].name == _OF_PACKAGE

    def _found(self, absolute: str) -> tuple[Path, str] | None:
        """The file of a module, and its text."""
        parts = absolute.split(".")
        # The worker itself runs on the standard library: a workspace must not replace it.
        if parts[0] in sys.stdlib_module_names or not all(part.isidentifier() for part in parts):
            return None
        for folder in self.search_path:
            for candidate in (
                folder.joinpath(*parts, _OF_PACKAGE),
                folder.joinpath(*parts[:-1], f"{parts[-1]}.py"),
            ):
                text = _read(candidate, self.root)
                if text is not None:
                    return candidate, text
        return None


def workspace_modules(file: Path, root: Path) -> WorkspaceModules:
    """The modules that a file in the workspace `root` can import.

    Searched are the folder that its outermost package lies in, then ``src``, then the root.
    """
    root = root.resolve()
    folder = file.resolve().parent
    roots = [each for each in (root / "src", root) if each.is_dir()]
    top = folder
    while top != root and root in top.parents and (top / _OF_PACKAGE).is_file():
        top = top.parent
    if top == folder:
        # Without `__init__.py` a relative import still works from a root on the path.
        base = next((each for each in roots if folder.is_relative_to(each)), folder)
    else:
        base = top
    package = ".".join(folder.relative_to(base).parts)
    search_path = tuple(dict.fromkeys([top, *roots]))
    return WorkspaceModules(package, search_path, root)


def none_found(_name: str, _level: int) -> str | None:
    """The `FindModule` of a text without a workspace."""
    return None


def package_of(find_module: FindModule) -> str:
    return find_module.package if isinstance(find_module, InPackage) else ""


def is_package(find_module: FindModule, name: str) -> bool:
    """Whether a module that was found is a package, as far as that is known."""
    return isinstance(find_module, InPackage) and find_module.is_package(name)


def absolute_name(module: str, level: int, package: str) -> str | None:
    """The absolute name of an imported module; None above the outermost package.

    Without a package the modules beside the file are the top: ``from . import x`` gives "".
    """
    if level == 0:
        return module
    parts = package.split(".") if package else []
    if level > max(1, len(parts)):
        return None
    kept = parts[: len(parts) - (level - 1)]
    return ".".join([*kept, module] if module else kept)


def _read(path: Path, root: Path) -> str | None:
    """The text of a module file inside the root, whatever its links and encoding; else None."""
    try:
        resolved = path.resolve()
        if not resolved.is_relative_to(root):
            return None
        return read_file(resolved).text.removeprefix("\ufeff")
    except (UnreadableFile, OSError, ValueError, RuntimeError):
        return None
