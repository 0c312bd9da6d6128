"""STREAM: makes a scheme for single elements into one for sequences that are mapped element-wise.

Paper, proposition 5.12, with ``p° ≜ i ↦ head(p([i]))``::

    ψ ≜ φ(p°, q) ∧ ∀ [i1, …, in] ∈ Seq[I]. tolerate(p([i1, …, in])) = [p°(i1), …, p°(in)]

The points of φ are the elements of all sequences. The second clause speaks of `p` and its own `p°`.

Two stages: witnesses confirm enumerators, and these select among the programs.

Paper, section 5.1. The second stage alone would trust over-permissive enumerators.

Composes a witness for a problem with a union as result, from one witness for each disjunct.

Paper, section 5.2: the problem is inverted for each disjunct, and the samples are composed. The
disjunct of an output is told by the output's type, by its value, or by the tag that a tuple begins
with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.comparing.same_values import same_value
from assay_engine.triangulation.formulas.decompositions import Decomposition
from assay_engine.triangulation.formulas.evaluate import Agreement, Rounds, Subject, agreements
from assay_engine.triangulation.formulas.operators import equal, sequence, tolerate
from assay_engine.triangulation.formulas.outcomes import Memo, encoded_arguments
from assay_engine.triangulation.formulas.properties import (
    About,
    Clause,
    Interpretation,
    Points,
    Scheme,
    transformed,
)
from assay_engine.triangulation.formulas.values import (
    DEMONIC,
    Arguments,
    FullAnswer,
    Function,
    Judgement,
    PartialAnswer,
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
        return _first(p([each])) if special is None else special

    return element.adapt(head) if element else head


def _first(outputs: Term) -> Term:
    if isinstance(outputs, Special | Unknown):
        return outputs
    if not isinstance(outputs, list) or not outputs:
        return DEMONIC
    return cast("list[Value]", outputs)[0]


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


class Branch(Struct, frozen=True):
    """The outputs of exactly this type. `exhaustive`: witnesses list all values. The output None
    has no payload: it says nothing beyond itself."""

    type_name: str
    exhaustive: bool

    def payload(self, output: Value) -> Arguments | None:
        """The arguments that witnesses of the branch get for an output; None if it is of another
        branch."""
        if self.type_name != type_name(output):
            return None
        return () if output is None else (output,)


class Constant(Struct, frozen=True):
    """A single output without payload, such as "NO"."""

    value: Value
    exhaustive: bool

    def payload(self, output: Value) -> Arguments | None:
        return () if same_value(self.value, output) else None


class Tagged(Struct, frozen=True):
    """Tuples that begin with a tag, such as ("YES", 3); the payload is what follows the tag."""

    tag: Value
    exhaustive: bool

    def payload(self, output: Value) -> Arguments | None:
        if not isinstance(output, tuple) or not output:
            return None
        first, *rest = cast("tuple[Value, ...]", output)
        return tuple(rest) if same_value(self.tag, first) else None


Disjunct: TypeAlias = Branch | Constant | Tagged
NONE = "NoneType"


def composed(branches: Sequence[Disjunct], parts: Sequence[Function]) -> Function:
    """The set-valued witness that asks the part of the first branch that has a payload for the
    output. An output of no branch is demonic: the parts cannot say anything about it."""

    def witness(output: Term, *context: Term) -> Term:
        special = strongest((output, *context))
        if special is not None:
            return special
        for branch, part in zip(branches, parts, strict=True):
            payload = branch.payload(output)
            if payload is not None:
                answer = part(*payload, *context)
                return answer if branch.exhaustive else _marked(answer)
        return DEMONIC

    return witness


def _marked(answer: Term) -> Term:
    return PartialAnswer(answer.listed) if isinstance(answer, FullAnswer) else answer


def type_name(value: Value) -> str:
    return value.type_name if isinstance(value, Instance | Container) else type(value).__name__
