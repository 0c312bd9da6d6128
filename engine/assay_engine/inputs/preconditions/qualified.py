"""Finds statements that state nothing after all: they hold only in some case, or are contradicted.

"xs must be sorted when binary is set", "a positive number of days, or a negative one for the past".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from assay_engine.inputs.preconditions.prose import (
    AROUND,
    ENTRY_BEGINS,
    lazily,
    sentence,
    text_before,
)
from assay_engine.reading.sentences import PARAGRAPH_END

# Words that speak of arguments without naming them.
SPOKEN_OF = frozenset(
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
# Unlike elsewhere, a semicolon ends no sentence: the words behind it may contradict the statement.
_SENTENCE_END = lazily(rf"(?<=[.!?])\s+|{PARAGRAPH_END}|{ENTRY_BEGINS}")
# "sorted and distinct if" is one clause: both hold in this case.
_CLAUSE_END = lazily(
    r"\s*[,;:()]\s*|\s+(?=(?:or|but|then|returns?)\b|and\s+(?![\w-]+\s+(?:if|when|unless)\b))",
    re.IGNORECASE,
)
# Not "until" or "while", which belong to what the function does. "where" mostly introduces an
# assumption: "where n > 0".
CONDITION = (
    r"\b(?:if|when|whenever|unless|in\s+case|where(?=\s+\S+\s+is\s+(?:true|false|set|given)\b))\b"
)
_QUALIFIED = lazily(
    rf"{CONDITION}\s*(?P<said>.*)|\Aelse\b|\b(?:otherwise|(?:any|every)thing\s+(?:else|above|below|over"
    r"|under|beyond|outside|larger|smaller|greater|less))\b",
    re.IGNORECASE | re.DOTALL,
)
_LEADING = lazily(rf"\s*(?:\w+,?\s+)?{CONDITION}\s+(?P<said>[^,]*),", re.IGNORECASE)
_WORD = lazily(r"[A-Za-z_]\w*")
# "if already sorted", "if x is None"
_NOT_SPOKEN_OF = frozenset(("not", "already", "none"))
_NOTHING = lazily(r"(?!)")
NEGATIVE_TOO = lazily(r"\A(?:(?:or|and|but|while)\s+)?(?:an?\s+)?negative\b", re.IGNORECASE)


def is_qualified(
    docstring: str,
    span: tuple[int, int],
    names: Collection[str],
    parameters: Collection[str],
    opposite: Callable[[], re.Pattern[str]] = _NOTHING,
) -> bool:
    """Whether the statement at `span` about the parameters `names` is qualified.

    `opposite` matches clauses that contradict the statement.
    """
    start, end = span
    leading = _LEADING().match(sentence(text_before(docstring, start)))
    if leading is not None and _is_of_else(leading["said"], names, parameters):
        return True
    rest = _SENTENCE_END().split(docstring[end : end + AROUND], maxsplit=1)[0]
    same, *others = _CLAUSE_END().split(rest)
    clauses = [same, *filter(None, others)]
    for number, clause in enumerate(clauses[:2]):
        if opposite().search(clause):
            return True
        found = _QUALIFIED().search(clause)
        if found is None:
            continue
        if found["said"] is None:
            return True
        # "Given a positive n, if k is 0, return 1": the case belongs to what the function does.
        is_of_it = number == 0 or (found.start() == 0 and len(clauses) == 2)
        return is_of_it and _is_of_else(found["said"], names, parameters)
    return False


def _is_of_else(said: str, names: Collection[str], parameters: Collection[str]) -> bool:
    """Whether a condition is about something other than the named parameters.

    "if given" and "unless it is empty" are about them.
    """
    words = [word for word in _WORD().findall(said) if word.lower() not in _NOT_SPOKEN_OF]
    others = set(parameters) - set(names)
    if len(words) < 2:
        return not others.isdisjoint(words)
    own = {"there", *names, *SPOKEN_OF} - others
    return own.isdisjoint([*words, *map(str.lower, words)])
