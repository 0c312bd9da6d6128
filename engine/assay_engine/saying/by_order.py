"""Sentences of a model that was shown two outcomes as the first and the second, for readers who
were not: with whose they were in their place.

A first and a second there are of much else: shares, keys, calls. So only the subject of a clause is
taken for one of the two, with a verb for what programs do, and not for what becomes of an item: of
equal items "the first is kept", and it "comes first". What is not told apart by that is left as it
is.
"""

from __future__ import annotations

import re

_DOES = (
    "alter|answer|change|compute|contain|crash|drop|duplicate|empt|fail|give|ignore|include|lack|"
    "leave|lose|miscount|misread|misuse|modif|mutate|nest|omit|print|produce|raise|reorder|report|"
    "return|round|sort|swap|treat|truncate|use|violate|yield"
)
_DID = "did|found|gave|kept|left|lost|put|made"
# What is said of outcomes, and hardly of a value in them.
_IS = (
    r"(?:only |also |not |what |as )*(?:right|correct|wrong|incorrect|documented|promised|required|"
    r"permitted|allowed|asked|described|specified|stated)"
)
# What follows a verb, and neither "first changes" that are of something nor a "first sorted list".
_AFTER_DOES = r"(?!\s+(?:are|were|have|had|must|may|can|should|will|do|of|that|which)\b)"
_AFTER_DID = (
    r"(?=\W*$|\s*[,;:.!?)]|\s+[^\w\s]|\s+\d|\s+(?:None|True|False|an?|the|its|it|them|this|that|"
    r"these|those|none|nothing|no|only|all|every|each|both|one|another|instead|and|but|or|nor|while|"
    r"whereas|in|from|with|without|by|to|for|on|as|at)\b|\s+(?!(?:argument|call|character|element|"
    r"entry|item|key|letter|line|list|name|number|pair|part|text|value|word)s?\b)\w+[,;.])"
)
_JOINED = (
    r"(?:(?:and|or|but|while|whereas|though|although|because|since|so|that|which|where|when|what|as|"
    r"than|if)\s+)"
)
_NAMED = re.compile(
    rf"(?P<before>(?:(?:^|[,;:(]\s*){_JOINED}{{0,2}}|(?<=\S)\s+{_JOINED}{{1,2}})(?:only\s+)?)"
    r"(?P<named>the\s+(?P<which>first|second))(?P<noun>\s+(?:outcome|output))?"
    rf"(?P<verb>\s+(?:does\b|(?:is|was)(?=\s+{_IS}\b)|(?:{_DOES})i?(?:es|s)\b{_AFTER_DOES}"
    rf"|(?:(?:{_DOES})(?:[ip]?ed|d)|{_DID})\b{_AFTER_DID}))",
    re.IGNORECASE,
)
_OF_SEVERAL = {"is": "are", "was": "were", "does": "do"}
_OF_ONE = (("ies", "y"), ("shes", "sh"), ("s", ""))


def by_whom(sentence: str, *, own_is_first: bool) -> str:
    """The sentence with ``[this function]`` and ``[the candidates]`` where it speaks of the two."""

    def told(found: re.Match[str]) -> str:
        own = (found["which"].lower() == "first") is own_is_first
        who, whose = ("this function", "'s") if own else ("the candidates", "'")
        noun, verb = found["noun"] or "", found["verb"]
        if noun:
            who = f"{who}{whose}"
        elif not own and (several := _of_several(verb)) != verb:
            who, verb = f"{who}{several}", ""
        if found["named"][0].isupper():
            who = f"{who[0].upper()}{who[1:]}"
        return f"{found['before']}[{who}]{noun}{verb}"

    return _NAMED.sub(told, sentence)


def _of_several(verb: str) -> str:
    """`` return`` for `` returns``; a verb that has no other form as it is."""
    if verb.strip() in _OF_SEVERAL:
        return f" {_OF_SEVERAL[verb.strip()]}"
    return next((f"{verb[: -len(one)]}{more}" for one, more in _OF_ONE if verb.endswith(one)), verb)
