"""Of whose arguments a docstring announces refusals: what is refused is on trial, too."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from assay_engine.inputs.preconditions.prose import lazily

# Sentences and paragraphs; an entry of a list of exceptions is a sentence, or ends its paragraph.
_END = lazily(r"(?<=[.;!?])\s+|\n[ \t]*\n")
_WORD = lazily(r"[A-Za-z_]\w*")
# By which arguments are spoken of without being named.
_SPOKEN = frozenset(
    (
        *("it", "its", "they", "them", "their", "this", "that", "these", "those", "one", "which"),
        *("any", "anything", "all", "both", "either", "each", "neither", "none", "other", "others"),
        *("argument", "arguments", "parameter", "parameters", "input", "inputs", "value", "values"),
        *("number", "numbers", "integer", "integers", "count", "list", "lists", "sequence"),
        *("sequences", "array", "arrays", "tuple", "tuples", "iterable", "string", "strings"),
        *("text", "texts", "word", "words", "item", "items", "element", "elements", "entry"),
        *("entries", "key", "keys", "dict", "dictionary", "mapping", "matrix", "row", "rows"),
        *("length", "lengths", "size", "sizes", "character", "characters", "bounds", "otherwise"),
    )
)


def refused(
    docstring: str, exceptions: Sequence[str], parameters: Collection[str]
) -> frozenset[str] | None:
    """The parameters that sentences about these exceptions name; None if one of them speaks of
    arguments otherwise, or of none: then it may be about any."""
    named: set[str] = set()
    for sentence in _END().split(docstring):
        if not any(_mentions(sentence, each) for each in exceptions):
            continue
        words = set(_WORD().findall(sentence))
        own = words & set(parameters)
        if not own or any(word.lower() in _SPOKEN for word in words - own):
            return None
        named |= own
    return frozenset(named) or None


def _mentions(sentence: str, exception: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(exception)}(?!\w)", sentence) is not None
