"""What the docstring says of disputed calls, as the model read it when it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assay_engine.saying.by_order import by_whom
from assay_engine.saying.phrases import LINE_CHARACTERS
from assay_engine.syntax.shortening import shortened
from assay_engine.types import Reading, Report, Settling

_READINGS = {
    Reading.OWN: "this function is right",
    Reading.THEIRS: "the candidates are right",
    Reading.BOTH: "both are right",
    Reading.NEITHER: "neither is right",
    Reading.OPEN: "it does not say",
    None: "no reply that can be read",
}


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
        on = "" if alone else f" on {set_as(shortened(settling.call, LINE_CHARACTERS))}"
        said = list(dict.fromkeys(_READINGS[each] for each in settling.readings))
        because = _because(settling, quote)
        if because and settling.readings == (Reading.THEIRS,):
            # The finding says this.
            said = []
        told = ": ".join(filter(None, (", then ".join(said), because)))
        yield f"the docstring{on}, as the model reads it: {told}"


def _because(settling: Settling, quote: Callable[[str], str]) -> str:
    """The reason; outcomes that it tells by their order are told by whose they are."""
    if not settling.reason:
        return ""
    # Where functions are given, those are the first and the second that raise and return.
    if settling.call.count("lambda") > 1:
        return quote(settling.reason)
    # The function's own came first, and second when it was asked again.
    again = len(settling.readings) > 1 and settling.readings[1] is not None
    return quote(by_whom(settling.reason, own_is_first=not again))
