"""Lists what programs may read of the project that they live in.

Whoever wrote a candidate may read all of it, and what the candidate gives may be shown to a model.
So it is what has been shared already, or what the module on trial runs on:

- code of its own package, and of whatever else the code that may be read names; of code that Git
  leaves out only what is named;
- small files beside or below that code that Git tracks; where there is no Git, those in packages.

What is hidden, links, environments and what is named like a secret stays closed. Where nothing
marks the folder as a project, or it is the user's home, whatever marks that, packages count alone,
and the code beside the module.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay_engine import digest
from assay_engine.bounds import (
    FOLDERS_DEEP_MAX,
    READABLE_BYTES_MAX,
    READABLE_FILES_MAX,
    READABLE_TEXTS_BYTES_MAX,
)
from assay_engine.config.provenance import users_home
from assay_engine.files.bounded import is_there, read_bytes, real
from assay_engine.files.git import tracked_below
from assay_engine.syntax.ignoring import SKIPPED_FOLDERS, Ignoring
from assay_engine.types import Specification
from assay_sandbox import Place

_CODE = (".py", ".so", ".pyd")
_PACKAGE_FILE = "/__init__.py"
# A name that says what nobody but its owner should read. A file of code is meant to be imported, so
# this counts there only if Git leaves the file out.
_SECRET = re.compile(
    r"secret|credential|passw|private|tokens?(?![a-z])|api[-_]?key|id_(?:[rd]sa|ecdsa|ed25519)"
    r"|netrc|pgpass|kube_?config|service[-_]?account|adminsdk|wallet|cookies?(?![a-z])"
    r"|^env(?:\.|$)|[-_]key(?:\.\w+)?$|\.tf(?:state|vars)"
    r"|\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|keytab|kdbx?|ovpn|gpg|asc|sqlite\d?|db\d?|env)\b",
    re.IGNORECASE,
)
# What a text imports, and dotted names in quotes, as of plugins and of a framework's settings. Both
# take time that grows with the text's length alone.
_NAMING = re.compile(
    r"""\b(?:from|import)\b[^()\n;]*(?:\([^()]*)?|["']\w[\w.]*["'{]""",
)
_NAME = re.compile(r"\w+")


class _File(Struct, frozen=True):
    """A file that may be read once the names of `needs` have been named."""

    path: str
    state: str
    needs: frozenset[str]


def with_files(place: Place, root: Path, text: str) -> Place:
    """The place with all files that programs may read, in their present state.

    The state leaves out the module's own file: programs bring along its text, which is `text`.
    """
    found: dict[str, str] = {}
    named = set(_named_in(text))
    room = READABLE_TEXTS_BYTES_MAX
    due = _found(place, root)
    # By a name that is lacking, the files that need it.
    lacking: dict[str, list[_File]] = defaultdict(list)
    while due and len(found) < READABLE_FILES_MAX:
        file = due.pop()
        lacks = min(file.needs - named, default=None)
        if lacks is not None:
            lacking[lacks].append(file)
            continue
        is_own = file.path == place.file
        found[file.path] = "" if is_own else file.state
        if is_own or room <= 0 or not file.path.endswith(".py"):
            continue
        names, length = _names_of(file.path, file.state)
        room -= length
        for name in sorted(names - named):
            due += lacking.pop(name, ())
        named |= names
    parts = [each for path in sorted(found) for each in (path, found[path])]
    return dataclasses.replace(place, files=tuple(sorted(found)), state=digest.of_parts(parts))


def _found(place: Place, root: Path) -> list[_File]:
    own = Path(place.file).parent
    while own != root and (own.parent / "__init__.py").is_file():
        own = own.parent
    repository = _repository_of(root, users_home())
    ignoring = Ignoring(repository or root, ())
    tracked = repository and tracked_below(root, repository, os.environ)
    is_project = _is_project(root)
    states: dict[str, str] = {}
    for top in dict.fromkeys((str(own), *place.roots)):
        below = _below(top, ignoring, tracked, is_project=is_project)
        states.update(islice(below, READABLE_FILES_MAX))
    packages = {path.removesuffix(_PACKAGE_FILE) for path in states if path.endswith(_PACKAGE_FILE)}
    roots = sorted(place.roots, key=len, reverse=True)
    found: list[_File] = []
    for path, state in states.items():
        needs = _steps(path, place.file, roots, packages) if path != place.file else set[str]()
        if path != place.file and is_code(path) and _is_left_out(path, ignoring, tracked):
            needs.add(_module_name(path))
        found.append(_File(path, state, frozenset(needs)))
    return found


def _steps(path: str, file: str, roots: list[str], packages: set[str]) -> set[str]:
    """The names by which an import comes from a root to a file, as far as they do not also lead to
    the module on trial: those of folders, up to a package, which is one thing, or of a module."""
    found: set[str] = set()
    folder = next((each for each in roots if path.startswith(f"{each}/")), None)
    if folder is None:
        return found
    for name in path[len(folder) + 1 :].split("/")[:-1]:
        folder = f"{folder}/{name}"
        if not file.startswith(f"{folder}/"):
            found.add(name)
        if folder in packages:
            return found
    return found | {_module_name(path)} if is_code(path) else found


def _module_name(path: str) -> str:
    return os.path.basename(path.removesuffix(_PACKAGE_FILE)).partition(".")[0]


@lru_cache(maxsize=READABLE_FILES_MAX)
def _names_of(path: str, _state: str) -> tuple[frozenset[str], int]:
    """The names in a file of code, and its length. Its state tells it from what it was before."""
    try:
        content = read_bytes(Path(path))
    except OSError:
        # Removed since it was listed, or too large to be checked itself.
        return frozenset(), 0
    return _named_in(content.decode(errors="replace")), len(content)


def _named_in(text: str) -> frozenset[str]:
    return frozenset(name for said in _NAMING.findall(text) for name in _NAME.findall(said))


class ShownModules:
    """The modules of a project that a model may be shown: those that programs may read, without
    those that Git leaves out, whatever their names.

    `folders` are those that modules are looked for in. An instance serves one check.
    """

    def __init__(self, root: Path, folders: tuple[Path, ...]) -> None:
        self._ignoring = Ignoring(_repository_of(root, users_home()) or root, ())
        self._folders = None if _is_project(root) else folders

    def __contains__(self, path: Path) -> bool:
        """Whether a module may be shown, by the path of its file."""
        package = path.parent
        while self._folders is not None and (package / "__init__.py").is_file():
            package = package.parent
        is_beside = self._folders is None or package in self._folders
        return is_beside and real(path) == path and not self._ignoring.ignores(path)


def _is_project(root: Path) -> bool:
    home = users_home()
    return not (home and home.is_relative_to(root)) and any(
        is_there(root / each) for each in ("pyproject.toml", ".git")
    )


def _repository_of(root: Path, home: Path | None) -> Path | None:
    """The top of the repository that a project is in, other than one of the whole home: the project
    may be a part of it, and its top says what Git leaves out."""
    for folder in (root, *root.parents):
        if home is not None and home.is_relative_to(folder):
            break
        if is_there(folder / ".git"):
            return folder
    return None


def placed_among(specification: Specification, place: Place) -> Specification:
    """The specification, with its place as `with_files` has found it for all of the file."""
    own = specification.in_place
    if own is None or own.place is None:
        return specification
    return replace(specification, in_place=replace(own, place=place))


def is_code(path: str) -> bool:
    return path.endswith(_CODE)


def _below(
    top: str, ignoring: Ignoring, tracked: frozenset[str] | None, *, is_project: bool
) -> Iterator[tuple[str, str]]:
    """The files below a folder that no name and no rule of Git closes, by their paths, each with
    its state."""
    # What lies beside code, or below it, counts: a project has other folders, too, with whatever is
    # nobody's business. Of all that is below its top, nothing says that.
    waiting = [(top, 0, False, False)]
    while waiting:
        folder, depth, is_beside, is_packed = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda each: each.name)
        except OSError:
            continue
        names = {each.name for each in entries}
        is_packed = is_packed or "__init__.py" in names
        is_beside = (
            is_beside or is_packed or bool(is_project and depth and any(map(is_code, names)))
        )
        if depth and ("pyvenv.cfg" in names or not (is_project or is_beside)):
            continue
        has_data = is_packed if tracked is None else is_beside or (is_project and not depth)
        for entry in entries:
            name = entry.name
            if name.startswith(".") or name in SKIPPED_FOLDERS or entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < FOLDERS_DEEP_MAX:
                    waiting.append((entry.path, depth + 1, is_beside, is_packed))
            elif (
                entry.is_file(follow_symlinks=False)
                and (has_data or is_code(name))
                and _is_open(entry, ignoring, tracked)
            ):
                now = entry.stat(follow_symlinks=False)
                yield entry.path, f"{now.st_mtime_ns} {now.st_ctime_ns} {now.st_size} {now.st_ino}"


def _is_open(entry: os.DirEntry[str], ignoring: Ignoring, tracked: frozenset[str] | None) -> bool:
    is_secret = _SECRET.search(entry.name) is not None
    if is_code(entry.name):
        return not (is_secret and _is_left_out(entry.path, ignoring, tracked))
    if is_secret or entry.stat(follow_symlinks=False).st_size > READABLE_BYTES_MAX:
        return False
    return not ignoring.ignores(Path(entry.path)) if tracked is None else entry.path in tracked


def _is_left_out(path: str, ignoring: Ignoring, tracked: frozenset[str] | None) -> bool:
    return path not in (tracked or ()) and ignoring.ignores(Path(path))
