"""What the docstring says of disputed calls, as the model read it when it was asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assay_engine.saying.phrases import LINE_CHARACTERS
from assay_engine.types import Reading, Report, Settling
from assay_engine.words import short

_READINGS = {
    Reading.OWN: "this function is right",
    Reading.THEIRS: "the candidates are right",
    Reading.BOTH: "both are right",
    Reading.NEITHER: "neither is right",
    Reading.OPEN: "it does not say",
    None: "no reply that can be read",
}
# The model was shown two outcomes by these words: alone or with a verb, and not "the first call".
_BY_ORDER = re.compile(
    r"\b(first|second)(?=$|\W*[^\w\s]|\W+(\w+(s|ed|ly)|output|outcome|result|function|program|one"
    r"|behaviou?r|answer|value|and|or|but|which|that|would|must|may|can|should|did)\b)",
    re.IGNORECASE,
)


def settling_phrases(
    report: Report, set_as: Callable[[str], str], quote: Callable[[str], str]
) -> Iterator[str]:
    """Of each call what was answered, in both orders if it was asked in both, and the last reason.

    The call is left out where there is one alone, and the finding shows it; so is that the
    candidates are right.
    """
    shown = next((each.witness for each in report.findings if each.witness is not None), None)
    for settling in report.settling:
        alone = len(report.settling) == 1 and shown is not None and shown.call == settling.call
        on = "" if alone else f" on {set_as(short(settling.call, LINE_CHARACTERS))}"
        said = list(dict.fromkeys(_READINGS[each] for each in settling.readings))
        because = _because(settling, quote)
        if because and settling.readings == (Reading.THEIRS,):
            # The finding says this.
            said = []
        told = ": ".join(filter(None, (", then ".join(said), because)))
        yield f"the docstring{on}, as the model reads it: {told}"


def _because(settling: Settling, quote: Callable[[str], str]) -> str:
    """The reason; if it tells the outcomes by their order, with what that was."""
    if not settling.reason:
        return ""
    text = quote(settling.reason)
    if not _BY_ORDER.search(settling.reason):
        return text
    # The function's own came first, and second when it was asked again.
    again = len(settling.readings) > 1 and settling.readings[1] is not None
    one, other = "this function", "the candidates"
    first, second = (other, one) if again else (one, other)
    return (
        f'{text} (the model saw as "the first" what {first} did, as "the second" what {second} did)'
    )
