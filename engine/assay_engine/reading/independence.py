"""Tells whether a docstring promises that the result has no part in common with the arguments.

"Changes to the result do not show in the arguments", "a deep copy". Most functions promise nothing
of the kind, and may well return what they were given. So the patterns are few, and narrow.
"""

from __future__ import annotations

import re

from assay_engine.reading.sentences import SENTENCE_END

_RESULT = r"(?:the\s+|its\s+)?(?:results?|return(?:ed)?|output|cop(?:y|ies)|new\s+\w+)\b"
_CHANGING = (
    r"(?:chang(?:e[sd]?|ing)|modif(?:y|ies|ied|ying|ications?)|mutat(?:es?|ed|ing|ions?)"
    r"|edit(?:s|ed|ing)?)"
)
_NOT = r"(?:\b(?:not|never|no|nothing|none|without|nor)\b|n['’]t\b)"
_PROMISES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bdeep(?:ly)?[- ]cop(?:y|ies|ied)\b",
        r"\bindependent\s+(?:cop(?:y|ies)|of\s+(?:the\s+)?(?:arguments?|inputs?|originals?))\b",
        r"(?:\b(?:not|never)|n['’]t)\s+(?:be\s+)?(?:shar(?:e|ed|ing)|alias(?:ed|ing)?)\b",
        r"\b(?:nothing|no(?:ne|\s+\w+))\s+(?:is|are)\s+(?:shared|aliased)\b",
        r"\bshar(?:es?|ing)\s+(?:nothing|no)\b",
        rf"\b(?:later|further|subsequent)\s+{_CHANGING}\b.*{_NOT}",
        rf"\b{_CHANGING}\s+(?:made\s+)?(?:later\s+)?(?:(?:to|in|of)\s+)?{_RESULT}.*{_NOT}",
    )
)
# What a shallow copy has in common with the original is meant.
_SHALLOW = re.compile(r"\bshallow\b", re.IGNORECASE)
_SENTENCE_END = re.compile(SENTENCE_END)


def promises_independence(docstring: str) -> bool:
    """Whether a sentence of the docstring says so, and none speaks of a shallow copy."""
    if _SHALLOW.search(docstring):
        return False
    sentences = (" ".join(each.split()) for each in _SENTENCE_END.split(docstring))
    return any(pattern.search(each) for each in sentences for pattern in _PROMISES)
