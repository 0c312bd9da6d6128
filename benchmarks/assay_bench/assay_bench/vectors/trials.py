"""Tries vectors about programs: finds which programs agree under a scheme."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
from msgspec import Struct

from assay_bench.vectors.adapting import Adapted, adapted
from assay_bench.vectors.disjuncts import Disjunct, constant, tagged, witness_of
from assay_bench.vectors.programs import assertion, program, tested
from assay_bench.vectors.reading import (
    BadVector,
    Case,
    Vector,
    VectorTest,
    WhenNone,
    WhenTag,
    WhenType,
    WhenValue,
)
from assay_bench.vectors.round_trip import with_round_trip
from assay_bench.vectors.values import Json, value_from
from assay_engine.methods.triangulation.formulas.compositions import (
    NONE,
    Cascade,
    cascaded,
    elements,
    payload_of_type,
    stream,
    stream_cascade,
)
from assay_engine.methods.triangulation.formulas.evaluate import (
    Agreement,
    Rounds,
    Subject,
    agreements,
    as_it_is,
    until_known,
)
from assay_engine.methods.triangulation.formulas.operators import Threshold, equal
from assay_engine.methods.triangulation.formulas.outcomes import Memo, encoded_arguments
from assay_engine.methods.triangulation.formulas.properties import Points, Rules, Scheme
from assay_engine.methods.triangulation.formulas.schemes import (
    ENUM_SINV,
    FWD_ENUM,
    FWD_INV,
    FWD_SINV,
    OFF_BY_ONE,
    POSTCONDITION,
    SYNTACTIC,
)
from assay_engine.methods.triangulation.formulas.values import TRUE, Arguments, Function

_CASCADE = Cascade(ENUM_SINV, FWD_ENUM)
_SCHEMES: dict[str, Scheme | Cascade] = {
    "EQUIV": SYNTACTIC,
    "OFF-BY-ONE": OFF_BY_ONE,
    "POSTCONDITION": POSTCONDITION,
    "FWD-INV": FWD_INV,
    "FWD-SINV": FWD_SINV,
    "ENUM-SINV": ENUM_SINV,
    "FWD-ENUM": FWD_ENUM,
    "ENUM-SINV-CASCADE": _CASCADE,
}
_INVERTING = {"FWD-INV", "FWD-SINV", "ENUM-SINV", "ENUM-SINV-CASCADE"}
_NOT_ABOUT_OUTPUTS = {"EQUIV", "OFF-BY-ONE", "POSTCONDITION", "FWD-ENUM"}
_STREAM = "STREAM("


class Found(Struct, frozen=True):
    """The programs on the right that each on the left agrees with, and for each program the number
    of its class: programs of a class did the same."""

    agreement: Agreement
    left: tuple[int, ...]
    right: tuple[int, ...]


def is_about_programs(scheme: str) -> bool:
    return _inner(scheme) in _SCHEMES


def agreeing(vector: Vector, memo: Memo) -> Rounds[Found]:
    """The agreement of a vector's programs: for each forward program (in ENUM-SINV, for each
    enumerator), its witnesses (in FWD-ENUM, its enumerators). Raises BadVector at once, before any
    round."""
    is_stream = vector.scheme.startswith(_STREAM)
    scheme = _SCHEMES[_inner(vector.scheme)]
    if is_stream and scheme is ENUM_SINV:
        scheme = _CASCADE
    shape = adapted(vector, is_stream=is_stream)
    points = _points(vector, shape, is_stream=is_stream)
    build = as_it_is if shape.whole is None else shape.whole.adapt
    forwards = _subjects(vector.forward_programs, "f", build)
    # In schemes over sequences, enumerators are for single elements already.
    enumerators = _subjects(vector.enumerators, "e", as_it_is if is_stream else build)
    witnesses = _witnesses(vector)
    if isinstance(scheme, Cascade):
        if vector.options.round_trip:
            raise BadVector("no option round_trip of ENUM-SINV, which has that clause")
        cascade = stream_cascade(scheme, element=shape.element) if is_stream else scheme
        rounds = cascaded(cascade, forwards, enumerators, witnesses, points, points, memo)
        return _found(rounds, forwards, witnesses, memo)
    left = enumerators if scheme is ENUM_SINV else forwards
    right = enumerators if scheme is FWD_ENUM else witnesses
    if vector.options.round_trip:
        if scheme not in (FWD_INV, FWD_SINV):
            raise BadVector(f"no option round_trip of {vector.scheme}")
        scheme = with_round_trip(scheme)
    if is_stream:
        scheme = stream(scheme, element=shape.element)
    return _found(agreements(scheme, left, right, points, memo), left, right, memo)


def equivalent(vector: Vector, memo: Memo) -> Rounds[Found]:
    """Find which of a vector's forward programs do the same."""
    subjects = _subjects(vector.forward_programs, "f", as_it_is)
    points = Points(_arguments(vector.inputs), rules=_rules(vector))
    return _found(agreements(SYNTACTIC, subjects, subjects, points, memo), subjects, subjects, memo)


def passing(vector: Vector, memo: Memo) -> Rounds[Found]:
    """For each forward program, the tests that it passes. Raises BadVector at once."""
    tests = [_test(each) for each in vector.tests]

    def passed() -> Agreement:
        return tuple(
            tuple(number for number, test in enumerate(tests) if test(text, memo))
            for text in vector.forward_programs
        )

    subjects = _subjects(vector.forward_programs, "f", as_it_is)
    return _found(until_known(passed, memo), subjects, (), memo, len(tests))


def _found(
    rounds: Rounds[Agreement],
    left: Sequence[Subject],
    right: Sequence[Subject],
    memo: Memo,
    tests: int = 0,
) -> Rounds[Found]:
    """The agreement with classes. Tests on the right are each a class of their own."""
    agreement = yield from rounds
    return Found(agreement, _classes(left, memo), _classes(right, memo) or tuple(range(tests)))


def _classes(subjects: Sequence[Subject], memo: Memo) -> tuple[int, ...]:
    alike = [tuple(map(memo.likeness, each.programs)) for each in subjects]
    return tuple(map(alike.index, alike))


def _inner(scheme: str) -> str:
    return scheme.removeprefix(_STREAM).removesuffix(")")


def _subjects(
    texts: Sequence[str], entry: str, build: Callable[[Function], Function]
) -> tuple[Subject, ...]:
    return tuple(Subject((program(text, entry),), build) for text in texts)


def _witnesses(vector: Vector) -> tuple[Subject, ...]:
    if not vector.union:
        if vector.witness_parts:
            raise BadVector("witness_parts without a union")
        return _subjects(vector.witness_programs, "w", as_it_is)
    branches = [_disjunct(each) for each in vector.union]
    if any(len(parts) != len(branches) for parts in vector.witness_parts):
        raise BadVector("a witness needs one part for each branch of the union")

    def build(*parts: Function) -> Function:
        return witness_of(branches, parts)

    return tuple(
        Subject(tuple(program(text, "w") for text in parts), build)
        for parts in vector.witness_parts
    )


def _disjunct(case: Case) -> Disjunct:
    match case:
        case WhenNone(exhaustive=exhaustive):
            return Disjunct(partial(payload_of_type, NONE), exhaustive)
        case WhenType(name="None", exhaustive=exhaustive):
            return Disjunct(partial(payload_of_type, NONE), exhaustive)
        case WhenType(name=name, exhaustive=exhaustive):
            return Disjunct(partial(payload_of_type, name.partition("[")[0]), exhaustive)
        case WhenValue(value=value, exhaustive=exhaustive):
            return Disjunct(partial(constant, value_from(value)), exhaustive)
        case WhenTag(name=tag, exhaustive=exhaustive):
            return Disjunct(partial(tagged, value_from(tag)), exhaustive)


def _test(test: VectorTest | str) -> Callable[[str, Memo], bool]:
    """A predicate: whether a program's text passes the test, as far as is known."""
    text = test if isinstance(test, str) else test.source
    if isinstance(text, str):
        stated = assertion(text)
        return lambda source, memo: memo.function(tested(source, stated))() is True
    assert isinstance(test, VectorTest)
    if isinstance(test.inputs, msgspec.UnsetType) or test.output is msgspec.UNSET:
        raise BadVector("a test without inputs and output, or assert")
    (arguments,) = _arguments([test.inputs])
    output = value_from(test.output)
    return lambda source, memo: (
        equal(memo.function(program(source, "f"))(*arguments), output) is TRUE
    )


def _rules(vector: Vector) -> Rules:
    options = vector.options
    return Rules(
        Threshold(*options.threshold),
        options.least_evidence,
        options.passes_doubt_on,
        options.late_is_angelic,
    )


def _points(vector: Vector, shape: Adapted, *, is_stream: bool) -> Points:
    """The points of a vector. Raises BadVector for points that the scheme cannot be tried on."""
    scheme = _inner(vector.scheme)
    inputs = _arguments(vector.inputs)
    outputs: tuple[Arguments, ...] = ()
    if scheme not in _NOT_ABOUT_OUTPUTS:
        outputs = _arguments(vector.witness_inputs)
    if not all(outputs):
        raise BadVector("a witness input without an output")
    try:
        if shape.whole is not None:
            inputs = tuple(map(shape.whole.split, inputs))
        points = Points(inputs, outputs, vector.invert, _rules(vector))
        if is_stream and not all(len(each) == 1 and isinstance(each[0], list) for each in inputs):
            raise BadVector("an input that is not one list")
        single = elements(points, shape.element) if is_stream else points
    except ValueError:
        raise BadVector("the adapter does not fit an input") from None
    if scheme in _INVERTING and not all(vector.invert < len(each) for each in single.inputs):
        raise BadVector(f"an input without the inverted parameter {vector.invert}")
    return points


def _arguments(written: Sequence[Sequence[Json]]) -> tuple[Arguments, ...]:
    read = tuple(tuple(map(value_from, arguments)) for arguments in written)
    try:
        for arguments in read:
            encoded_arguments(arguments)
    except TypeError as error:
        raise BadVector(f"an input that no program can be given: {error}") from None
    return read
