"""The results of a run of judges: a line per judge, sample and rerun."""

from __future__ import annotations

import msgspec

from assay_bench.judges.picking import Picked
from assay_bench.results import Setting
from assay_engine.methods.trails.values import Judgement, JudgeVote
from assay_engine.types import Ruling

JUDGEMENTS_FILE, PICKED_FILE = "judgements.jsonl", "picked.jsonl"


class JudgeQuestion(msgspec.Struct, frozen=True):
    """All that judgements depend on; files are given by digests of what they hold. Judges and
    reruns may be added."""

    tasks: str
    samples: str
    truth: str
    model: str
    pick: int
    candidates: int
    seed: int
    scenarios: int
    steps: int
    inputs_per_scenario: int
    disputed: int
    hoare_steps: int
    interpreter: str | None
    setting: Setting


class VoteRow(msgspec.Struct, frozen=True):
    question: str
    opinion: str | None
    reason: str


class PairRow(msgspec.Struct, frozen=True):
    """`input` and `output` as the judge was shown them. `scenario` is None for an input on which
    candidates disagree."""

    input: str
    output: str
    scenario: str | None
    opinion: str | None
    votes: tuple[VoteRow, ...]


class JudgedRow(msgspec.Struct, frozen=True):
    """One judge's run on one sample. `problem` is a reason why a reply is missing, or a failure of
    our own: another run may do better."""

    task_id: str
    sample: int
    right: bool
    judge: str
    rerun: int
    ruling: Ruling
    score: float | None
    requests: int
    tokens: int
    pairs: tuple[PairRow, ...]
    votes: tuple[VoteRow, ...]
    problem: str | None


def row_of(picked: Picked, judgement: Judgement, rerun: int) -> JudgedRow:
    return JudgedRow(
        task_id=picked.task_id,
        sample=picked.sample,
        right=picked.right,
        judge=judgement.judge,
        rerun=rerun,
        ruling=judgement.ruling,
        score=judgement.score,
        requests=judgement.usage.requests,
        tokens=judgement.usage.tokens,
        pairs=tuple(
            PairRow(pair.input, pair.output, pair.scenario, pair.opinion, _votes(pair.votes))
            for pair in judgement.pairs
        ),
        votes=_votes(judgement.votes),
        problem=" ".join(problem.message for problem in judgement.problems) or None,
    )


def failed_row(picked: Picked, judge: str, rerun: int, problem: str) -> JudgedRow:
    """The row for a judgement at which our own machinery failed."""
    return JudgedRow(
        picked.task_id,
        picked.sample,
        picked.right,
        judge,
        rerun,
        Ruling.ABSTAINED,
        score=None,
        requests=0,
        tokens=0,
        pairs=(),
        votes=(),
        problem=problem,
    )


def _votes(votes: tuple[JudgeVote, ...]) -> tuple[VoteRow, ...]:
    return tuple(VoteRow(vote.question, vote.opinion, vote.reason) for vote in votes)
