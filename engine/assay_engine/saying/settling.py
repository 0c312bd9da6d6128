"""What the docstring says of a disputed call, as the model read it when it was asked."""

from __future__ import annotations

from collections.abc import Callable

from assay_engine.saying.phrases import VALUE_CHARACTERS
from assay_engine.types import Reading, Settling
from assay_engine.words import short

_READINGS = {
    Reading.OWN: "this function is right",
    Reading.THEIRS: "the candidates are right",
    Reading.BOTH: "both are right",
    Reading.NEITHER: "neither is right",
    Reading.OPEN: "it does not say",
    None: "no reply that can be read",
}


def settling_phrase(
    settling: Settling, set_as: Callable[[str], str], quote: Callable[[str], str]
) -> str:
    """The call, what was answered in both orders if it was asked in both, and the last reason."""
    said = dict.fromkeys(_READINGS[reading] for reading in settling.readings)
    call = set_as(short(settling.call, VALUE_CHARACTERS))
    reason = f": {quote(settling.reason)}" if settling.reason else ""
    return f"the docstring on {call}, as the model reads it: {', then '.join(said)}{reason}"
