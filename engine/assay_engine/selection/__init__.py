"""Consensus: decides which of the samples to trust, if any."""

from assay_engine.selection.cascade import first_selected
from assay_engine.selection.codet import codet, max_test
from assay_engine.selection.discrimination import discriminating
from assay_engine.selection.majority import majority
from assay_engine.selection.metrics import AbstentionCounts, abstention_metrics
from assay_engine.selection.plurality import behaviour_classes, plurality
from assay_engine.selection.ransac import Block, Consensus, ransac

__all__ = [
    "AbstentionCounts",
    "Block",
    "Consensus",
    "abstention_metrics",
    "behaviour_classes",
    "codet",
    "discriminating",
    "first_selected",
    "majority",
    "max_test",
    "plurality",
    "ransac",
]
