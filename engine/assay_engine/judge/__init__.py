"""Judges a function by pairs of input and output, as in TRAILS, and never by its code."""

from assay_engine.judge.assay_judge import judge_by_assay
from assay_engine.judge.settling import Settled, settle
from assay_engine.judge.values import (
    Judgement,
    JudgeSettings,
    JudgeVote,
    Jury,
    Opinion,
    Question,
    Ruling,
)

__all__ = [
    "JudgeSettings",
    "JudgeVote",
    "Judgement",
    "Jury",
    "Opinion",
    "Question",
    "Ruling",
    "Settled",
    "judge_by_assay",
    "settle",
]
