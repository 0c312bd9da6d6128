"""Shapes of lists and texts that a docstring promises of its arguments: "a sorted list xs"."""

from __future__ import annotations

from assay_engine.inputs.preconditions.phrases import (
    additions,
    adjectives,
    contents,
    contradicted,
    predicates,
)
from assay_engine.inputs.preconditions.shape import Shape
from assay_engine.inputs.preconditions.subjects import Parameters, Subjects


def stated_shapes(docstring: str, parameters: Parameters) -> tuple[Shape, ...]:
    """What a docstring states of lists and texts among its parameters, each once."""
    found: dict[Shape, None] = {}
    subjects = Subjects(docstring, parameters)
    for phrase in adjectives(docstring):
        found.update((phrase.shape(name), None) for name in subjects.before_noun(phrase))
    for phrase in additions(docstring):
        found.update((phrase.shape(name), None) for name in subjects.behind_noun(phrase))
    for phrase in predicates(docstring):
        found.update((phrase.shape(name), None) for name in subjects.under_duty(phrase))
    for phrase in contents(docstring):
        found.update((phrase.shape(name), None) for name in subjects.subject(phrase))
    return tuple(shape for shape in found if not contradicted(docstring, shape))
