"""Names of types: who defines a class may write anything into its name."""

from __future__ import annotations

import re

NAME_CHARACTERS = 200
UNNAMED = "<unnamed type>"

_PUNCTUATION = re.compile(r"[.<>\[\]]")


def type_name(given: str) -> str:
    """The name if it looks like one (letters, digits, ``_ . < > [ ]``), or else `UNNAMED`.

    Names stand in sentences, in Markdown and on terminals: none holds a line break, a link or an
    escape sequence.
    """
    letters = _PUNCTUATION.sub("", given)
    named = 0 < len(given) <= NAME_CHARACTERS and f"_{letters}".isidentifier()
    return given if named or given == UNNAMED else UNNAMED
