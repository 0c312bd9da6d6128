"""Lists what programs may read of the project that they live in.

That is the code, generated code too, and small files beside or below it. Whoever wrote a candidate
may read all of it, and what the candidate gives may be shown to a model. So what is hidden, what
Git leaves out, links, environments and whatever is named like a secret stays closed. Where nothing
marks the folder as a project, or it is the user's home, whatever marks that, packages count alone,
and the code beside the module.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from assay_engine import digest
from assay_engine.bounds import FOLDERS_DEEP_MAX, READABLE_BYTES_MAX, READABLE_FILES_MAX
from assay_engine.config.provenance import users_home
from assay_engine.files.bounded import is_there, real
from assay_engine.source.ignoring import SKIPPED_FOLDERS, Ignoring
from assay_engine.types import Specification
from assay_sandbox import Place

_CODE = (".py", ".so", ".pyd")
# A name that says what nobody but its owner should read. A file of code is meant to be imported, so
# this counts there only if Git leaves the file out.
_SECRET = re.compile(
    r"secret|credential|passw|private|tokens?(?![a-z])|api[-_]?key|id_(?:[rd]sa|ecdsa|ed25519)"
    r"|netrc|pgpass|kube_?config|service[-_]?account|adminsdk|wallet|cookies?(?![a-z])"
    r"|^env(?:\.|$)|[-_]key(?:\.\w+)?$|\.tf(?:state|vars)"
    r"|\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|keytab|kdbx?|ovpn|gpg|asc|sqlite\d?|db\d?|env)\b",
    re.IGNORECASE,
)


def with_files(place: Place, root: Path) -> Place:
    """The place with all files that programs may read, in their present state.

    The state leaves out the module's own file: programs bring along its text.
    """
    own = Path(place.file).parent
    while own != root and (own.parent / "__init__.py").is_file():
        own = own.parent
    found: dict[str, str] = {}
    ignoring = _ignoring(root)
    is_project = _is_project(root)
    for top in dict.fromkeys((str(own), *place.roots)):
        for path, state in _below(top, ignoring, is_project=is_project):
            if len(found) >= READABLE_FILES_MAX:
                break
            found[path] = "" if path == place.file else state
    parts = [each for path in sorted(found) for each in (path, found[path])]
    return dataclasses.replace(place, files=tuple(sorted(found)), state=digest.of_parts(parts))


class ShownModules:
    """The modules of a project that a model may be shown: those that programs may read, without
    those that Git leaves out, whatever their names.

    `folders` are those that modules are looked for in. An instance serves one check.
    """

    def __init__(self, root: Path, folders: tuple[Path, ...]) -> None:
        self._ignoring = _ignoring(root)
        self._folders = None if _is_project(root) else folders

    def __contains__(self, path: Path) -> bool:
        """Whether a module may be shown, by the path of its file."""
        package = path.parent
        while self._folders is not None and (package / "__init__.py").is_file():
            package = package.parent
        is_beside = self._folders is None or package in self._folders
        return is_beside and real(path) == path and not self._ignoring.ignores(path)


def _ignoring(root: Path) -> Ignoring:
    # The project may be a part of a repository, whose top says what Git leaves out.
    return Ignoring(_repository_of(root, users_home()), ())


def _is_project(root: Path) -> bool:
    home = users_home()
    return not (home and home.is_relative_to(root)) and any(
        is_there(root / each) for each in ("pyproject.toml", ".git")
    )


def _repository_of(root: Path, home: Path | None) -> Path:
    """The top of the repository that a project is in, other than one of the whole home."""
    for folder in (root, *root.parents):
        if home is not None and home.is_relative_to(folder):
            break
        if is_there(folder / ".git"):
            return folder
    return root


def placed_among(specification: Specification, place: Place) -> Specification:
    """The specification, with its place as `with_files` has found it for all of the file."""
    own = specification.in_place
    if own is None or own.place is None:
        return specification
    return replace(specification, in_place=replace(own, place=place))


def is_code(path: str) -> bool:
    return path.endswith(_CODE)


def _below(top: str, ignoring: Ignoring, *, is_project: bool) -> Iterator[tuple[str, str]]:
    """The readable files below a folder, by their paths, each with its state."""
    # What lies beside code, or below it, counts: a project has other folders, too, with whatever is
    # nobody's business. Of all that is below its top, nothing says that.
    waiting = [(top, 0, False)]
    while waiting:
        folder, depth, is_beside = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda each: each.name)
        except OSError:
            continue
        names = {each.name for each in entries}
        is_below_code = "__init__.py" in names or (
            is_project and depth and any(map(is_code, names))
        )
        is_beside = is_beside or bool(is_below_code)
        if depth and ("pyvenv.cfg" in names or not (is_project or is_beside)):
            continue
        for entry in entries:
            name = entry.name
            if name.startswith(".") or name in SKIPPED_FOLDERS or entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < FOLDERS_DEEP_MAX:
                    waiting.append((entry.path, depth + 1, is_beside))
            elif (
                entry.is_file(follow_symlinks=False)
                and (is_beside or is_code(name) or (is_project and not depth))
                and _is_open(entry, ignoring)
            ):
                now = entry.stat(follow_symlinks=False)
                yield entry.path, f"{now.st_mtime_ns} {now.st_ctime_ns} {now.st_size} {now.st_ino}"


def _is_open(entry: os.DirEntry[str], ignoring: Ignoring) -> bool:
    is_secret = _SECRET.search(entry.name) is not None
    if is_code(entry.name):
        return not (is_secret and ignoring.ignores(Path(entry.path)))
    if is_secret or entry.stat(follow_symlinks=False).st_size > READABLE_BYTES_MAX:
        return False
    return not ignoring.ignores(Path(entry.path))
