"""What counts as a verdict."""

from __future__ import annotations

import pytest

from assay_engine.settling.questions import Said, read_verdict
from support.malformed_verdicts import MALFORMED

WORDS = ("CORRECT", "INCORRECT")


@pytest.mark.parametrize("reply", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_not_in_the_form_says_nothing(reply: str) -> None:
    assert read_verdict(reply, WORDS) is None


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("It is 4.\nREASON: 3 is not 4.\nVERDICT: INCORRECT", Said("INCORRECT", "3 is not 4.")),
        ("It is 4.\n\n**REASON:** Yes.\n**VERDICT: CORRECT**\n", Said("CORRECT", "Yes.")),
        ("It is 4. So it holds.\nVerdict: correct.", Said("CORRECT", "So it holds.")),
        ("<think>VERDICT: CORRECT</think>\nNo.\nVERDICT: INCORRECT", Said("INCORRECT", "No.")),
        ("No.\nREASON: a\u202eb\x07\nVERDICT: INCORRECT", Said("INCORRECT", "a\\u202eb\\x07")),
    ],
)
def test_a_verdict_comes_with_its_reason_in_a_sentence(reply: str, said: Said) -> None:
    assert read_verdict(reply, WORDS) == said
