"""`assay check --since`: narrows the targets to functions that changed since a git revision.

The state that a pull request is compared with: the merge base of a revision and HEAD.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from assay_engine.check.changes import changed, same_lines
from assay_engine.check_unit import OtherVersion
from assay_engine.cli.targets import Target
from assay_engine.errors import AssayError
from assay_engine.files.bounded import read_bytes, real
from assay_engine.files.git import Git, GitAnswer, repository_of
from assay_engine.files.source_files import UnreadableFile, decoded
from assay_engine.syntax.units import find_units
from assay_engine.types import SourceText


class Since:
    """Compares files in their work trees with their former states, each in its own repository.

    A function has changed if the former file held no function in the same state. The state is its
    text and all that its trial takes from the file. The digest that a report is filed under tells
    states apart (`worklist.filed`).
    """

    def __init__(self, revision: str, environment: Mapping[str, str]) -> None:
        self.revision = revision
        self._environment = environment
        self._bases: dict[Path, MergeBase] = {}

    def narrowed(self, files: Sequence[tuple[Target, ...]]) -> tuple[tuple[Target, ...], ...]:
        """The targets by file, narrowed to changed functions, without the files of which there is
        nothing to check or to say. Raises `NoBase` and `GitUnusable`."""
        return tuple(left for targets in files if (left := self._left(targets)))

    def former(self, source: SourceText) -> OtherVersion:
        """The text at the merge base, empty if the file was not there or cannot be read. Raises
        `NoBase` and `GitUnusable`."""
        path = Path(source.path)
        base = self._base(path)
        text = _text_of(path, base.content(real(path))) or ""
        called = f"the version at {self.revision} ({base.commit[:12]})"
        return OtherVersion(replace(source, text=text), called)

    def _left(self, targets: tuple[Target, ...]) -> tuple[Target, ...]:
        path = targets[0].path
        base = self._base(path)
        there = real(path)
        try:
            data = read_bytes(there)
            text = decoded(path, data).text
        except (OSError, UnreadableFile):
            # The check will say that the file cannot be read.
            return targets
        units, faults = find_units(text)
        missing = any(target.missing(text, units) for target in targets)
        former = text if base.holds(there, data) else _text_of(path, base.content(there))
        if not missing and former is not None and same_lines(former, text):
            return ()
        among = changed(text, former)
        selections = [target.selects(text, units) for target in targets]
        due = any(
            selects(unit) for selects in selections for unit in units if unit.qualname in among
        )
        # The check says which functions are not there, and what cannot be parsed.
        kept = due or missing or bool(faults)
        return tuple(replace(each, among=among) for each in targets) if kept else ()

    def _base(self, path: Path) -> MergeBase:
        root = repository_of(real(path).parent)
        if root is None:
            raise NoBase(
                f"{path} is not in a git repository, which --since needs. Check it without --since."
            )
        if root not in self._bases:
            self._bases[root] = MergeBase(root, self.revision, self._environment)
        return self._bases[root]


def _text_of(path: Path, content: bytes | None) -> str | None:
    try:
        return None if content is None else decoded(path, content).text
    except UnreadableFile:  # then no function in it can have been the same
        return None


# Enough for the names of a million files.
TREE_BYTES_MAX = 128 << 20

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_IN_ACTIONS = "in GitHub Actions, `fetch-depth: 0` for actions/checkout"
_FETCH = f"`git fetch`; {_IN_ACTIONS}"
_UNSHALLOW = f"`git fetch --unshallow`; {_IN_ACTIONS}"


class NoBase(AssayError):
    """There is nothing to compare with."""


class MergeBase:
    """The files of the repository whose work tree is at `root`, in the state of the merge base."""

    def __init__(self, root: Path, revision: str, environment: Mapping[str, str]) -> None:
        """Raises `NoBase` and `GitUnusable`."""
        self._git = Git(root, environment)
        self.root = Path(self._answered(self._git.ask("rev-parse", "--show-toplevel"), root).line)
        self.commit = self._merge_base(revision)
        self._blobs = self._listed()

    def holds(self, path: Path, data: bytes) -> bool:
        """Whether the file existed at the merge base with exactly this content."""
        blob = self._blob(path)
        if blob is None:
            return False
        kind = hashlib.sha1 if len(blob) == 40 else hashlib.sha256
        head = b"blob %d\0" % len(data)
        return kind(head + data, usedforsecurity=False).hexdigest() == blob

    def content(self, path: Path) -> bytes | None:
        """The former content of the file; None if the file did not exist, or was too large to be
        checked."""
        blob = self._blob(path)
        if blob is None:
            return None
        return self._git.content(blob, f"{path} was at {self.commit[:12]}")

    def _blob(self, path: Path) -> str | None:
        """`path` is absolute, without links."""
        if not path.is_relative_to(self.root):
            raise NoBase(
                f"{path} is outside of {self.root}, the configured work tree of its git "
                "repository. Check it without --since."
            )
        return self._blobs.get(os.fsencode(path.relative_to(self.root).as_posix()))

    def _merge_base(self, revision: str) -> str:
        # Git might take a text that begins with a dash for an option.
        if not revision or revision.startswith("-"):
            raise NoBase(f"--since {revision}: that is not a revision. Name a branch or a commit.")
        head = self._git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}").line
        if not _ID.fullmatch(head):
            raise NoBase(f"{self.root} has no commit yet. Omit --since: everything is new.")
        named = self._git.ask("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").line
        if not _ID.fullmatch(named):
            raise NoBase(
                f"--since {revision}: there is no such commit in {self.root}. Fix the name, or "
                f"fetch it ({_UNSHALLOW if self._is_shallow() else _FETCH})."
            )
        base = self._git.ask("merge-base", named, head).line
        if _ID.fullmatch(base):
            return base
        if self._is_shallow():
            raise NoBase(
                f"--since {revision}: the clone is shallow, and its history ends before the merge "
                f"base with HEAD. Fetch more history: {_UNSHALLOW}."
            )
        raise NoBase(
            f"--since {revision}: it has no history in common with HEAD. Name a revision that "
            "HEAD comes from."
        )

    def _is_shallow(self) -> bool:
        return self._git.ask("rev-parse", "--is-shallow-repository").line == "true"

    def _listed(self) -> dict[bytes, str]:
        """The blobs by path, without links and submodules."""
        listing = self._git.ask(
            *("ls-tree", "-r", "-z", "--full-tree", self.commit), limit=TREE_BYTES_MAX
        )
        found: dict[bytes, str] = {}
        for entry in self._answered(listing, self.root).output.split(b"\0")[:-1]:
            about, _, path = entry.partition(b"\t")
            mode, _, blob = about.split(b" ")
            if mode.startswith(b"100"):
                found[path] = blob.decode()
        return found

    def _answered(self, answer: GitAnswer, root: Path) -> GitAnswer:
        if answer.status:
            said = answer.said or f"status {answer.status}"
            raise NoBase(f"git cannot read {root}: {said}. Fix that, or omit --since.")
        return answer
