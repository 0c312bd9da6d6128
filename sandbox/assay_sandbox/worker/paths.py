"""Lists the files that an interpreter reads: a program may read these, and nothing else."""

from __future__ import annotations

import os
import site
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Set, Tuple

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
SYSTEM_FILES: Tuple[str, ...] = LINUX_FILES if sys.platform.startswith("linux") else ()


def main(_arguments: List[str]) -> None:
    """Print, for a host that builds the view from outside, the files it needs, as a JSON list."""
    import json

    settings = os.path.join(sys.prefix, "pyvenv.cfg")
    named = [*readable(), sys.executable, settings]
    # Under both names, where a link leads to a file that is read.
    print(json.dumps(list(dict.fromkeys([*named, *map(os.path.realpath, named)]))))


def readable() -> List[str]:
    """The interpreter's libraries and site-packages; nothing of the workspace or the home."""
    found: Set[str] = set(SYSTEM_FILES)
    found.add(os.path.dirname(os.__file__))
    found.update(site.getsitepackages([sys.prefix, sys.base_prefix]))
    for prefix in {sys.base_prefix, sys.base_exec_prefix}:
        # The shared library of the interpreter itself may lie beside the standard library.
        found.update(os.path.join(prefix, name) for name in _LIBRARY_FOLDERS)
    found.update(entry for entry in sys.path if _is_library(entry, found))
    return sorted(path for path in found if os.path.exists(path))


# Windows keeps extension modules apart, and the interpreter's library beside the program. On macOS
# that library is a file of the framework, where there is one.
_LIBRARY_FOLDERS = {
    "win32": ("Lib", "DLLs", ""),
    "darwin": ("lib", "Python", "Python3", "Resources"),
}.get(sys.platform, ("lib",))


def _is_library(entry: str, libraries: Set[str]) -> bool:
    # A `.pth` file may add folders of a workspace; those stay closed.
    return any(entry.startswith(folder + os.sep) for folder in libraries)
