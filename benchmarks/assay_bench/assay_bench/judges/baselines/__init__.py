"""The judges of other papers, to compare Assay's judge with. They run in benchmarks alone."""

from assay_bench.judges.baselines.codet import BY_ASSERTIONS, BY_OUTPUTS, judge_by_codet
from assay_bench.judges.baselines.hoare import judge_by_hoare
from assay_bench.judges.baselines.trails import judge_by_trails
from assay_bench.judges.baselines.zero_shot import judge_by_zero_shot

__all__ = [
    "BY_ASSERTIONS",
    "BY_OUTPUTS",
    "judge_by_codet",
    "judge_by_hoare",
    "judge_by_trails",
    "judge_by_zero_shot",
]
