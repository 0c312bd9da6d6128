"""Tells whether a docstring promises that the result has no part in common with the arguments.

"Changes to the result do not show in the arguments", "Return a deep copy". Most functions promise
nothing of the kind, and may well return what they were given. So the patterns are few, and narrow.
"""

from __future__ import annotations

import re
from functools import lru_cache

from assay_engine.reading.sentences import DENIAL, SENTENCE_END
from assay_engine.types import Specification

# Nobody says it in a longer sentence; and some patterns take long for one.
SENTENCE_CHARACTERS = 500

_RESULT = r"(?:results?|return(?:ed|s)?|output|cop(?:y|ies)|merged|new)\b"
_CHANGING = (
    r"\b(?:chang(?:e[sd]?|ing)|modif(?:y|ies|ied|ying|ications?)|mutat(?:es?|ed|ing|ions?)"
    r"|edit(?:s|ed|ing)?)\b"
)
# What a change does to something else.
_REACHING = (
    r"\b(?:show|affect|reach|reflect|influence|alter|touch|propagate|leak|change|modif|mutate"
    r"|visible|seen)"
)
_NOT = r"(?:\b(?:not|never|no|nothing|none|nor)\b|n['’]t\b)"
_PROMISES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:returns?|gives?|makes?|an?)\s+(?:\w+\s+){0,2}deep[- ]?cop(?:y|ies)\b",
        r"\bindependent\s+(?:cop(?:y|ies)|of\s+(?:the\s+)?(?:arguments?|inputs?|originals?))\b",
        rf"\b{_RESULT}.*?\bshar(?:es?|ing)\s+(?:nothing|no)\b",
        rf"\b{_RESULT}.*?(?:\b(?:not|never)|n['’]t)\s+shar(?:e|ing)\b",
        rf"\b(?:later|further|subsequent)\s+{_CHANGING}.*?{_NOT}.*?{_REACHING}",
        rf"{_CHANGING}\s+(?:\w+\s+){{0,4}}?{_RESULT}.*?{_NOT}.*?{_REACHING}",
    )
)
# What a shallow copy has in common with the original is meant.
_NO_PROMISE = re.compile(
    rf"(?<!not a )\bshallow\b|(?:{DENIAL}|\bwithout)\s+(?:an?\s+)?deep", re.IGNORECASE
)
_SENTENCE_END = re.compile(SENTENCE_END)


def is_to_stand_alone(specification: Specification) -> bool:
    """Whether the result of the function is to have no part in common with its arguments. Of a
    function that gives functions, uses of these are compared, and no arguments."""
    return not specification.gives_functions and promises_independence(specification.docstring)


# Not state but a memo of a pure function: every program of a trial asks for the same docstring.
@lru_cache(maxsize=64)
def promises_independence(docstring: str) -> bool:
    """Whether a sentence of the docstring says so."""
    sentences = (" ".join(each.split()) for each in _SENTENCE_END.split(docstring))
    return any(
        pattern.search(each)
        for each in sentences
        if len(each) <= SENTENCE_CHARACTERS and not _NO_PROMISE.search(each)
        for pattern in _PROMISES
    )
