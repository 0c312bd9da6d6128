"""Checks names of types, since a class's author may write anything into its name."""

from __future__ import annotations

import re

NAME_CHARACTERS = 200
UNNAMED = "<unnamed type>"

_PUNCTUATION = re.compile(r"[.<>\[\]]")
# The worker's name for an array: its type and that of its items, as NumPy writes it.
_ARRAY = re.compile(r"numpy\.ndarray:[<>|=]?[A-Za-z][0-9]*(\[[0-9]*[A-Za-z]+\])?")


def type_name(given: str) -> str:
    """The name if it looks like one (letters, digits, ``_ . < > [ ]``), or else `UNNAMED`.

    Names occur in sentences, in Markdown and on terminals: none may contain a line break, a link
    or an escape sequence.
    """
    letters = _PUNCTUATION.sub("", given)
    named = 0 < len(given) <= NAME_CHARACTERS and f"_{letters}".isidentifier()
    return given if named or _ARRAY.fullmatch(given) or given == UNNAMED else UNNAMED
