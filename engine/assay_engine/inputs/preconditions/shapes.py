"""Shapes of lists and texts that a docstring promises of its arguments: "a sorted list xs"."""

from __future__ import annotations

from assay_engine.inputs.preconditions.phrases import (
    additions,
    adjectives,
    contents,
    contradicted,
    predicates,
)
from assay_engine.inputs.preconditions.qualified import is_qualified
from assay_engine.inputs.preconditions.shape import Shape
from assay_engine.inputs.preconditions.subjects import Parameters, Subjects


def stated_shapes(docstring: str, parameters: Parameters) -> tuple[Shape, ...]:
    """The shapes that a docstring states of lists and texts among its parameters, each once."""
    found: dict[Shape, None] = {}
    subjects = Subjects(docstring, parameters)
    spoken_of = (
        (adjectives, subjects.before_noun),
        (additions, subjects.behind_noun),
        (predicates, subjects.under_duty),
        (contents, subjects.subject),
    )
    for phrases, whose in spoken_of:
        for phrase in phrases(docstring):
            names = whose(phrase)
            if not is_qualified(docstring, phrase.span, names, parameters.names):
                found.update((phrase.shape(name), None) for name in names)
    return tuple(shape for shape in found if not contradicted(docstring, shape))
