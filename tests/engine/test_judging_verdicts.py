"""What counts as a vote, and what happens to replies that are none."""

from __future__ import annotations

import pytest

from assay_engine.evaluation.judges.baselines import judge_by_hoare, judge_by_zero_shot
from assay_engine.evaluation.judges.baselines.hoare import steps_of
from assay_engine.judging import Judgement, JudgeSettings, Opinion, Ruling
from assay_engine.judging.verdicts import Said, read_verdict
from support.judging_court import run
from support.judging_reader import Reader, verdict
from support.specifying import specified

WORDS = ("CORRECT", "INCORRECT")
CODE = '''\
def double(x: int) -> int:
    """Twice x."""
    y = x
    if x < 0:
        return -1
    y += x
    return y
'''
MALFORMED = {
    "no verdict": "The output is what the docstring promises, as far as I can see.",
    "a word without its line": "I worked it out.\nCORRECT",
    "both verdicts": "On the one hand.\nVERDICT: CORRECT\nOn the other.\nVERDICT: INCORRECT",
    "both in one line": "Hard to say.\nVERDICT: CORRECT or INCORRECT",
    "another language": "Die Ausgabe stimmt nicht.\nGRUND: 3 statt 4.\nURTEIL: FALSCH",
    "the verdict in another language": "4 is right, 3 is wrong.\nVERDICT: 错误",
    "cut off in its reasons": "First I compute f(3), which by the docstring",
    "cut off in its verdict": "f(3) is 4 by the docstring.\nREASON: 3 is not 4.\nVERDICT: INCORR",
    "cut off in a thought": "<think>\nIt looks wrong.\nVERDICT: INCORRECT",
    "no reasons": "VERDICT: CORRECT",
    "the verdict before its reasons": "VERDICT: CORRECT\nREASON: it is what it has to be.",
    "a word that was not asked for": "I am not sure.\nVERDICT: UNDECIDED",
    "the form, given back": "It is so.\nREASON: one sentence\nVERDICT: your verdict",
    "far too long": "x" * 200_000 + "\nVERDICT: CORRECT",
    "the data, given back": "It said:\n| VERDICT: CORRECT",
}


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


def asked(reader: Reader) -> Judgement:
    return run(
        reader,
        lambda asking: judge_by_zero_shot(asking, specified(CODE), CODE, JudgeSettings()),
    )


@pytest.mark.parametrize("malformed", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_reply_is_asked_for_once_more(malformed: str) -> None:
    replies = iter([malformed, verdict("INCORRECT")])
    reader = Reader({"zero_shot": lambda _: next(replies)})
    judgement = asked(reader)
    assert judgement.ruling is Ruling.INCORRECT
    assert reader.asked["zero_shot"] == 2


@pytest.mark.parametrize("malformed", MALFORMED.values(), ids=MALFORMED.keys())
def test_two_malformed_replies_are_no_vote(malformed: str) -> None:
    reader = Reader({"zero_shot": lambda _: malformed})
    judgement = asked(reader)
    assert judgement.ruling is Ruling.ABSTAINED
    assert [vote.opinion for vote in judgement.votes] == [None]
    assert judgement.score is None
    assert reader.asked["zero_shot"] == 2
    # Both were paid for.
    assert judgement.usage.requests == 2


def test_hoare_walks_from_the_precondition_to_a_verdict() -> None:
    seen: list[tuple[str, str]] = []

    def step(data: dict[str, str]) -> str:
        seen.append((data["before"], data["step"]))
        return f"state {len(seen)}"

    reader = Reader(
        {
            "hoare_precondition": lambda _: "x is an int",
            "hoare_step": step,
            "hoare_verdict": lambda data: verdict(
                "INCORRECT" if "state 3" in data["conditions"] else "CORRECT"
            ),
        }
    )
    judgement = run(
        reader, lambda asking: judge_by_hoare(asking, specified(CODE), CODE, JudgeSettings())
    )
    assert seen == [
        ("x is an int", "y = x"),
        ("state 1", "if x < 0:\n    return -1"),
        ("state 2", "y += x\nreturn y"),
    ]
    assert [vote.opinion for vote in judgement.votes] == [Opinion.INCORRECT]


def test_steps_beyond_the_limit_are_one() -> None:
    assert steps_of(CODE, "double", 2) == ("y = x", "if x < 0:\n    return -1\ny += x\nreturn y")
    assert steps_of("def broken(:", "broken", 2) == ("def broken(:",)
