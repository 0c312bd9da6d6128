"""Other ways to select a sample, beside the consensus that Assay selects by."""

from assay_bench.selection.cascade import first_selected
from assay_bench.selection.metrics import AbstentionCounts, abstention_metrics
from assay_bench.selection.voting import majority, max_test, plurality

__all__ = [
    "AbstentionCounts",
    "abstention_metrics",
    "first_selected",
    "majority",
    "max_test",
    "plurality",
]
