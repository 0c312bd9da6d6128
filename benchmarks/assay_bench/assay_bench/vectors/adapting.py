"""Turns the adapter of a vector into decompositions of its programs' arguments."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from assay_bench.vectors.reading import (
    Adapter,
    AddLength,
    BadVector,
    DropLength,
    Head,
    Suffix,
    Unpack,
    Vector,
)
from assay_engine.methods.triangulation.formulas.decompositions import (
    Decomposition,
    around,
    chained,
    of_kind,
    require,
    suffix_split,
    unpacked_tuple,
    without_length,
)
from assay_engine.methods.triangulation.formulas.values import Arguments
from assay_sandbox import Value

_KINDS: dict[str, type] = {"str": str, "list": list, "tuple": tuple}


class Adapted(Struct, frozen=True):
    """The decomposition of a program's parameters (`whole`), and, for schemes over sequences, that
    of an element (`element`)."""

    whole: Decomposition | None
    element: Decomposition | None


def adapted(vector: Vector, *, is_stream: bool) -> Adapted:
    """The decompositions of a vector. Of several adapters, the first is applied first. Over
    sequences, adapters of lengths apply to the whole sequence, and adapters that take values apart
    to single elements. Raises BadVector."""
    given = vector.adapter if isinstance(vector.adapter, tuple) else (vector.adapter,)
    if not is_stream:
        return Adapted(_decomposition(given), None)
    lengths = [each for each in given if isinstance(each, DropLength | AddLength)]
    others = [each for each in given if each not in lengths]
    return Adapted(_decomposition(lengths), _decomposition(others))


def _decomposition(adapters: Sequence[Adapter]) -> Decomposition | None:
    if not adapters:
        return None
    return chained([_single(each) for each in adapters])


def _single(adapter: Adapter) -> Decomposition:
    match adapter:
        case Suffix(param=param, length=length, type=kind):
            return suffix_split(param, length, _kind(kind))
        case Head(param=param):
            return head_split(param)
        case DropLength(len_param=length_parameter, seq_param=sequence_parameter):
            return without_length(length_parameter, sequence_parameter)
        case AddLength(len_param=place, seq_param=sequence_parameter):
            return with_length(sequence_parameter if place is None else place, sequence_parameter)
        case Unpack():
            return unpacked_tuple()


def _kind(name: str) -> type:
    kind = _KINDS.get(name.partition("[")[0])
    if kind is None:
        raise BadVector(f"no suffix of a {name}")
    return kind


def head_split(parameter: int) -> Decomposition:
    """A list as two parameters: its first element and the others; None and [] if it is empty."""

    def split(arguments: Arguments) -> Arguments:
        before, (whole,), after = around(arguments, parameter, 1)
        elements = of_kind(whole, list)
        head = elements[0] if elements else None
        return (*before, head, elements[1:], *after)

    def join(parts: Arguments) -> Arguments:
        before, (head, tail), after = around(parts, parameter, 2)
        elements = of_kind(tail, list)
        require(head is not None or not elements)
        whole: list[Value] = [] if head is None else [head, *elements]
        return (*before, whole, *after)

    return Decomposition(split, join)


def with_length(length_parameter: int, sequence_parameter: int) -> Decomposition:
    """The parameters and a new one that is the length of another.

    `sequence_parameter` is the index of the measured parameter before the new one is added,
    `length_parameter` the index of the new one afterwards.
    """
    measured = sequence_parameter + (length_parameter <= sequence_parameter)
    without = without_length(length_parameter, measured)

    def join(parts: Arguments) -> Arguments:
        arguments = without.split(parts)
        length, counted = parts[length_parameter], without.join(arguments)[length_parameter]
        require(type(length) is int and length == counted)
        return arguments

    return Decomposition(without.join, join)
