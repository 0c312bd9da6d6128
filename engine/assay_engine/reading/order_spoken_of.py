"""Whether a docstring speaks of an order: then that of a dict's items is part of what it promises.

Python's dicts keep their items in order, and their ``==`` does not look at it. Most functions that
return one promise none: where no order is spoken of, it is how a program gets there. The list is
short and English only, because a word too many has functions accused of what nobody promised. The
word "order" alone is not in it: shops have orders, too.
"""

from __future__ import annotations

import re

from assay_engine.reading.sentences import DENIAL, SENTENCE_END

# What an order begins or ends with ("the cheapest", "least common"); not all words in -est do.
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
# What stands right before a word that denies it: "need not be sorted".
_DENIED = re.compile(rf"{DENIAL} (?:(?:be|come|necessarily|in) ){{0,2}}\Z", re.IGNORECASE)
_NEAR = 40
# What an order may be of, where a sentence speaks of it, too: of what is in the values, of what is
# given, of none.
_OF_ELSE = re.compile(
    r"\b(?:lists?|tuples?|letters|characters|input|inputs|arguments?|must|assum\w+|unspecified"
    r"|undefined|arbitrary|special|particular|rely|ignored|purchase|in order for|any order"
    r"|values are|not guaranteed)\b",
    re.IGNORECASE,
)
# What stands before a colon is often of something else: "Returns the counts. Input: a sorted list".
_SENTENCE_END = re.compile(rf"{SENTENCE_END}|(?<=:)\s+")
# An example that sorts what it shows says that the function does not.
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.).*$", re.MULTILINE)


def speaks_of_order(docstring: str) -> bool:
    """Whether its prose has a word for an order in which items of what is returned may stand, and
    does not deny it."""
    prose = " ".join(_PROMPT.sub(" ", docstring).split())
    return any(map(_speaks_of_it, _SENTENCE_END.split(prose)))


def _speaks_of_it(sentence: str) -> bool:
    if _OF_ELSE.search(sentence):
        return False
    return any(
        not _DENIED.search(sentence[max(0, found.start() - _NEAR) : found.start()])
        for found in _SPOKEN_OF.finditer(sentence)
    )
