"""Splits parameters, so that a problem can be inverted with respect to a part of one.

Paper, section 5.2. A decomposition works on arguments and leaves programs as they are: inputs are
split first, and arguments are joined again on their way into the program. Arguments that no split
can produce are invalid inputs, so that a witness cannot propose them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from assay_engine.methods.triangulation.formulas.values import (
    UNDEFINED,
    Arguments,
    Function,
    Term,
    strongest,
)
from assay_sandbox import Value


class Decomposition(Struct, frozen=True):
    """`join` undoes `split`, and raises ValueError for parts that `split` cannot produce.

    Either may raise ValueError for arguments of another shape.
    """

    split: Callable[[Arguments], Arguments]
    join: Callable[[Arguments], Arguments]

    def adapt(self, program: Function) -> Function:
        """The program as a function of the parts."""

        def adapted(*parts: Term) -> Term:
            special = strongest(parts)
            if special is not None:
                return special
            try:
                arguments = self.join(parts)
            except ValueError:
                return UNDEFINED
            return program(*arguments)

        return adapted


def suffix_split(parameter: int, length: int, kind: type) -> Decomposition:
    """A sequence as two parameters: a prefix, and a suffix of its last `length` elements.

    The suffix of a sequence with fewer elements is the whole sequence.
    """

    def split(arguments: Arguments) -> Arguments:
        before, (whole,), after = around(arguments, parameter, 1)
        sequence = of_kind(whole, kind)
        cut = max(0, len(sequence) - length)
        return (*before, sequence[:cut], sequence[cut:], *after)

    def join(parts: Arguments) -> Arguments:
        before, pair, after = around(parts, parameter, 2)
        prefix, suffix = (of_kind(part, kind) for part in pair)
        require(len(suffix) == length or (len(suffix) < length and not prefix))
        return (*before, prefix + suffix, *after)

    return Decomposition(split, join)


def without_length(length_parameter: int, sequence_parameter: int) -> Decomposition:
    """The parameters without one that is the length of another."""
    place = sequence_parameter - (length_parameter < sequence_parameter)

    def split(arguments: Arguments) -> Arguments:
        before, _, after = around(arguments, length_parameter, 1)
        return (*before, *after)

    def join(parts: Arguments) -> Arguments:
        _, (measured,), _ = around(parts, place, 1)
        require(len(parts) >= length_parameter)
        length = len(of_kind(measured, _SIZED))
        return (*parts[:length_parameter], length, *parts[length_parameter:])

    return Decomposition(split, join)


def unpacked_tuple() -> Decomposition:
    """The parts of the only parameter, a tuple, as one parameter each."""

    def split(arguments: Arguments) -> Arguments:
        _, (whole,), rest = around(arguments, 0, 1)
        require(not rest)
        return of_kind(whole, tuple)

    def join(parts: Arguments) -> Arguments:
        return (parts,)

    return Decomposition(split, join)


def chained(decompositions: Sequence[Decomposition]) -> Decomposition:
    """Several decompositions in turn, each applied to the parameters that the last one made."""

    def split(arguments: Arguments) -> Arguments:
        for each in decompositions:
            arguments = each.split(arguments)
        return arguments

    def join(parts: Arguments) -> Arguments:
        for each in reversed(decompositions):
            parts = each.join(parts)
        return parts

    return Decomposition(split, join)


_SIZED = (str, list, tuple, set, frozenset, dict)


def around(arguments: Arguments, index: int, width: int) -> tuple[Arguments, ...]:
    """The arguments before, at (`width` of them) and after an index; ValueError if too few."""
    require(len(arguments) >= index + width)
    return arguments[:index], arguments[index : index + width], arguments[index + width :]


def of_kind(value: Value, kind: type | tuple[type, ...]) -> Any:
    """The value, if it is of the kind; Any, since the types of its elements are unknown."""
    require(isinstance(value, kind))
    return value


def require(condition: bool) -> None:
    if not condition:
        raise ValueError("arguments of another shape")
