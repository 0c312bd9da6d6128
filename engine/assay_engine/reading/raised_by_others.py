"""Tells whether a sentence says that something other than the function raises an exception.

That may be a thing the sentence speaks of ("functions that raise OSError are skipped"), the subject
of a condition ("if fn raises KeyError, the default is returned"), or something that is handed in
("handlers may raise").
"""

from __future__ import annotations

import re

from assay_engine.reading.sentences import CASE

_BETWEEN = (
    r"(?:(?:also|ever|itself|themselves|only|just|still|always|never|may|might|can|could|must"
    r"|should|will|would|does|do)\s+){0,3}"
)
# Not "if it is negative, that raises", "so that it raises".
_THAT = re.compile(
    rf"(?P<head>[^\s,;:(]+)\s+(?:(?:that|which|who)\s+{_BETWEEN}"
    rf"|whose\s+(?:[^\s,;:]+\s+){{1,3}}?{_BETWEEN})\Z",
    re.IGNORECASE,
)
_NO_HEAD = frozenset(["and", "but", "or", "then", "so", "such", "note", "except", "if", "when"])
# What a decorator makes is tried along with the decorator, and is nobody else.
_MADE = re.compile(
    r"\b(?:returns?|makes?|creates?|builds?|gives?|produces?|in|into)\s+an?\s+"
    r"(?:(?!of\b)[\w-]+\s+){1,3}(?:that|which)\s+\S*\s*\Z",
    re.IGNORECASE,
)
# A docstring may begin by saying what the function is: "A validator that raises ValueError".
_ITSELF = re.compile(
    r"\s*(?:an?\s+(?:[\w-]+\s+){1,3}|(?:function|method|decorator|wrapper|helper)\s+)"
    r"(?:that|which)\s+(?:\w+\s+)?",
    re.IGNORECASE,
)
# "A wrapper of int that raises ValueError if": where the cases are told, the function raises.
_TELLS_WHEN = re.compile(r"\s*(?:an?\s+)?\S+\s+(?:if|when|unless)\b", re.IGNORECASE)
# After the exception, the sentence tells what becomes of the thing that raises it.
_BECOMES = re.compile(
    r"\s*(?:an?\s+)?\S+(?:\s+or\s+\S+)?(?:\s+\([^)\n]*\))?\s+(?:is|are|was|were|will|gets?|counts?)\b",
    re.IGNORECASE,
)
_CASE = re.compile(
    rf"{CASE}\s+(?P<who>(?:[^\s,;:]+\s+){{1,5}}?){_BETWEEN}\Z",
    re.IGNORECASE,
)
# With one of these, the words after "if" have a verb of their own, or need none: "if x is 0
# raises", "if empty". Then the verb that raises is not theirs.
_NOBODY = re.compile(
    r"(?:\b(?:is|are|was|were|has|have|had|does|do|not|cannot|fails?|exists?|exceeds?|contains?"
    r"|equals?|and|or|but|else|otherwise|then)\b|n['’]t\b|[<>=]"
    r"|\b(?:missing|empty|absent|invalid|negative|unknown|zero|none|so|found|full|true|false"
    r"|wrong|possible|necessary|\w+ed)\s+\Z)",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    rf"\b(?:(?:an?|the|each|every|any)\s+callback|callbacks|callables|functions|handlers|hooks|tasks|workers|listeners|predicates"
    rf"|validators|plug-?ins|subclasses|callers|jobs|coroutines)\s+{_BETWEEN}\Z",
    re.IGNORECASE,
)
# "Unlike d[k], which raises", "as open() raises", not "as it raises", "as of 3.2 raises".
_COMPARED = re.compile(
    r"(?:\b(?:unlike|in\s+contrast\s+to|contrary\s+to|as\s+opposed\s+to|compared\s+to"
    rf"|differs\s+from)\s[^;]*?\b(?:which|that|who)\s+{_BETWEEN}"
    r"|\b(?:as|since|because|whereas|though|although)\s+"
    r"(?:`[^`]+`|[^\s,]+\([^\s,]*\)`*|(?!v?\d)\w+\.\w+|(?:the|other|most|all)\s+\S+(?:\s+\S+)?)"
    rf"\s+{_BETWEEN})\Z",
    re.IGNORECASE,
)


def raised_by_others(before: str, after: str, *, starts: bool) -> bool:
    """Whether the verb between two parts of a sentence is said of somebody else.

    `starts` tells whether the docstring starts with the first part.
    """
    if _GIVEN.search(before) is not None or _COMPARED.search(before) is not None:
        return True
    if _is_relative(before, after, starts=starts):
        return True
    case = _CASE.search(before)
    if case is None or _NOBODY.search(case["who"]) is not None:
        return False
    # "If the key raises KeyError" alone is no sentence. Only if the sentence has another part is
    # its condition about somebody else who raises.
    return bool(before[: case.start()].strip()) or "," in after


def _is_relative(before: str, after: str, *, starts: bool) -> bool:
    said = _THAT.search(before)
    if said is None or said["head"].lower() in _NO_HEAD or _MADE.search(before) is not None:
        return False
    itself = _TELLS_WHEN.match(after) or (starts and _ITSELF.fullmatch(before))
    return not itself or _BECOMES.match(after) is not None
