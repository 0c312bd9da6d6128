"""Finds from a program's texts, before any of it runs, which modules it may come to use.

A zygote imports common modules while it waits. A program must not see how far that has come, so a
child imports the modules that make a difference, unless its program is known not to need them.
"""

from __future__ import annotations

from . import known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

# Modules that use no randomness, and have no submodules that other code must import first. Of types
# that are told apart, a program gets through them only values of the modules listed with each.
_PLAIN: dict[str, tuple[str, ...]] = {
    "contextlib": ("collections",),
    "json": ("re",),
    "typing": ("collections", "re"),
    **dict.fromkeys(
        (
            "__future__", "_socket", "abc", "base64", "binascii", "bisect", "cmath", "copy",
            "dataclasses", "functools", "hashlib", "heapq", "itertools", "keyword", "math",
            "numbers", "operator", "os", "string", "struct", "sys", "time", "types", "unicodedata",
        ),
        (),
    ),
}  # fmt: skip


# Characters between the words of a statement, or around a statement that is within a string.
_BETWEEN = str.maketrans(dict.fromkeys(",()\"'", " "))


def types_of(texts: Iterable[str]) -> set[str] | None:
    """The modules whose types a program's values may have; None if it may use any module."""
    found: set[str] = set()
    whole = "\n".join(texts)
    if "modules" in whole:
        # The program may inspect which modules are loaded.
        return None
    for line in whole.replace(";", "\n").splitlines():
        if "import" not in line:
            continue
        words = line.translate(_BETWEEN).split()
        if "import" not in words:
            if "__import__" in line or "importlib" in line:
                return None
            # A word that contains "import", such as "important".
            continue
        # A line that has neither of the two plain forms may import anything.
        for name in {"import": words[1:], "from": words[1:2]}.get(words[0], [line]):
            top = name.partition(".")[0]
            if top not in _PLAIN and top not in known.MODULES:
                return None
            found.update(_PLAIN.get(top, (top,)))
    return found
