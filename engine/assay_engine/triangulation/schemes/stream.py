"""STREAM: makes a scheme for single elements into one for sequences that are mapped element-wise.

Paper, proposition 5.12, with ``p° ≜ i ↦ head(p([i]))``::

    ψ ≜ φ(p°, q) ∧ ∀ [i1, …, in] ∈ Seq[I]. tolerate(p([i1, …, in])) = [p°(i1), …, p°(in)]

The points of φ are the elements of all sequences. The second clause speaks of `p` and its own `p°`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from msgspec.structs import replace

from assay_engine.triangulation.cascade import Cascade
from assay_engine.triangulation.decompositions import Decomposition
from assay_engine.triangulation.memo import encoded_arguments
from assay_engine.triangulation.operators import equal, sequence, tolerate
from assay_engine.triangulation.properties import (
    About,
    Clause,
    Interpretation,
    Points,
    Scheme,
    transformed,
)
from assay_engine.triangulation.values import (
    DEMONIC,
    Arguments,
    Function,
    Judgement,
    Special,
    Term,
    Unknown,
    strongest,
)
from assay_sandbox import Value


def stream(scheme: Scheme, *, element: Decomposition | None = None) -> Scheme:
    """The scheme over sequences.

    `element`: how the programs for single elements take an element apart, if they do.
    """

    def pointwise(interpretation: Interpretation) -> Interpretation:
        return replace(
            interpretation,
            p=_head_of(interpretation.p, element),
            patient_p=_head_of(interpretation.patient_p, element),
            points=elements(interpretation.points, element),
        )

    on_elements = transformed(scheme, pointwise)
    return replace(
        on_elements,
        name=f"STREAM({scheme.name})",
        clauses=(*on_elements.clauses, Clause(_mapped, About.LEFT)),
    )


def stream_cascade(cascade: Cascade, *, element: Decomposition | None = None) -> Cascade:
    """The cascade over sequences: enumerators and witnesses are for single elements already."""

    def elementwise(interpretation: Interpretation) -> Interpretation:
        return replace(interpretation, points=elements(interpretation.points, element))

    return Cascade(
        transformed(cascade.confirming, elementwise),
        stream(cascade.selecting, element=element),
    )


def elements(points: Points, element: Decomposition | None) -> Points:
    """All distinct elements of all sequences. ValueError if an element cannot be taken apart."""
    single = ((each,) for (sequence,) in points.inputs for each in sequence)
    inputs: list[Arguments] = [element.split(each) if element else each for each in single]
    return replace(points, inputs=tuple({encoded_arguments(i): i for i in inputs}.values()))


def _mapped(interpretation: Interpretation) -> Judgement:
    p = interpretation.p
    p0 = _head_of(p, None)

    def body(whole: Sequence[Value]) -> Judgement:
        return equal(tolerate(p(whole)), sequence(map(p0, whole)))

    return interpretation.for_inputs(body)


def _head_of(p: Function, element: Decomposition | None) -> Function:
    """``p°`` as a function of one element, or of the element's parts."""

    def head(each: Term) -> Term:
        special = strongest((each,))
        return _first(p([each])) if special is None else special

    return element.adapt(head) if element else head


def _first(outputs: Term) -> Term:
    if isinstance(outputs, Special | Unknown):
        return outputs
    if not isinstance(outputs, list) or not outputs:
        return DEMONIC
    return cast("list[Value]", outputs)[0]
