"""Judges of one function: by pairs of input and output, as TRAILS does, or by reading its code."""

from assay_engine.judging.asking import Asking
from assay_engine.judging.codet import BY_ASSERTIONS, BY_OUTPUTS, judge_by_codet
from assay_engine.judging.hoare import judge_by_hoare
from assay_engine.judging.settling import Settled, settle
from assay_engine.judging.trails import judge_by_trails
from assay_engine.judging.values import (
    Judgement,
    JudgeSettings,
    JudgeVote,
    Jury,
    Opinion,
    Question,
    Ruling,
)
from assay_engine.judging.weighing import judge_by_assay
from assay_engine.judging.zero_shot import judge_by_zero_shot

__all__ = [
    "BY_ASSERTIONS",
    "BY_OUTPUTS",
    "Asking",
    "JudgeSettings",
    "JudgeVote",
    "Judgement",
    "Jury",
    "Opinion",
    "Question",
    "Ruling",
    "Settled",
    "judge_by_assay",
    "judge_by_codet",
    "judge_by_hoare",
    "judge_by_trails",
    "judge_by_zero_shot",
    "settle",
]
