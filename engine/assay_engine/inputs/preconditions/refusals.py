"""Finds the parameters whose arguments a docstring says are refused: refusals are on trial, too."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from assay_engine.inputs.preconditions.prose import lazily
from assay_engine.inputs.preconditions.qualified import SPOKEN_OF
from assay_engine.reading.sentences import SENTENCE_END

# An entry in a list of exceptions is a sentence, or ends its paragraph.
_SENTENCE_END = lazily(SENTENCE_END)
_WORD = lazily(r"[A-Za-z_]\w*")


def refused(
    docstring: str, exceptions: Sequence[str], parameters: Collection[str]
) -> frozenset[str] | None:
    """The parameters that sentences about these exceptions name.

    None if such a sentence speaks of arguments without naming them, or of no arguments: then it may
    be about any parameter.
    """
    named: set[str] = set()
    for sentence in _SENTENCE_END().split(docstring):
        if not any(_mentions(sentence, each) for each in exceptions):
            continue
        words = set(_WORD().findall(sentence))
        own = words & set(parameters)
        if not own or any(word.lower() in SPOKEN_OF for word in words - own):
            return None
        named |= own
    return frozenset(named) or None


def _mentions(sentence: str, exception: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(exception)}(?!\w)", sentence) is not None
