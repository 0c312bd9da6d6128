"""Tells how the model read the docstring when it was asked about disputed calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assay_engine.saying.phrases import LINE_CHARACTERS
from assay_engine.syntax.shortening import shortened
from assay_engine.types import Reading, Report, Settling

_READINGS = {
    Reading.OWN: "this function is right",
    Reading.THEIRS: "the candidates are right",
    Reading.BOTH: "both are right",
    Reading.NEITHER: "neither is right",
    Reading.OPEN: "it does not say",
    None: "a reply that could not be read",
}
_NO_ANSWER = "no answer when asked again"
# Matches "the first returns" and "only the second.", but not "the second request". In case of
# doubt it matches, so that the reader is told whose outcome was the first or second.
_BY_ORDER = re.compile(
    r"\bthe (?:first|second)(?=[^\w\s]|$| (?:outcome|output|\w*(?:s|ed))\b)", re.IGNORECASE
)


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
                else f"the model could not be asked what the docstring says{on or ' of it'}, so "
                "this rests on the candidates alone"
            )
            continue
        said = list(dict.fromkeys(_reading(each, settling) for each in settling.readings))
        because = _because(settling, quote)
        if because and settling.readings == (Reading.THEIRS,):
            # The finding already says that the candidates are right.
            said = []
        told = ": ".join(filter(None, (", then ".join(said), because)))
        yield f"the docstring{on}, as the model reads it: {told}"


def _reading(reading: Reading | None, settling: Settling) -> str:
    return _NO_ANSWER if reading is None and not settling.is_answered else _READINGS[reading]


def _because(settling: Settling, quote: Callable[[str], str]) -> str:
    """The reason. If it may refer to the order, it is told whose outcome was first and second."""
    if not settling.reason or _BY_ORDER.search(settling.reason) is None:
        return quote(settling.reason) if settling.reason else ""
    # The function's own outcome was shown first, and second when the model was asked again.
    again = len(settling.readings) > 1 and settling.readings[1] is not None
    order = ["this function", "the candidates"][:: -1 if again else 1]
    return f"{quote(settling.reason)} (first: {order[0]}; second: {order[1]})"
