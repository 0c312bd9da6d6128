"""Strategies for open files: files in memory with a few lines of text."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay_engine.syntax.names import last_name
from assay_engine.syntax.open_files import IN_MEMORY, OPEN_FILES
from assay_sandbox import Expression, Value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

LINES_MAX = 5
LINE_MAX = 10
# The characters of a file where nothing shows its content: words, numbers and separators.
ALPHABET = "abcAB012 ,;:=#\t"


def open_file(name: str, holds: Sequence[ast.expr], alphabet: str) -> SearchStrategy[Value]:
    """The strategy for the file type of this name.

    `holds` are the type arguments of the annotation. `alphabet` gives the characters of the lines,
    unless it is empty.
    """
    import hypothesis.strategies as st

    of_bytes = any(last_name(each) == "bytes" for each in holds)
    kind = "bytes" if of_bytes else OPEN_FILES[name]
    characters = (alphabet or ALPHABET).replace("\n", "")
    lines = st.lists(st.text(characters or ALPHABET, max_size=LINE_MAX), max_size=LINES_MAX)

    def written(lines: list[str], end: str) -> Value:
        text = "\n".join(lines) + end * bool(lines)
        content = text.encode() if kind == "bytes" else text
        return Expression(f"{IN_MEMORY[kind]}({content!r})")

    return st.builds(written, lines, st.sampled_from(("\n", "\n", "")))
