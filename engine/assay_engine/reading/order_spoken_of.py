"""Tells whether a docstring speaks of an order.

If it does, the order of a dict's items is part of the promise. Python's dicts keep their items in
order, but their ``==`` ignores it. Most functions that return a dict promise no order: where no
order is spoken of, it merely follows from how a program gets there. The list of words is short and
English only, because one word too many would have functions accused of what nobody promised. The
word "order" alone is not on the list: shops have orders, too.
"""

from __future__ import annotations

import re

from assay_engine.reading.sentences import DENIAL, SENTENCE_END

# The first or last in an order ("the cheapest", "least common"). Not all words in -est are such.
_MOST = (
    r"(?:the\ )?(?:(?:most|least)\ [\w-]+|best|worst"
    r"|(?!(?:digest|forest|guest|harvest|interest|request|suggest|test)\b)\w{2,}est)"
)
_SPOKEN_OF = re.compile(
    rf"""\b(?:
      sorted(?!\ (?!(?:by|from|in|on|with|so|and|or|to|according|alphabetically|numerically|as
        |descending|ascending|dict|dictionary|mapping|items|keys|entries)\b)\w)
    | sorting | sorts?\ (?:the|a|an|its|their|items|keys|entries|by|them|it)\b(?!\ key)
    | ascending | descending | ranked | by\ (?:in|de)creasing
    | alphabetical(?:ly)? | chronological(?:ly)? | lexicographic(?:al|ally)?
    | ordered\ (?:by|from|as|like|dict(?:ionary)?|mapping) | OrderedDict
    | in\ order(?!\ (?:to|that)\b)
    | in\ (?:(?:the|a|their|its)\ )?
      (?!(?:the|a|an|another|any|arbitrary|customer|different|each|every|no|one|particular|purchase
        |random|single|some|undefined|unspecified|whatever)\b)[\w-]+\ order
    | (?:in|by)\ the\ order\ (?:of|in\ which|that|they|it|given|listed|seen|written)
    | (?:keep(?:s|ing)?|kept|preserv(?:es?|ed|ing)|retain(?:s|ed|ing)?|maintain(?:s|ed|ing)?)
      \ (?:(?:the|their|its)\ )?(?:[\w-]+\ )?order
    | order\ (?:is|are)\ (?:kept|preserved|retained|maintained)
    | first\ to\ (?:the\ )?last | last\ to\ (?:the\ )?first
    | low\ to\ high | high\ to\ low | a\ to\ z
    | {_MOST}\ (?:[\w-]+\ ){{0,2}}to\ {_MOST}
    | {_MOST}\ (?:[\w-]+\ )?(?:comes?\ |being\ )?first
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
# Stands right before a word for an order and denies it: "need not be sorted".
_DENIED = re.compile(rf"{DENIAL} (?:(?:be|come|necessarily|in) ){{0,2}}\Z", re.IGNORECASE)
_NEAR = 40
# In a sentence with one of these, the order may be another one: that of what is in the values, that
# of what is given, or none at all.
_OF_ELSE = re.compile(
    r"\b(?:lists?|tuples?|letters|characters|input|inputs|arguments?|must|assum\w+|unspecified"
    r"|undefined|arbitrary|special|particular|rely|ignored|purchase|in order for|any order"
    r"|values are|not guaranteed)\b",
    re.IGNORECASE,
)
# Text before a colon is often about something else than the text after it: "Returns the counts.
# Input: a sorted list".
_SENTENCE_END = re.compile(rf"{SENTENCE_END}|(?<=:)\s+")
# An example that sorts the result before showing it implies that the function does not sort.
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.).*$", re.MULTILINE)


def speaks_of_order(docstring: str) -> bool:
    """Whether the prose of a docstring has a word for an order and does not deny it.

    The order has to be one in which the items of the result may stand.
    """
    prose = " ".join(_PROMPT.sub(" ", docstring).split())
    return any(map(_speaks_of_it, _SENTENCE_END.split(prose)))


def _speaks_of_it(sentence: str) -> bool:
    if _OF_ELSE.search(sentence):
        return False
    return any(
        not _DENIED.search(sentence[max(0, found.start() - _NEAR) : found.start()])
        for found in _SPOKEN_OF.finditer(sentence)
    )
