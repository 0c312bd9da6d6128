"""Problems into other problems, their solutions into witnesses: triangulation through a model."""

from assay_engine.transforming.attempts import Attempt, Refuted, Witnessed
from assay_engine.transforming.samples import Forward
from assay_engine.transforming.triangulating import Bounds, Triangulation, triangulate

__all__ = [
    "Attempt",
    "Bounds",
    "Forward",
    "Refuted",
    "Triangulation",
    "Witnessed",
    "triangulate",
]
