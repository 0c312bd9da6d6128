"""Accounts to run Assay under: whichever runs the tests and, if that is root, an ordinary one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import assay_engine
import assay_lsp
import assay_sandbox
from support.forking import forked

NOBODY = 65534
SYSTEMS = Path("/usr/bin/python3")


@dataclass(frozen=True)
class Account:
    """How a Python of an account is started. `ground` is a folder that the account owns."""

    python: tuple[str, ...]
    ground: Path
    owner: int
    variables: Mapping[str, str] = field(default_factory=dict[str, str])

    def take(self, folder: Path) -> None:
        """Make a folder, with all that is in it, the account's."""
        for path in (folder, *folder.rglob("*")):
            os.chown(path, self.owner, self.owner, follow_symlinks=False)

    def environment(self, **more: str) -> dict[str, str]:
        passed = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**passed, "HOME": str(self.ground / "home"), **self.variables, **more}


@contextmanager
def account(name: str) -> Iterator[Account]:
    """The account that is `running` the tests, or an `ordinary` one."""
    with tempfile.TemporaryDirectory(prefix="assay-account-") as folder:
        ground = Path(os.path.realpath(folder))
        (ground / "home").mkdir()
        if name == "running":
            yield Account(forked(), ground, os.getuid())
            return
        reason = _why_not()
        if reason:
            pytest.skip(reason)
        ids = (f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
        found = Account(
            ("setpriv", *ids, str(SYSTEMS), "-B"), ground, NOBODY, {"PYTHONPATH": _packages()}
        )
        found.take(ground)
        yield found


def _packages() -> str:
    own = (assay_engine, assay_lsp, assay_sandbox)
    folders = [str(Path(str(package.__file__)).parents[1]) for package in own]
    return os.pathsep.join([*folders, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])


def _why_not() -> str:
    if not hasattr(os, "getuid") or os.getuid() != 0:
        return "the tests run as an ordinary user already"
    if not SYSTEMS.exists() or shutil.which("setpriv") is None:
        return "there is no interpreter outside the folders of root, or no way to another account"
    asked = [SYSTEMS, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    said = subprocess.run(asked, capture_output=True, text=True, timeout=30, check=True)
    if said.stdout.strip() != sysconfig.get_python_version():
        return "the system's interpreter is another version than that of the installed packages"
    for folder in _packages().split(os.pathsep):
        if not all(each.stat().st_mode & 0o005 for each in (Path(folder), *Path(folder).parents)):
            return "an ordinary user cannot read the packages"
    return ""
