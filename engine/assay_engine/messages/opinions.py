"""What a report tells of those who were asked besides the candidates, in sentences.

These are the model that read the docstring, the judge, and the solutions of transformed problems.
Text that a model wrote is quoted on one line and bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assay_engine.messages.phrases import LINE_CHARACTERS
from assay_engine.syntax.shortening import shortened
from assay_engine.types import Judged, Opinion, Reading, Report, Ruling, Settling, Triangulated
from assay_engine.words import count, share, short

REASON_CHARACTERS = 160

_RULINGS = {
    Ruling.CORRECT: "does not object",
    Ruling.INCORRECT: "objects",
    Ruling.ABSTAINED: "abstains",
}
_READINGS = {
    Reading.OWN: "this function is right",
    Reading.THEIRS: "the candidates are right",
    Reading.BOTH: "both are right",
    Reading.NEITHER: "neither is right",
    Reading.OPEN: "it does not say",
}
# Matches "the first returns" and "only the second.", but not "the second request". In case of
# doubt it matches, so that the reader is told whose outcome was the first or second.
_BY_ORDER = re.compile(
    r"\bthe (?:first|second)(?=[^\w\s]|$| (?:outcome|output|\w*(?:s|ed))\b)", re.IGNORECASE
)


def judged_line(judged: Judged) -> str:
    """Score, threshold and votes in one sentence."""
    if judged.score is None:
        return "the judge reached no decision"
    decided = [pair for pair in judged.pairs if pair.opinion is not None]
    correct = sum(pair.opinion is Opinion.CORRECT for pair in decided)
    votes = sum(len(pair.votes) for pair in judged.pairs)
    verb = "conforms" if correct == 1 else "conform"
    return (
        f"the judge {_RULINGS[judged.ruling]}: {share(correct, len(decided), 'output')} {verb} "
        f"(score {judged.score:.2f}, threshold {judged.threshold:.2f}, {count(votes, 'vote')})"
    )


def quoted(reason: str) -> str:
    """A model's sentence on one line, in quotation marks that it cannot close."""
    text = short(" ".join(reason.split()).replace('"', "'"), REASON_CHARACTERS)
    return f'"{text}"' if text else ""


def triangulation_lines(found: Triangulated, *, at_length: bool) -> Iterator[str]:
    """What triangulation found, in sentences; `at_length` adds the name of the scheme."""
    tokens = f"{found.usage.tokens:,} tokens"
    if found.scheme is None:
        drawn = count(found.drawn, "solution")
        yield f"no agreement, so it adds nothing ({drawn} of transformed problems, {tokens})"
        return
    whom = f"{count(found.confirmed, 'candidate')}"
    if found.confirms_original:
        whom = f"this function and {whom}"
    scheme = f"{found.scheme}: " if at_length else ""
    yield (
        f"{scheme}{found.agreeing} of {found.drawn} solutions of transformed problems confirm "
        f"{whom} ({tokens})"
    )
    if found.inputs:
        yield f"they agree on {', '.join(found.inputs)}"
    for each in found.refuted:
        who = "this function" if each.is_original else count(each.weight, "candidate")
        where = f"where {each.confirmed} is confirmed"
        yield f"refuted on {each.call}: {each.returned} of {who}, {where}"


def settling_phrases(
    report: Report, set_as: Callable[[str], str], quote: Callable[[str], str]
) -> Iterator[str]:
    """For each call, the answers (in both orders, if it was asked in both) and the last reason.

    The call itself is left out if it is the only one and the finding shows it. The words "the
    candidates are right" are left out if a reason follows, since the finding says this.
    """
    shown = next((each.witness for each in report.findings if each.witness is not None), None)
    for settling in report.settling:
        alone = len(report.settling) == 1 and shown is not None and shown.call == settling.call
        on = "" if alone else f" on {set_as(shortened(settling.call, LINE_CHARACTERS))}"
        if settling.readings == (None,):
            yield (
                f"the model was asked what the docstring says{on}; its reply could not be read"
                if settling.is_answered
                else f"the model could not be asked what the docstring says{on or ' of it'}"
            )
            continue
        unread = "a reply that could not be read"
        if not settling.is_answered:
            unread = "no answer when asked again"
        said = list(
            dict.fromkeys(_READINGS[each] if each else unread for each in settling.readings)
        )
        because = _because(settling, quote)
        if because and set(settling.readings) == {Reading.THEIRS}:
            # The finding already says that the candidates are right.
            said = []
        told = ": ".join(filter(None, (", then ".join(dict.fromkeys(said)), because)))
        yield f"the docstring{on}, as the model reads it: {told}"


def _because(settling: Settling, quote: Callable[[str], str]) -> str:
    """The reason. If it may refer to the order, it is told whose outcome was first and second."""
    if not settling.reason or _BY_ORDER.search(settling.reason) is None:
        return quote(settling.reason) if settling.reason else ""
    order = ["this function", "the candidates"][:: 1 if settling.own_first else -1]
    return f"{quote(settling.reason)} (first: {order[0]}; second: {order[1]})"
