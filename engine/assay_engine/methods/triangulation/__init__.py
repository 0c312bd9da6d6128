"""Triangulation through a model: transforms a problem and draws solutions as its witnesses."""

from assay_engine.methods.triangulation.attempts import Attempt, Refuted
from assay_engine.methods.triangulation.rewriting import REWRITING_VERSION
from assay_engine.methods.triangulation.samples import Forward
from assay_engine.methods.triangulation.solving import SOLUTION_VERSION
from assay_engine.methods.triangulation.survey import SURVEY_VERSION
from assay_engine.methods.triangulation.triangulating import Bounds, Triangulation, triangulate

# The names and versions of all prompts. A thorough report depends on them.
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
