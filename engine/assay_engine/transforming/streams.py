"""Checks on the samples the model's claim that a function maps a list element by element.

Paper, section 5.2 (STREAM): the second clause, ``p([i1, …, in]) = [p°(i1), …, p°(in)]``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay_engine.transforming.samples import Observed
from assay_engine.transforming.survey import Survey
from assay_engine.triangulation import Memo, Points, Rounds, Scheme, Subject, agreements
from assay_engine.triangulation.memo import encoded_arguments
from assay_engine.triangulation.schemes import stream
from assay_engine.triangulation.values import Arguments, Function, Term

# Samples that get the map wrong do not count against the claim, unless fewer than this share map.
MAPPING_SHARE = 1 / 3

_MAP = stream(Scheme("MAP", ()))


def maps_elements(survey: Survey, seen: Observed, types: Sequence[str], memo: Memo) -> Rounds[bool]:
    """Whether the model makes the claim and samples with a third of the weight bear it out."""
    is_list = all(len(each) == 1 and isinstance(each[0], list) for each in seen.inputs)
    if not survey.elementwise or not is_list or tuple(types) != ("list",):
        return False
    subjects = [Subject((each.program,)) for each in seen.forwards]
    found = yield from agreements(_MAP, subjects, subjects[:1], Points(seen.inputs), memo)
    mapping = sum(w for w, each in zip(seen.weights, found, strict=True) if each)
    return mapping >= MAPPING_SHARE * sum(seen.weights)


def on_elements(
    inputs: Sequence[Arguments],
) -> tuple[tuple[Arguments, ...], Callable[[Function], Function]]:
    """The elements of all sequences as inputs, and an adapter of programs to a single element.

    An adapted program returns a list of one result. Two such lists differ where the results do.
    """
    single = ((each,) for (sequence,) in inputs for each in list(sequence))
    unique = {encoded_arguments(each): each for each in single}

    def on_one(program: Function) -> Function:
        def single(element: Term) -> Term:
            return program([element])

        return single

    return tuple(unique.values()), on_one
