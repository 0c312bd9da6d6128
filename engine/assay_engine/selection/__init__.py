"""Consensus: decides which of the samples to trust, if any."""

from assay_engine.selection.behaviours import behaviour_classes
from assay_engine.selection.discrimination import discriminating
from assay_engine.selection.ransac import Block, Consensus, ransac

__all__ = ["Block", "Consensus", "behaviour_classes", "discriminating", "ransac"]
