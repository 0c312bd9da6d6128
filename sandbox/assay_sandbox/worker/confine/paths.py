"""Lists the files that an interpreter reads: a program may read these, and nothing else."""

from __future__ import annotations

import os
import site
import sys

_STANDARD = os.path.dirname(os.__file__)
# Files that the C library and the interpreter read beside the interpreter's own folders.
LINUX_FILES = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/nix/store",
    "/etc/ld.so.cache",
    "/usr/share/zoneinfo",
    # Files of `mimetypes` that are not below one of these.
    "/etc/mime.types",
    "/etc/httpd/mime.types",
    "/etc/httpd/conf/mime.types",
    "/etc/apache/mime.types",
    "/etc/apache2/mime.types",
    "/usr/local/etc/httpd/conf/mime.types",
    "/usr/local/etc/mime.types",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
)
# Other systems' own libraries are named by their tier.
SYSTEM_FILES: tuple[str, ...] = LINUX_FILES if sys.platform.startswith("linux") else ()
# Windows keeps extension modules apart, and the interpreter's library beside the program. On macOS
# that library is a file of the framework, where there is one.
_LIBRARY_FOLDERS = {
    "win32": ("Lib", "DLLs", ""),
    "darwin": ("lib", "Python", "Python3", "Resources"),
}.get(sys.platform, ("lib",))


def main(_arguments: list[str]) -> None:
    """Print, for a host that builds the view from outside, the files it needs, as a JSON list."""
    import json

    settings = os.path.join(sys.prefix, "pyvenv.cfg")
    named = [*_openable(), *_lying_in([sys.prefix], [settings])]
    # Under both names, where a link leads to a file that is read.
    print(json.dumps(list(dict.fromkeys([*named, *map(os.path.realpath, named)]))))


def readable() -> list[str]:
    """The real paths that a program may read: libraries and site-packages, nothing of the workspace
    or the home. They can only be found out before there is any confinement."""
    return sorted(set(map(os.path.realpath, _openable())))


def libraries() -> list[str]:
    """The names of the folders of libraries and site-packages, wherever these may lead."""
    return sorted({*filter(os.path.exists, (*SYSTEM_FILES, *_own(), *_of_environment()))})


def _openable() -> list[str]:
    """The libraries' names, without those that are links to somewhere else.

    Whoever has made an environment has also made the links in it. So its packages count only where
    they are in the environment, or are granted anyway; and the interpreter's own libraries where
    they are in its folder, or are the system's.
    """
    own = _lying_in([*SYSTEM_FILES, sys.base_prefix, sys.base_exec_prefix, _STANDARD], _own())
    more = _lying_in([*SYSTEM_FILES, *own, sys.prefix], _of_environment())
    return [*filter(os.path.exists, SYSTEM_FILES), *own, *more]


def _own() -> list[str]:
    found: set[str] = {_STANDARD, *site.getsitepackages([sys.base_prefix])}
    for prefix in {sys.base_prefix, sys.base_exec_prefix}:
        # The shared library of the interpreter itself may lie beside the standard library.
        found.update(os.path.join(prefix, name) for name in _LIBRARY_FOLDERS)
    # A `.pth` file may add folders of a workspace; those stay closed.
    inside = tuple(f"{folder}{os.sep}" for folder in (*found, *SYSTEM_FILES))
    found.update(entry for entry in sys.path if entry.startswith(inside))
    return sorted(found)


def _of_environment() -> list[str]:
    return site.getsitepackages([sys.prefix]) if sys.prefix != sys.base_prefix else []


def _lying_in(folders: list[str], names: list[str]) -> list[str]:
    """The names of what exists, and really is one of the folders or in one."""
    inside = tuple(os.path.join(os.path.realpath(folder), "") for folder in folders)
    return [
        name
        for name in names
        if os.path.exists(name) and os.path.join(os.path.realpath(name), "").startswith(inside)
    ]
