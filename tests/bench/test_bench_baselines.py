"""The judges of other papers that read the code, and what happens to replies that are no vote."""

from __future__ import annotations

import pytest

from assay_bench.judges.baselines import judge_by_hoare, judge_by_zero_shot
from assay_bench.judges.baselines.hoare import steps_of
from assay_engine.methods.trails.values import Judgement, JudgeSettings
from assay_engine.types import Opinion, Ruling
from support.judging_court import run
from support.judging_reader import Reader, verdict
from support.malformed_verdicts import MALFORMED
from support.specifying import specified

CODE = '''\
def double(x: int) -> int:
    """Twice x."""
    y = x
    if x < 0:
        return -1
    y += x
    return y
'''


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
