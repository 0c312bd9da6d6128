"""What the docstring says of disputed calls, as the model read it when it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assay_engine.saying.phrases import VALUE_CHARACTERS
from assay_engine.types import Reading, Report
from assay_engine.words import short

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

    The call is named unless a finding shows it. Nothing is said where no reply could be read.
    """
    told = {finding.witness.call for finding in report.findings if finding.witness is not None}
    for settling in report.settling:
        if not any(settling.readings):
            continue
        said = ", then ".join(dict.fromkeys(_READINGS[each] for each in settling.readings))
        on = (
            "" if settling.call in told else f" on {set_as(short(settling.call, VALUE_CHARACTERS))}"
        )
        reason = f": {quote(settling.reason)}" if settling.reason else ""
        yield f"the docstring{on}, as the model reads it: {said}{reason}"
