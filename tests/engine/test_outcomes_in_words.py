"""What two programs did, in words that tell the one from the other."""

from __future__ import annotations

from assay_engine.compare.executor import Executor
from assay_engine.types import Status
from assay_engine.words import set_apart
from assay_sandbox import Raised, Returned, encode
from support.saying import outcome_text
from support.trials import put_on_trial, scripted

COMPOSED, DECOMPOSED = "\u00e9", "e\u0301"
COMPOSES = '''
import unicodedata


def nfc(text: str) -> str:
    """The text in Unicode's normal form C."""
    return unicodedata.normalize("NFD", text)
'''
COMPLAINS = '''
def complain(problems: list[str]) -> int:
    """Print each of the problems on a line, and return how many there are."""
    for each in problems:
        print(each)
    return len(problems)
'''


async def test_texts_that_look_the_same_are_told_apart(executor: Executor) -> None:
    right = COMPOSES.replace("NFD", "NFC")
    proposed = [f'nfc("{DECOMPOSED}")', f'nfc("{COMPOSED}")', 'nfc("")', 'nfc("a")']
    report = await put_on_trial(executor, COMPOSES, "nfc", scripted([right], proposed))
    assert report.verdict.status is Status.SUSPECT
    message = report.findings[0].message
    assert message.startswith((r"nfc('e\u0301'): ", "nfc('é'): "))
    assert message.endswith(r"return '\xe9', this returns 'e\u0301'")
    for told in report.clarifications:
        assert DECOMPOSED not in told.example


def test_what_looks_the_same_within_long_texts_is_told_apart() -> None:
    one, other = (Returned(encode(["x" * 300, each])) for each in (COMPOSED, DECOMPOSED))
    assert r"\xe9" in outcome_text(one, other, 60)
    assert r"e\u0301" in outcome_text(other, one, 60)
    assert set_apart(COMPOSED, DECOMPOSED, 60) == r"\xe9"
    printed = [Returned(encode(None), stdout=each) for each in (COMPOSED, DECOMPOSED)]
    assert outcome_text(printed[0], printed[1]) == r"prints '\xe9'"
    assert outcome_text(printed[0], printed[0]) == "returns None"
    # A mark that chooses among pictures of a sign.
    assert set_apart("\u2764\ufe0f", "\u2764", 60) == r"\u2764\ufe0f"
    # Letters that can be told apart stay as they are.
    assert set_apart("é", "è", 60) == "é"


async def test_who_prints_nothing_where_others_print_is_said_to(executor: Executor) -> None:
    silent = COMPLAINS.replace("    for each in problems:\n        print(each)\n", "")
    proposed = ['complain(["a", "b"])', "complain([])", 'complain(["c"])']
    model = scripted([silent], proposed)
    report = await put_on_trial(executor, COMPLAINS, "complain", model)
    assert "candidates print nothing, this prints 'c\\n'" in report.findings[0].message
    model = scripted([COMPLAINS], proposed)
    report = await put_on_trial(executor, silent, "complain", model)
    assert "candidates print 'c\\n', this prints nothing" in report.findings[0].message


def test_silence_is_told_of_nothing_else() -> None:
    raised = [Raised("ValueError", "", stdout=said) for said in ("", "a")]
    assert outcome_text(*raised) == "prints nothing and raises ValueError"
    # What they return says enough.
    returned = [Returned(encode(n), stdout=said) for n, said in ((1, ""), (2, "a"))]
    assert outcome_text(*returned) == "returns 1"
    assert outcome_text(Returned(encode(1))) == "returns 1"
