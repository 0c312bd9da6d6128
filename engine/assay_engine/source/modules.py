"""Finds the modules of a workspace as Python would, from the place of the importing file."""

from __future__ import annotations

import sys
from pathlib import Path

from assay_engine.files.bounded import is_file, is_folder, real
from assay_engine.files.source_files import UnreadableFile, read_file

_OF_PACKAGE = "__init__.py"


class Modules:
    """The modules that one file can import: those in some folders, as far as below the root.

    `package` is the dotted name of the package that the file is in. Each module is read once: all
    functions of the file import from the same modules, in the same state.
    """

    def __init__(self, package: str, search_path: tuple[Path, ...], root: Path) -> None:
        self.package = package
        self._search_path = search_path
        self._root = root
        self._known: dict[str, tuple[Path, str] | None] = {}

    def source(self, name: str, level: int) -> str | None:
        """The text of the module with a dotted name at a level (0 absolute, 1 ``.``, 2 ``..``)."""
        absolute = absolute_name(name, level, self.package)
        found = self._file(absolute) if absolute else None
        return None if found is None else found[1]

    def is_package(self, name: str) -> bool:
        """Whether the module with an absolute name is a package."""
        found = self._file(name)
        return found is not None and found[0].name == _OF_PACKAGE

    def inside(self, name: str) -> tuple[str, ...]:
        """The absolute names of the modules directly in the package with an absolute name."""
        parts = name.split(".")
        if not all(part.isidentifier() for part in parts):
            return ()
        folders = [folder.joinpath(*parts) for folder in self._search_path]
        found = {
            file.stem
            for folder in folders
            if real(folder).is_relative_to(self._root)
            for file in folder.glob("*.py")
            if file.stem.isidentifier() and file.name != _OF_PACKAGE
        }
        return tuple(f"{name}.{each}" for each in sorted(found))

    def _file(self, absolute: str) -> tuple[Path, str] | None:
        """The file of a module, and its text."""
        if self._search_path and absolute not in self._known:
            self._known[absolute] = self._found(absolute)
        return self._known.get(absolute)

    def _found(self, absolute: str) -> tuple[Path, str] | None:
        parts = absolute.split(".")
        # The worker itself runs on the standard library: a workspace must not replace it.
        if parts[0] in sys.stdlib_module_names or not all(part.isidentifier() for part in parts):
            return None
        for folder in self._search_path:
            for candidate in (
                folder.joinpath(*parts, _OF_PACKAGE),
                folder.joinpath(*parts[:-1], f"{parts[-1]}.py"),
            ):
                text = _read(candidate, self._root)
                if text is not None:
                    return candidate, text
        return None


# The modules of a text without a workspace: none.
NO_MODULES = Modules("", (), Path())


def workspace_modules(file: Path, root: Path) -> Modules:
    """The modules that a file in the workspace `root` can import.

    The search looks in the folder that holds the file's outermost package, then in ``src``, then in
    the root.
    """
    root = real(root)
    folder = real(file).parent
    roots = [each for each in (root / "src", root) if is_folder(each)]
    top = folder
    while top != root and root in top.parents and is_file(top / _OF_PACKAGE):
        top = top.parent
    if top == folder:
        # Without `__init__.py` a relative import still works from a root on the path.
        base = next((each for each in roots if folder.is_relative_to(each)), folder)
    else:
        base = top
    package = ".".join(folder.relative_to(base).parts)
    search_path = tuple(dict.fromkeys([top, *roots]))
    return Modules(package, search_path, root)


def absolute_name(module: str, level: int, package: str) -> str | None:
    """The absolute name of an imported module; None above the outermost package.

    Without a package, the modules beside the file are top-level ones: ``from . import x`` gives "".
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
        resolved = real(path)
        if not resolved.is_relative_to(root):
            return None
        return read_file(resolved).text.removeprefix("\ufeff")
    except (UnreadableFile, ValueError):  # the system may not allow such a name
        return None
