"""Vectors about programs: which of them agree under a scheme."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay_engine.evaluation.vectors.reading import (
    BadVectors,
    DropLength,
    Head,
    Json,
    Suffix,
    Unpack,
    Vector,
    WhenType,
    value_from,
)
from assay_engine.triangulation import (
    Agreement,
    Cascade,
    Memo,
    Points,
    Rounds,
    Scheme,
    Subject,
    agreements,
    cascaded,
)
from assay_engine.triangulation.decompositions import (
    Decomposition,
    head_split,
    suffix_split,
    unpacked_tuple,
    without_length,
)
from assay_engine.triangulation.evaluate import as_it_is, until_known
from assay_engine.triangulation.memo import encoded_arguments
from assay_engine.triangulation.operators import equal
from assay_engine.triangulation.schemes import (
    ENUM_SINV,
    FWD_ENUM,
    FWD_INV,
    FWD_SINV,
    OFF_BY_ONE,
    POSTCONDITION,
    SYNTACTIC,
    stream,
    stream_cascade,
)
from assay_engine.triangulation.schemes.stream import elements
from assay_engine.triangulation.unions import NONE, Branch, composed
from assay_engine.triangulation.values import TRUE, Arguments, Function
from assay_sandbox import Program

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
_STREAM = "STREAM("
_KINDS: dict[str, type] = {"str": str, "list": list, "tuple": tuple}


def is_about_programs(scheme: str) -> bool:
    return _inner(scheme) in _SCHEMES


def agreeing(vector: Vector, memo: Memo) -> Rounds[Agreement]:
    """The agreement of a vector's programs: by forward program (by enumerator in ENUM-SINV) its
    witnesses (its enumerators in FWD-ENUM). Raises BadVectors at once, before any round."""
    scheme = _SCHEMES[_inner(vector.scheme)]
    is_stream = vector.scheme.startswith(_STREAM)
    if is_stream and scheme is ENUM_SINV:
        scheme = _CASCADE
    decomposition = _decomposition(vector, is_stream)
    unpacked = is_stream and isinstance(vector.adapter, Unpack)
    points = _points(vector, decomposition)
    _check(points, vector, is_stream, unpacked)
    build = as_it_is if decomposition is None else decomposition.adapt
    forwards = _subjects(vector.forward_programs, "f", build)
    # Over sequences, enumerators are for single elements already.
    enumerators = _subjects(vector.enumerators, "e", as_it_is if is_stream else build)
    witnesses = _witnesses(vector)
    if isinstance(scheme, Cascade):
        cascade = stream_cascade(scheme, unpacked=unpacked) if is_stream else scheme
        return cascaded(cascade, forwards, enumerators, witnesses, points, points, memo)
    left = enumerators if scheme is ENUM_SINV else forwards
    right = enumerators if scheme is FWD_ENUM else witnesses
    if is_stream:
        scheme = stream(scheme, unpacked=unpacked)
    return agreements(scheme, left, right, points, memo)


def equivalent(vector: Vector, memo: Memo) -> Rounds[Agreement]:
    """Which of a vector's forward programs do the same."""
    subjects = _subjects(vector.forward_programs, "f", as_it_is)
    return agreements(SYNTACTIC, subjects, subjects, _points(vector, None), memo)


def passing(vector: Vector, memo: Memo) -> Rounds[Agreement]:
    """By forward program: the tests that it passes."""
    tests = [
        (tuple(map(value_from, each.inputs)), value_from(each.output)) for each in vector.tests
    ]
    programs = [memo.function(Program(source, "f")) for source in vector.forward_programs]

    def passed() -> Agreement:
        return tuple(
            tuple(
                number
                for number, (arguments, output) in enumerate(tests)
                if equal(program(*arguments), output) is TRUE
            )
            for program in programs
        )

    return until_known(passed, memo)


def _inner(scheme: str) -> str:
    return scheme.removeprefix(_STREAM).removesuffix(")")


def _subjects(
    sources: Sequence[str], entry: str, build: Callable[[Function], Function]
) -> tuple[Subject, ...]:
    return tuple(Subject((Program(source, entry),), build) for source in sources)


def _witnesses(vector: Vector) -> tuple[Subject, ...]:
    if not vector.union:
        return _subjects(vector.witness_programs, "w", as_it_is)
    branches = [
        Branch(each.name if isinstance(each, WhenType) else NONE, each.exhaustive)
        for each in vector.union
    ]
    if any(len(parts) != len(branches) for parts in vector.witness_parts):
        raise BadVectors(f"{vector.name}: a witness needs one part for each branch of the union")

    def build(*parts: Function) -> Function:
        return composed(branches, parts)

    return tuple(
        Subject(tuple(Program(source, "w") for source in parts), build)
        for parts in vector.witness_parts
    )


def _decomposition(vector: Vector, is_stream: bool) -> Decomposition | None:
    match vector.adapter:
        case Suffix(param=param, length=length, type=kind):
            if kind not in _KINDS:
                raise BadVectors(f"{vector.name}: no suffix of a {kind}")
            return suffix_split(param, length, _KINDS[kind])
        case Head(param=param):
            return head_split(param)
        case DropLength(len_param=length_parameter, seq_param=sequence_parameter):
            return without_length(length_parameter, sequence_parameter)
        case Unpack():
            # Over sequences it is the elements that are taken apart.
            return None if is_stream else unpacked_tuple()
        case None:
            return None


def _points(vector: Vector, decomposition: Decomposition | None) -> Points:
    inputs = _arguments(vector, vector.inputs)
    if decomposition is not None:
        try:
            inputs = tuple(map(decomposition.split, inputs))
        except ValueError:
            raise BadVectors(f"{vector.name}: the adapter does not fit an input") from None
    outputs = _arguments(vector, vector.witness_inputs)
    if not all(outputs):
        raise BadVectors(f"{vector.name}: a witness input without an output")
    return Points(inputs, outputs, vector.invert)


def _check(points: Points, vector: Vector, is_stream: bool, unpacked: bool) -> None:
    """Raises BadVectors for points that the scheme cannot be tried on."""
    if is_stream:
        if not all(len(each) == 1 and isinstance(each[0], list) for each in points.inputs):
            raise BadVectors(f"{vector.name}: an input that is not one list")
        if unpacked and not all(isinstance(each, tuple) for (each,) in elements(points).inputs):
            raise BadVectors(f"{vector.name}: an element to be unpacked that is no tuple")
        points = elements(points, unpacked)
    is_inverting = _inner(vector.scheme) in _INVERTING
    if is_inverting and not all(0 <= vector.invert < len(each) for each in points.inputs):
        raise BadVectors(f"{vector.name}: an input without the inverted parameter {vector.invert}")


def _arguments(vector: Vector, written: Sequence[Sequence[Json]]) -> tuple[Arguments, ...]:
    read = tuple(tuple(map(value_from, arguments)) for arguments in written)
    try:
        for arguments in read:
            encoded_arguments(arguments)
    except TypeError as error:
        raise BadVectors(f"{vector.name}: an input that no program can be given: {error}") from None
    return read
