"""Triangulation through a model: transforms a problem and draws solutions as its witnesses."""

# The versions of the prompts, on which a thorough report depends.
SURVEY_VERSION = 1
REWRITING_VERSION = 1
SOLUTION_VERSION = 1
TRANSFORMING_PROMPTS = (
    ("survey", SURVEY_VERSION),
    ("rewriting", REWRITING_VERSION),
    ("solution", SOLUTION_VERSION),
)
