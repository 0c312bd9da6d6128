"""Finds the modules of a workspace as Python would, from the place of the importing file."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from assay_engine.files.bounded import is_file, is_folder, real
from assay_engine.files.source_files import UnreadableFile, read_file
from assay_engine.syntax.parsing import statements_in
from assay_engine.syntax.text import Source
from assay_engine.types import Edit, Span
from assay_sandbox import OWN_MODULE, Place

_PACKAGE_FILE = "__init__.py"
# What a text looks for beside itself by, other than import statements.
_LOOKS_BESIDE = re.compile(r"__file__|__path__|__import__|importlib|import_module|pkgutil|runpy")


class Modules:
    """The modules that one file can import: those in some folders, as far as below the root.

    `file` is the importing file, by its real path, and `package` the dotted name of the package
    that it is in. `search_path` are the folders, by their real paths. Each module is read once: all
    functions of the file import from the same modules, in the same state.
    """

    def __init__(self, file: Path, package: str, search_path: tuple[Path, ...], root: Path) -> None:
        self.package = package
        self.root = root
        self.file = file
        self.search_path = search_path
        self._known: dict[str, tuple[Path, str] | None] = {}
        self._places: dict[str, Place | None] = {}

    def find(self, absolute: str) -> tuple[Path, str] | None:
        """The path and the text of the module with an absolute name."""
        if not absolute or not self.search_path:
            return None
        if absolute not in self._known:
            self._known[absolute] = self._found(absolute)
        return self._known[absolute]

    def roots_of(self, imports: Iterable[ast.AST]) -> frozenset[str]:
        """The top-level names of the workspace's own modules that some imports lead to."""
        asked: list[tuple[str, int]] = []
        for node in imports:
            if isinstance(node, ast.Import):
                asked += [(alias.name, 0) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                names = ["", *(f".{alias.name}" for alias in node.names if alias.name != "*")]
                asked += [(f"{base}{name}".removeprefix("."), node.level) for name in names]
        absolute = (absolute_name(name, level, self.package) for name, level in asked)
        return frozenset(each.partition(".")[0] for each in absolute if each and self.find(each))

    def place(self, source: Source) -> Place | None:
        """Where the file's text runs, without a list of the files there. None if it needs nothing
        beside it: then it runs anywhere."""
        if not self.search_path:
            return None
        # Each function of the file asks, and to know takes a look at all of its text.
        if source.text not in self._places:
            is_beside_others = (
                is_file(self.file.parent / _PACKAGE_FILE)
                or _LOOKS_BESIDE.search(source.text)
                or self.roots_of(statements_in(source.tree.body))
            )
            folders = tuple(map(str, self.search_path))
            place = Place(self._module, str(self.file), folders, ()) if is_beside_others else None
            self._places[source.text] = place
        return self._places[source.text]

    @property
    def _module(self) -> str:
        """The name that the project imports the file by; that of a script if it has none."""
        stem = self.file.stem
        parts = [*self.package.split("."), *([] if stem == "__init__" else [stem])]
        parts = [each for each in parts if each]
        is_module = self.file.suffix == ".py" and all(each.isidentifier() for each in parts)
        # The standard library's modules are loaded, or found, before any of the project.
        if not is_module or not parts or parts[0] in sys.stdlib_module_names:
            return OWN_MODULE
        return ".".join(parts)

    def _found(self, absolute: str) -> tuple[Path, str] | None:
        parts = absolute.split(".")
        # The worker itself runs on the standard library: a workspace must not replace it.
        if parts[0] in sys.stdlib_module_names or not all(part.isidentifier() for part in parts):
            return None
        for folder in self.search_path:
            package = folder.joinpath(*parts)
            for path in (package / _PACKAGE_FILE, package.with_name(f"{parts[-1]}.py")):
                try:
                    resolved = real(path)
                    # Whatever links lead out of the root, nothing there is the workspace's.
                    if resolved.is_relative_to(self.root):
                        return path, read_file(resolved).text.removeprefix("\ufeff")
                except (UnreadableFile, ValueError):  # the system may not allow such a name
                    continue
        return None


# The modules of a text without a workspace: none.
NO_MODULES = Modules(Path(), "", (), Path())


def workspace_modules(file: Path, root: Path) -> Modules:
    """The modules that a file in the workspace `root` can import.

    The search looks in the folder that holds the file's outermost package, then in ``src``, then in
    the root.
    """
    root, file = real(root), real(file)
    folder = file.parent
    # What the project's `src` leads to may be anybody's.
    found = [real(root / "src"), root]
    roots = [each for each in found if is_folder(each) and each.is_relative_to(root)]
    top = folder
    while top != root and root in top.parents and is_file(top / _PACKAGE_FILE):
        top = top.parent
    if top == folder:
        # Without `__init__.py` a relative import still works from a root on the path.
        base = next((each for each in roots if folder.is_relative_to(each)), folder)
    else:
        base = top
    package = ".".join(folder.relative_to(base).parts)
    search_path = tuple(dict.fromkeys([top, *roots]))
    return Modules(file, package, search_path, root)


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


_IMPORT_FROM = re.compile(r"from(?P<path>[\s\\.]+[^\s\\(#]*?)[\s\\]*\bimport\b")


@lru_cache(maxsize=4)
def absolute_imports(source: Source, package: str) -> tuple[Edit, ...]:
    """The edits that make all relative imports of a text absolute."""
    edits: list[Edit] = []
    for node in statements_in(source.tree.body):
        if not isinstance(node, ast.ImportFrom) or node.level == 0:
            continue
        name = absolute_name(node.module or "", node.level, package)
        start = source.span(node).start
        match = _IMPORT_FROM.match(source.sound, start)
        if name is not None and match is not None:
            # `from . import x` at the top imports the module x itself.
            new_text = f"from {name} import" if name else "import"
            edits.append(Edit(Span(start, match.end()), new_text))
    return tuple(edits)
