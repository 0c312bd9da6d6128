"""What a program's texts say of the modules that it may come to use, before anything of it runs.

A zygote imports common modules while it waits. What a program sees must not depend on how far that
has come: a child imports what makes the difference, unless its program is known not to need it.
"""

from __future__ import annotations

from . import known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterable, Optional, Set, Tuple

# Modules that use no chance, have no modules of their own that somebody else must import first, and
# through which a program gets no values of types that are told apart but of these modules.
_PLAIN: Dict[str, Tuple[str, ...]] = {
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


# What stands between the words of a statement, or around it where it is a text's.
_BETWEEN = str.maketrans(dict.fromkeys(",()\"'", " "))


def types_of(texts: Iterable[str]) -> "Optional[Set[str]]":
    """The modules among whose types a program's values may be; None if it may use anything."""
    found: Set[str] = set()
    whole = "\n".join(texts)
    if "modules" in whole:
        # It may look at what is loaded.
        return None
    for line in whole.replace(";", "\n").splitlines():
        if "import" not in line:
            continue
        words = line.translate(_BETWEEN).split()
        if "import" not in words:
            if "__import__" in line or "importlib" in line:
                return None
            # A word that has it inside: "important".
            continue
        # What is not one of the two plain forms may import anything.
        for name in {"import": words[1:], "from": words[1:2]}.get(words[0], [line]):
            top = name.partition(".")[0]
            if top not in _PLAIN and top not in known.MODULES:
                return None
            found.update(_PLAIN.get(top, (top,)))
    return found
