"""Problems into other problems, their solutions into witnesses: triangulation through a model."""

from assay_engine.transforming.attempts import Attempt, Refuted
from assay_engine.transforming.rewriting import REWRITING_VERSION
from assay_engine.transforming.samples import Forward
from assay_engine.transforming.solving import SOLUTION_VERSION
from assay_engine.transforming.survey import SURVEY_VERSION
from assay_engine.transforming.triangulating import Bounds, Triangulation, triangulate

# Names and versions of all prompts: part of what a thorough report rests on.
TRANSFORMING_PROMPTS = (
    ("survey", SURVEY_VERSION),
    ("rewriting", REWRITING_VERSION),
    ("solution", SOLUTION_VERSION),
)

__all__ = [
    "TRANSFORMING_PROMPTS",
    "Attempt",
    "Bounds",
    "Forward",
    "Refuted",
    "Triangulation",
    "triangulate",
]
