"""STREAM: makes a scheme for single elements into one for sequences that are mapped element-wise.

Paper, proposition 5.12, with ``p° ≜ i ↦ head(p([i]))``::

    ψ ≜ φ(p°, q) ∧ ∀ [i1, …, in] ∈ Seq[I]. tolerate(p([i1, …, in])) = [p°(i1), …, p°(in)]

The points of φ are the elements of all sequences. The second clause speaks of `p` and its own `p°`.

Two stages: witnesses confirm enumerators, and these select among the programs.

Paper, section 5.1. The second stage alone would trust over-permissive enumerators.

Composes a witness for a problem with a union as result, from one witness for each disjunct.

Paper, section 5.2: the problem is inverted for each disjunct, and the samples are composed. The
disjunct of an output is told by the output's type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.methods.triangulation.formulas.decompositions import Decomposition
from assay_engine.methods.triangulation.formulas.evaluate import (
    Agreement,
    Rounds,
    Subject,
    agreements,
)
from assay_engine.methods.triangulation.formulas.operators import equal, sequence, tolerate
from assay_engine.methods.triangulation.formulas.outcomes import Memo, encoded_arguments
from assay_engine.methods.triangulation.formulas.properties import (
    About,
    Clause,
    Interpretation,
    Points,
    Scheme,
    transformed,
)
from assay_engine.methods.triangulation.formulas.values import (
    DEMONIC,
    Arguments,
    Function,
    Judgement,
    Special,
    Term,
    Unknown,
    strongest,
)
from assay_sandbox import Container, Instance, Value


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
        replace(
            transformed(cascade.confirming, elementwise),
            name=f"STREAM({cascade.confirming.name})",
        ),
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
        outputs = p([each]) if special is None else special
        if isinstance(outputs, Special | Unknown):
            return outputs
        if not isinstance(outputs, list) or not outputs:
            return DEMONIC
        return cast("list[Value]", outputs)[0]

    return element.adapt(head) if element else head


class Cascade(Struct, frozen=True):
    """`confirming` relates enumerators to witnesses, `selecting` programs to enumerators."""

    confirming: Scheme
    selecting: Scheme

    @property
    def name(self) -> str:
        return self.confirming.name


def cascaded(
    cascade: Cascade,
    programs: Sequence[Subject],
    enumerators: Sequence[Subject],
    witnesses: Sequence[Subject],
    enumerated: Points,
    selected: Points,
    memo: Memo,
) -> Rounds[Agreement]:
    """For each program, the witnesses that confirm an enumerator of all the program's outputs.

    `enumerated` are the points of the first stage, made for the enumeration problem; `selected`
    are those of the second.
    """
    confirmed = yield from agreements(cascade.confirming, enumerators, witnesses, enumerated, memo)
    surviving = [index for index, found in enumerate(confirmed) if found]
    listing = yield from agreements(
        cascade.selecting, programs, [enumerators[index] for index in surviving], selected, memo
    )
    return tuple(
        tuple(sorted({q for position in found for q in confirmed[surviving[position]]}))
        for found in listing
    )


NONE = "NoneType"

# The arguments that witnesses of a branch get for an output; None if it is of another branch.
Payload: TypeAlias = Callable[[Value], Arguments | None]


def payload_of_type(name: str, output: Value) -> Arguments | None:
    """The payload of a branch that has the outputs of exactly this type.

    The output None has none: it says nothing beyond itself.
    """
    if name != type_name(output):
        return None
    return () if output is None else (output,)


def composed(payloads: Sequence[Payload], parts: Sequence[Function]) -> Function:
    """The set-valued witness that asks the part of the first branch that has a payload for the
    output. An output of no branch is demonic: the parts cannot say anything about it."""

    def witness(output: Term, *context: Term) -> Term:
        special = strongest((output, *context))
        if special is not None:
            return special
        for payload, part in zip(payloads, parts, strict=True):
            arguments = payload(output)
            if arguments is not None:
                return part(*arguments, *context)
        return DEMONIC

    return witness


def type_name(value: Value) -> str:
    return value.type_name if isinstance(value, Instance | Container) else type(value).__name__
