"""Tells what has been installed on this machine from what a project may have brought along.

Whoever unpacks an archive or clones a repository owns the files, and has them wherever it is. So
neither its owner nor its name says where a program comes from. Its place does: only root writes to
the folders of the system, and managers of interpreters have folders of their own in the user's
home, which is the one that the system names. A variable may lead into the project.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from functools import cache
from pathlib import Path

from assay_engine.files.bounded import is_there, real

# The names of programs that a link may lead to: not just any program that happens to be installed.
_PYTHON = re.compile(r"(python|pypy)[0-9.]*t?(\.exe)?")
_SCRIPT = b"#!"
# What is in these is root's.
_SYSTEM = (
    *("/bin", "/usr/bin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/local", "/opt"),
    *("/nix/store", "/gnu/store"),
    # Of python.org, and of Apple.
    *("/Library/Frameworks/Python.framework", "/Library/Developer/CommandLineTools"),
    "/Applications/Xcode.app",
)
# Homebrew's folders belong to whoever has installed it.
_HOMEBREW = ("/opt/homebrew", "/usr/local/Cellar", "/home/linuxbrew/.linuxbrew")
# Below the home: where uv, pyenv, asdf, mise, conda, Homebrew and python.org's installer keep
# interpreters. Folders of scripts that look for an interpreter ("shims") are not among them.
_MANAGED = (
    *(".local/share/uv/python", "AppData/Roaming/uv/python"),
    *(".pyenv/versions", ".pyenv/pyenv-win/versions"),
    *(".asdf/installs/python", ".local/share/mise/installs/python"),
    *("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".local/share/mamba"),
    *("miniconda", "anaconda", "miniforge", "opt/miniconda3", "opt/anaconda3", ".conda/envs"),
    ".linuxbrew",
    *("Library/Frameworks/Python.framework", "AppData/Local/Programs/Python"),
)
_ROOT = 0
# On macOS, the group of those who may become root.
_ADMINISTRATORS = 80
_WINDOWS_PROFILE = 0x28


@cache
def users_home() -> Path | None:
    """The user's home folder as the system names it, whatever variables say; None if it does not.

    It is given by its real path.
    """
    if sys.platform == "win32":
        import ctypes

        named = ctypes.create_unicode_buffer(260)
        ctypes.windll.shell32.SHGetFolderPathW(None, _WINDOWS_PROFILE, None, 0, named)
        home = named.value
    else:
        import pwd

        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            # An account of a container alone, which is in no database.
            return None
    return real(Path(home)) if os.path.isabs(home) else None


def workspace_of(root: Path, home: Path | None) -> Path:
    """What somebody may have brought along with a project: the outermost repository around it.

    Without a repository it is the project itself. The user's home folder never counts, even if it
    is in a repository: nobody else wrote that one. `home` is a real path, and so is the result.
    """
    found = real(root)
    for folder in found.parents:
        if home is not None and home.is_relative_to(folder):
            break
        if is_there(folder / ".git"):
            found = folder
    return found


def may_have_come_along(path: Path, root: str | None) -> bool:
    """Whether a file of the user's own may have come with a project, if nobody has named its place.

    It may if its place, as it is spelled or where it leads, is in the project's workspace. So may
    everything in a home other than the system's: a variable that leads to the project, or to what
    was unpacked beside it, leads to what somebody else has put there.
    """
    home = users_home()
    if home is None or real(Path.home()) != home:
        return True
    if root is None:
        return False
    workspace = workspace_of(Path(root), home)
    spelled = Path(os.path.abspath(path))
    return any(
        each.is_relative_to(workspace) for each in (spelled, real(spelled.parent), real(spelled))
    )


def is_installed(program: Path, workspace: Path, home: Path | None) -> bool:
    """Whether a program is an interpreter that can only have been installed here, or Assay's own.

    All paths are real ones.
    """
    if not _PYTHON.fullmatch(program.name) or _is_script(program):
        return False
    return program in _running() or is_in_an_installation(program, workspace, home)


def is_in_an_installation(path: Path, workspace: Path, home: Path | None) -> bool:
    """Whether a path is where the system, or a manager, keeps interpreters and their packages.

    A folder in which there is also the project is none: what is beside the project in it may have
    been unpacked together with it.
    """
    return any(
        path.is_relative_to(place)
        and not workspace.is_relative_to(place)
        and _is_kept(path, owners)
        for place, owners in _places(home)
    )


@cache
def _places(home: Path | None) -> tuple[tuple[Path, frozenset[int]], ...]:
    """The folders with what is installed, and who beside root may own what is in them."""
    user = frozenset((os.getuid(),)) if hasattr(os, "getuid") else frozenset[int]()
    found = {} if home is None else {home / folder: user for folder in _MANAGED}
    # Windows has no such folders, and anybody could make them there.
    if sys.platform != "win32":
        found |= dict.fromkeys(map(Path, _HOMEBREW), user)
        found |= dict.fromkeys(map(Path, _SYSTEM), frozenset())
    return tuple((real(folder), owners) for folder, owners in found.items())


def _running() -> tuple[Path, ...]:
    """The interpreter of this process, and the one that its virtual environment was made from."""
    base: str = getattr(sys, "_base_executable", sys.executable)
    return real(Path(sys.executable)), real(Path(base))


def _is_script(program: Path) -> bool:
    """Whether a program says by its text what is started; also if nobody may read it."""
    try:
        with program.open("rb") as file:
            return file.read(len(_SCRIPT)) == _SCRIPT
    except OSError:
        return True


def _is_kept(path: Path, owners: frozenset[int]) -> bool:
    """Whether a path and all folders above it are root's or the owners', and only they can change
    them."""
    if not hasattr(os, "getuid"):
        return True
    try:
        return all(_is_theirs(each.stat(), owners) for each in (path, *path.parents))
    except OSError:
        return False


def _is_theirs(about: os.stat_result, owners: frozenset[int]) -> bool:
    if about.st_uid not in owners | {_ROOT}:
        return False
    # In a folder with this bit, nobody can replace what is somebody else's.
    if stat.S_ISDIR(about.st_mode) and about.st_mode & stat.S_ISVTX:
        return True
    by_group = about.st_mode & stat.S_IWGRP and about.st_gid not in _trusted_groups()
    return not (by_group or about.st_mode & stat.S_IWOTH)


@cache
def _trusted_groups() -> frozenset[int]:
    """Groups in which there is nobody but root and the user, or who may become root anyway."""
    import grp
    import pwd

    found = {_ROOT, *([_ADMINISTRATORS] if sys.platform == "darwin" else [])}
    try:
        account = pwd.getpwuid(os.getuid())
        if grp.getgrgid(account.pw_gid).gr_name == account.pw_name:
            # Many systems make a group for every account.
            found.add(account.pw_gid)
    except KeyError:
        pass
    return frozenset(found)
